"""Small git repositories for tests, made from a script as the demo repositories are."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from agents import gitobjects
from agents.remotes import BRANCH


def git(remote: str, *arguments: str, given: str = "") -> str:
    """Run git in a remote and return its output."""
    done = subprocess.run(
        ["git", f"--git-dir={remote}", *arguments],
        check=True, capture_output=True, env=gitobjects.environment(), input=given.encode(),
    )  # fmt: skip
    return done.stdout.decode()


def init(folder: Path) -> str:
    """A bare repository without a commit."""
    folder.mkdir(parents=True)
    git(str(folder), "init", "--quiet", "--bare", "--initial-branch=main")
    return str(folder)


def commit(
    remote: str, files: Mapping[str, str], message: str = "one", at: int = 1_700_000_000
) -> str:
    """A commit that writes these files on top of the branch; returns its SHA."""
    parent = gitobjects.head(remote, BRANCH)
    begin = f"commit {BRANCH}\ncommitter Ada <Ada@x.example> {at} +0000\n" + data(message)
    after = f"from {parent}\n" if parent else ""
    rows = [f"M 100644 inline {path}\n{data(content)}" for path, content in files.items()]
    git(remote, "fast-import", "--quiet", given=begin + after + "".join(rows))
    sha = gitobjects.head(remote, BRANCH)
    assert sha
    return sha


def data(text: str) -> str:
    """Text in the language of git fast-import."""
    return f"data {len(text.encode())}\n{text}\n"
