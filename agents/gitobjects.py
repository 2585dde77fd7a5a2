"""Read-only access to a git repository: only `head` may change its answer, the rest is immutable."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from agents.errors import RepositoryUnreadable
from tenants.keys import hiding

REGULAR = ("100644", "100755")


@dataclass(frozen=True)
class Commit:
    """One commit; `at` is the committer's time in seconds since 1970, `parent` is "" at the root."""

    sha: str
    parent: str
    author: str
    at: int


@dataclass(frozen=True)
class File:
    """A regular file of a tree, with the SHA of its bytes."""

    path: str
    blob: str
    size: int


@dataclass(frozen=True)
class Lines:
    """What a commit did to one file, in lines; both are 0 for a binary file."""

    path: str
    insertions: int
    deletions: int


def head(repository: str, branch: str) -> str | None:
    """The commit a branch points to now; None when the repository or the branch is gone."""
    if not Path(repository).is_dir():
        return None
    listed = _git(repository, "for-each-ref", "--format=%(refname) %(objectname)", branch).decode()
    return dict(line.split(" ") for line in listed.splitlines()).get(branch)


def commit(repository: str, sha: str) -> Commit:
    """The commit `sha`, with its first parent."""
    shown = _git(repository, "log", "-1", "--format=%H%x00%P%x00%ae%x00%ct", sha).decode()
    name, parents, author, at = shown.rstrip("\n").split("\0")
    return Commit(name, parents.split(" ")[0], author, int(at))


def files(repository: str, sha: str, suffix: str) -> list[File]:
    """The regular files of a commit whose path ends with `suffix`, by path."""
    listed = _git(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", sha)
    found = []
    for entry in listed.split(b"\0")[:-1]:
        facts, path = entry.split(b"\t", 1)
        mode, _, blob_sha, size = facts.decode().split()
        name = path.decode("utf-8", "surrogateescape")
        if mode in REGULAR and name.endswith(suffix) and name.isprintable():
            found.append(File(name, blob_sha, int(size)))
    return found


def blob(repository: str, sha: str) -> bytes:
    """The bytes of a file by the SHA of its bytes."""
    return _git(repository, "cat-file", "blob", sha)


def numstat(repository: str, made: Commit) -> list[Lines]:
    """What a commit changed against its first parent, one entry per file."""
    trees = (made.parent, made.sha) if made.parent else ("--root", made.sha)
    options = ("--no-commit-id", "--no-renames", "--numstat", "-r", "-z")
    shown = _git(repository, "diff-tree", *options, *trees)
    changes = []
    for entry in shown.split(b"\0")[:-1]:
        inserted, deleted, path = entry.split(b"\t", 2)
        counts = [0 if count == b"-" else int(count) for count in (inserted, deleted)]
        changes.append(Lines(path.decode("utf-8", "replace"), *counts))
    return changes


def has_commit_with_line(repository: str, line: str, *, after: str, until: str) -> bool:
    """Whether a commit reachable from `until` but not from `after` has `line` in its message."""
    shown = _git(repository, "log", "--format=%B", f"{after}..{until}").decode("utf-8", "replace")
    return line in shown.splitlines()


def _git(repository: str, *arguments: str) -> bytes:
    """Raises `RepositoryUnreadable` with git's own last words."""
    command = ["git", f"--git-dir={repository}", "--no-replace-objects", *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, timeout=20, env=environment()
        )
    except (OSError, subprocess.TimeoutExpired) as failed:
        raise RepositoryUnreadable(f"git could not read {repository}: {failed}") from failed
    if done.returncode != 0:
        said = hiding.text(done.stderr.decode("utf-8", "replace").strip()).last(300)
        raise RepositoryUnreadable(f"git could not read {repository}: {said}")
    return done.stdout


def environment() -> dict[str, str]:
    """No configuration of the account or machine, no prompts, one language: the same everywhere."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
    }
