"""The matrix in its short form, and proof that it can fail."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOUSE = ("approvals", "checkpoints", "execution", "reconciliation")
NAMED = re.compile(r'boundary(?:\(|, )f?"([^"{]+)(\{)?')
ENOUGH = 20
# Where no run of the matrix comes by: killed in tests/releases/shadows/test_killed.py.
ELSEWHERE = {"twin:before", "twin:after"}


def _matrix(out: Path, *options: str) -> tuple[int, dict[str, Any], str]:
    """Exit status, figures, and what was said on the way."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash", "--short", "--lanes", "4", "--out", out, *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.exists(), done.stderr
    assert json.loads(done.stdout) == json.loads(out.read_text()), "one JSON line, and the file"
    return done.returncode, json.loads(done.stdout), done.stderr


def _boundaries_of_the_source() -> set[str]:
    """Every name in a call of `boundary`; one that is put together, as far as it is fixed."""
    sources = (path.read_text() for floor in HOUSE for path in (ROOT / floor).rglob("*.py"))
    return {found[1].strip() for source in sources for found in NAMED.finditer(source)}


def test_killed_at_every_boundary_nothing_is_lost_or_done_twice(tmp_path: Path) -> None:
    status, found, said = _matrix(tmp_path / "crash.json")
    assert status == 0, said
    assert found["points"] >= ENOUGH
    assert found["kills"] >= found["trials"] >= ENOUGH
    assert (found["duplicates"], found["lost"], found["not_unique"]) == (0, 0, 0), said
    assert found["recovery_seconds"]["p50"] > 0
    killed = {re.sub(r"^sweep .*", "sweep", name) for name in found["boundaries"]}
    missing = _boundaries_of_the_source() - killed - ELSEWHERE
    assert not missing, f"no process was killed at {missing}"


@pytest.mark.parametrize(
    ("options", "figure"),
    [
        (("--only", "forgetful_tool"), "duplicates"),
        (("--only", "for_mutants", "--mutant", "resend_blindly"), "duplicates"),
        (("--only", "careless_node"), "not_unique"),
        (("--only", "ruled_by_two", "--mutant", "agreed_apart", "--patience", "9"), "lost"),
        (("--only", "steps", "--mutant", "never_notice", "--patience", "2"), "lost"),
    ],
)
def test_what_is_broken_on_purpose_is_found(
    tmp_path: Path, options: tuple[str, ...], figure: str
) -> None:
    status, found, _ = _matrix(tmp_path / "crash.json", "--depth", "1", *options)
    assert status == 1
    assert found[figure] > 0
