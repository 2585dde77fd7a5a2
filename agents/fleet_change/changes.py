"""What a change rule makes of one file: the new bytes, or a reason why the file is left alone.

A rule is `{"kind": "ruff", "select": [codes]}` or `{"kind": "codemod", "name": name}`. The same
rule makes the same bytes of the same file, always: ruff runs isolated from every configuration,
without its cache, for one version of Python.
"""

import difflib
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ruff import find_ruff_bin  # type: ignore[import-untyped]

from agents.errors import ChangeFailed
from agents.fleet_change.codemods import CODEMODS
from tenants.keys import hiding

Json = Any

PYTHON = "py310"  # the oldest Python the fleet still runs
LARGEST_FILE_BYTES = 1_000_000
TIMEOUT_SECONDS = 20


@dataclass(frozen=True)
class Changed:
    """The bytes after the change, and the lines it took away and put in."""

    content: bytes
    insertions: int = 0
    deletions: int = 0
    note: str = ""


def change(rule: Mapping[str, Json], path: str, content: bytes) -> Changed:
    """Apply a rule to one file. Raises `ChangeFailed` when the tool itself breaks.

    A file that is no Python, or too large, comes back as it was, with a note.
    """
    if len(content) > LARGEST_FILE_BYTES:
        return Changed(content, note=f"larger than {LARGEST_FILE_BYTES:,} bytes")
    try:
        after = _after(rule, path, content)
    except (SyntaxError, UnicodeDecodeError):
        return Changed(content, note="not a file that Python can read")
    return Changed(after, *_counts(content, after))


def diff(path: str, before: bytes, after: bytes) -> str:
    """The change of one file as a unified diff, for reading only."""
    old, new = (text.decode("utf-8", "replace").splitlines() for text in (before, after))
    lines = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="", n=1)
    return "\n".join(lines)


def _after(rule: Mapping[str, Json], path: str, content: bytes) -> bytes:
    if rule["kind"] == "codemod":
        return CODEMODS[rule["name"]](content)
    content.decode("utf-8")
    fixed = _ruff(
        "check", "--fix-only", "--exit-zero", "--quiet", "--isolated", "--no-cache",
        f"--target-version={PYTHON}", f"--select={','.join(rule['select'])}",
        f"--stdin-filename={path}", "-", content=content,
    )  # fmt: skip
    return fixed.stdout


def _ruff(*arguments: str, content: bytes) -> "subprocess.CompletedProcess[bytes]":
    command = [find_ruff_bin(), *arguments]
    try:
        done = subprocess.run(
            command, input=content, capture_output=True, check=False, timeout=TIMEOUT_SECONDS,
            env={"LC_ALL": "C.UTF-8"}, cwd="/",
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as failed:
        raise ChangeFailed(f"ruff did not run: {failed}") from failed
    if done.returncode != 0:
        said = hiding.text(done.stderr.decode("utf-8", "replace").strip()).last(300)
        raise ChangeFailed(f"ruff ended with {done.returncode}: {said}")
    return done


def _counts(before: bytes, after: bytes) -> tuple[int, int]:
    if before == after:
        return 0, 0
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changed = [block for block in matcher.get_opcodes() if block[0] != "equal"]
    return sum(b[4] - b[3] for b in changed), sum(b[2] - b[1] for b in changed)
