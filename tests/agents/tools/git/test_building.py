"""Commits are made the same every time, change only what they are asked to, and can be pushed."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agents.tools.git.building import BuiltCommit, build_commit, revert_commit
from agents.tools.git.errors import CannotBuild, GitFailed
from tests.agents.tools.git.remote import Remote, git

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
AUTHOR = "Kedge <kedge@example.org>"
CHANGES = {"src/anchor.py": b"def drop():\n    return 2\n", "new/file.bin": b"\x00\xff"}


@pytest.fixture
def remote(tmp_path: Path) -> Remote:
    return Remote(tmp_path / "ship.git")


def build(
    remote: Remote, changes: dict[str, bytes | None], base: str | None = None, address: str = ""
) -> BuiltCommit:
    return build_commit(
        address or str(remote.folder),
        remote.head() if base is None else base,
        changes,
        message="Drop two anchors",
        author=AUTHOR,
        at=AT,
    )


def take_in(remote: Remote, built: BuiltCommit) -> str:
    """Put the pack into the remote and return the commit."""
    subprocess.run(
        ["git", "-C", str(remote.folder), "unpack-objects", "-q"], input=built.pack, check=True
    )
    return built.commit


def test_same_inputs_make_the_same_commit_and_pack(remote: Remote) -> None:
    first, second = build(remote, dict(CHANGES)), build(remote, dict(reversed(CHANGES.items())))
    assert first == second


def test_an_address_and_a_folder_make_the_same_commit(remote: Remote) -> None:
    by_address = build(remote, dict(CHANGES), address=f"file://{remote.folder}")
    assert by_address == build(remote, dict(CHANGES))


def test_git_itself_makes_the_same_commit(remote: Remote, tmp_path: Path) -> None:
    work = tmp_path / "work"
    git(tmp_path, "clone", "--quiet", str(remote.folder), str(work))
    for path, content in CHANGES.items():
        (work / path).parent.mkdir(exist_ok=True)
        (work / path).write_bytes(content)
    git(work, "add", ".")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_NAME": "Kedge", f"GIT_{role}_EMAIL": "kedge@example.org"}
        environment[f"GIT_{role}_DATE"] = "2026-01-02T03:04:05Z"
    command = ["git", "-C", str(work), "commit", "--quiet", "-m", "Drop two anchors"]
    subprocess.run(command, check=True, env=environment)
    assert build(remote, dict(CHANGES)).commit == git(work, "rev-parse", "HEAD")


def test_only_what_was_asked_changes_and_modes_stay(remote: Remote) -> None:
    modes = {"run.sh": "100755", "link": "120000"}
    base = remote.commit({"run.sh": b"echo 1\n", "link": b"run.sh"}, modes=modes)
    built = build(remote, {"run.sh": b"echo 2\n", "link": b"README.md", "docs/log/day1.txt": None})
    commit = take_in(remote, built)
    listed = git(remote.folder, "diff-tree", "-r", "--raw", "--abbrev=4", base, commit)
    shown = [line.split() for line in listed.splitlines()]
    assert [(row[0], row[1], row[4], row[5]) for row in shown] == [
        (":100644", "000000", "D", "docs/log/day1.txt"),
        (":120000", "120000", "M", "link"),
        (":100755", "100755", "M", "run.sh"),
    ]
    assert built.change == {"files": 3, "lines": 5, "deletions": 1}


def test_a_first_commit_has_no_parent(remote: Remote) -> None:
    commit = take_in(remote, build(remote, {"a.txt": b"a\n"}, base=""))
    assert git(remote.folder, "rev-list", "--parents", commit) == commit


def test_a_file_may_give_its_name_to_a_folder_and_back(remote: Remote) -> None:
    take_in(remote, build(remote, {"README.md": None, "README.md/part": b"x\n"}))
    folder = {"docs/log/day1.txt": None, "docs/log": b"now a file\n"}
    commit = take_in(remote, build(remote, folder))
    assert remote.file("docs/log", commit) == "now a file"


def test_the_pack_has_only_what_a_push_takes(remote: Remote, tmp_path: Path) -> None:
    place = tmp_path / "p.pack"
    place.write_bytes(build(remote, {"src/rope.py": b"LENGTH = 13\n"}).pack)
    git(tmp_path, "index-pack", str(place))
    listed = git(tmp_path, "verify-pack", "-v", str(place)).splitlines()
    kinds = sorted(line.split()[1] for line in listed if line[40:41] == " ")
    # New: commit, two folders, the file. Of the base: commit and the same two folders.
    assert kinds == ["blob", "commit", "commit", "tree", "tree", "tree", "tree"]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"README.md": b"# Ship\n"},
        {"gone.txt": None},
        {"../up.txt": b"x"},
        {"/abs.txt": b"x"},
        {".git/config": b"x"},
        {"README.md/below": b"x"},
        {"": b"x"},
        {"a\0b": b"x"},
    ],
)
def test_changes_that_make_no_commit_are_refused(
    remote: Remote, changes: dict[str, bytes | None]
) -> None:
    with pytest.raises(CannotBuild):
        build(remote, changes)


@pytest.mark.parametrize(
    ("message", "author", "at"),
    [
        (" \n", AUTHOR, AT),
        ("a\0b", AUTHOR, AT),
        ("fine", "nobody", AT),
        ("fine", "Two\nLines <a@b>", AT),
        ("fine", AUTHOR, AT.replace(tzinfo=None)),
    ],
)
def test_text_that_git_would_misread_is_refused(
    remote: Remote, message: str, author: str, at: datetime
) -> None:
    changes = {"README.md": b"x\n"}
    with pytest.raises(CannotBuild):
        build_commit(
            str(remote.folder), remote.head(), changes, message=message, author=author, at=at
        )


def test_an_unknown_base_is_an_error(remote: Remote) -> None:
    with pytest.raises(GitFailed):
        build(remote, {"a": b"a"}, base="1" * 40)


def revert(remote: Remote, commit: str, address: str = "") -> BuiltCommit:
    place = address or str(remote.folder)
    return revert_commit(place, commit, remote.head(), message="Undo", author=AUTHOR, at=AT)


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_revert_takes_back_one_commit_and_keeps_what_came_after(
    remote: Remote, scheme: str
) -> None:
    before = remote.head()
    done = take_in(remote, build(remote, {**CHANGES, "README.md": None}))
    remote.reset(done)
    after = remote.commit({"src/rope.py": b"LENGTH = 99\n"})
    undone = take_in(remote, revert(remote, done, f"{scheme}{remote.folder}" if scheme else ""))
    assert git(remote.folder, "rev-list", "--max-count=1", "--parents", undone).endswith(after)
    assert git(remote.folder, "diff", "--name-only", before, undone) == "src/rope.py"


def test_a_revert_over_a_later_change_is_refused(remote: Remote) -> None:
    done = take_in(remote, build(remote, dict(CHANGES)))
    remote.reset(done)
    remote.commit({"src/anchor.py": b"changed again\n"})
    with pytest.raises(CannotBuild, match=r"src/anchor\.py"):
        revert(remote, done)
