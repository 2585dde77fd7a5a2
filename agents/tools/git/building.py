"""Making a commit and the pack that carries it, without a working tree and always the same."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from agents.tools.deadline import Deadline
from agents.tools.git.errors import CannotBuild, GitFailed
from agents.tools.git.process import Git
from agents.tools.git.scratch import Scratch, scratch
from agents.tools.git.showing import NO_FILES, file_changes, size_of
from canonical.json import Json

BUILD_SECONDS = 120
REGULAR = "100644"
EDITABLE = {"100644", "100755", "120000"}  # a symbolic link's content is where it points

_PERSON = re.compile(r"[^<>\0\n]+ <[^<>\0\n ]+>")
_NOTHING = "0" * 40
_TREE = "040000"

# A file as git keeps it: mode and name of its content. None: the file goes.
Entry = tuple[str, str] | None


@dataclass(frozen=True)
class BuiltCommit:
    """A commit that exists nowhere yet: `pack` holds all that a push of it onto `base` takes.

    `change` is how much it changes: {"files", "lines", "deletions"}.
    """

    commit: str
    base: str
    change: dict[str, Json]
    pack: bytes = field(repr=False)

    def parameters(self, *, remote: str, branch: str, pack: Mapping[str, Json]) -> dict[str, Json]:
        """The parameters of *git push* for it; `pack` is the reference its pack was stored under."""
        return {
            "remote": remote,
            "branch": branch,
            "expected": self.base,
            "commit": self.commit,
            "change": dict(self.change),
            "pack": dict(pack),
        }


@dataclass(frozen=True)
class _Text:
    """What a commit says: message, author ("Name <address>") and time."""

    message: str
    author: str
    at: datetime

    def commit(self, tree: str, base: str) -> bytes:
        if not _PERSON.fullmatch(self.author):
            raise CannotBuild("the author must read like: Name <address>")
        if "\0" in self.message or not self.message.strip():
            raise CannotBuild("the commit message is empty or has a NUL in it")
        if self.at.tzinfo is None:
            raise CannotBuild("the time of the commit has no zone")
        who = f"{self.author} {int(self.at.astimezone(UTC).timestamp())} +0000"
        parent = f"parent {base}\n" if base else ""
        head = f"tree {tree}\n{parent}author {who}\ncommitter {who}\n\n"
        return (head + self.message.rstrip("\n") + "\n").encode()


def build_commit(
    repository: str,
    base: str,
    changes: Mapping[str, bytes | None],
    *,
    message: str,
    author: str,
    at: datetime,
) -> BuiltCommit:
    """Make a commit on `base` ("" for a first one) that writes or removes (None) whole files.

    `repository` is a folder or an address git can fetch from. A file keeps its mode. The same
    arguments make the same commit. Raises `CannotBuild`, and `GitFailed` or `TimeoutError` when
    the repository cannot be read.
    """
    with scratch(Git(Deadline(BUILD_SECONDS))) as work:
        _see(work, repository, base)
        present = _entries(work, base)
        entries = {
            path: _new_entry(work, path, content, present.get(path))
            for path, content in changes.items()
        }
        _refuse_clash(present.keys(), entries)
        return _build(work, base, entries, _Text(message, author, at))


def revert_commit(
    repository: str, commit: str, head: str, *, message: str, author: str, at: datetime
) -> BuiltCommit:
    """Make a commit on `head` that takes back what `commit` changed, as a new action's effect.

    Raises `CannotBuild` when one of its files was changed again since, else as `build_commit`.
    """
    with scratch(Git(Deadline(BUILD_SECONDS))) as work:
        _see(work, repository, head)
        _see(work, repository, commit)
        before, *others = [*work.parents(commit), ""]
        if any(others):
            raise CannotBuild("a merge has two sides; which one to go back to is not said")
        _see(work, repository, before)
        old, done, now = (_entries(work, sha) for sha in (before, commit, head))
        touched = {path for path in old.keys() | done.keys() if old.get(path) != done.get(path)}
        moved = sorted(path for path in touched if now.get(path) != done.get(path))
        if moved:
            raise CannotBuild(f"changed again since, so not reverted: {', '.join(moved[:5])}")
        entries = {path: old.get(path) for path in touched}
        return _build(work, head, entries, _Text(message, author, at))


def _see(work: Scratch, repository: str, commit: str) -> None:
    """Make the commit and its files readable."""
    folder = Path(repository)
    for objects in (folder, folder / ".git"):
        if (objects / "objects").is_dir():
            work.borrow(objects.resolve())
            return
    if commit and not work.fetch(repository, commit, options=("--depth=1",)):
        raise GitFailed(f"the remote does not have {commit}")


def _entries(work: Scratch, commit: str) -> dict[str, Entry]:
    if not commit:
        return {}
    found: dict[str, Entry] = {}
    for line in work.git("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]:
        facts, path = line.split(b"\t", 1)
        mode, _, name = facts.decode().split()
        found[path.decode("utf-8", "surrogateescape")] = (mode, name)
    return found


def _new_entry(work: Scratch, path: str, content: bytes | None, old: Entry) -> Entry:
    mode = old[0] if old else REGULAR
    if mode not in EDITABLE:
        raise CannotBuild(f"{path!r} is not a file but another repository")
    if content is None and old is None:
        raise CannotBuild(f"{path!r} is to be removed and is not there")
    return None if content is None else (mode, work.write("blob", content))


def _refuse_clash(present: Iterable[str], entries: Mapping[str, Entry]) -> None:
    """Git would make room for a file where a folder is, or the reverse, by removing what is there."""
    written = {path for path, entry in entries.items() if entry}
    files = {path for path in present if path not in entries} | written
    for path in files:
        above = {str(folder) for folder in PurePosixPath(path).parents}
        clash = above & files
        if clash and (path in written or clash & written):
            raise CannotBuild(f"{path!r} cannot lie below the file {min(clash)!r}")


def _build(work: Scratch, base: str, entries: Mapping[str, Entry], text: _Text) -> BuiltCommit:
    tree = _tree(work, base, entries)
    if tree == (_tree_of(work, base) if base else NO_FILES):
        raise CannotBuild("nothing changes")
    commit = work.write("commit", text.commit(tree, base))
    change = size_of(file_changes(work, base or NO_FILES, commit))
    return BuiltCommit(commit=commit, base=base, change=change, pack=_pack(work, base, commit))


def _tree(work: Scratch, base: str, entries: Mapping[str, Entry]) -> str:
    # The index lives inside the scratch repository, where bare git looks for it.
    if base:
        work.git("read-tree", base)
    # Removals first: a file may give its name to a folder, or a folder to a file.
    rows = sorted(entries.items(), key=lambda item: (item[1] is not None, item[0]))
    lines = [_index_line(path, entry) for path, entry in rows]
    try:
        work.git("update-index", "-z", "--index-info", stdin=b"".join(lines))
        return work.git("write-tree").decode().strip()
    except GitFailed as error:
        raise CannotBuild(f"git does not take these paths: {error}") from error


def _index_line(path: str, entry: Entry) -> bytes:
    mode, name = entry or ("0", _NOTHING)
    if "\0" in path or not path:
        raise CannotBuild("a path is empty or has a NUL in it")
    return f"{mode} {name}\t{path}\0".encode("utf-8", "surrogateescape")


def _tree_of(work: Scratch, commit: str) -> str:
    return work.git("rev-parse", "--verify", f"{commit}^{{tree}}").decode().strip()


def _pack(work: Scratch, base: str, commit: str) -> bytes:
    """What is new, and of `base` the commit and the folders that change.

    With those git sees by itself, without asking the remote, what it need not send.
    """
    since = (f"^{base}",) if base else ()
    names = work.git("rev-list", "--objects", "--no-object-names", commit, *since).decode().split()
    if base:
        names += [base, _tree_of(work, base), *_changed_folders(work, base, commit)]
    packing = ("--no-reuse-delta", "--no-reuse-object", "--threads=1", "--quiet")
    return work.git("pack-objects", "--stdout", *packing, stdin="\n".join(names).encode() + b"\n")


def _changed_folders(work: Scratch, base: str, commit: str) -> list[str]:
    shown = work.git("diff-tree", "-r", "-t", "--no-renames", "--raw", "-z", base, commit)
    rows = [row.split() for row in shown.decode("utf-8", "replace").split("\0") if row[:1] == ":"]
    return [row[2] for row in rows if row[0] == f":{_TREE}"]
