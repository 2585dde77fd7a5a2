"""The folders of a change: what lies in each, level by level or all at once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from canonical.outlines import Entry


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that holds changed files, at any depth below it.

    `path` ends with a slash; `name` is what of it is below the folder it is listed in: folders that
    hold nothing but one folder are one line ("src/main/java/"). `odd` counts its files with hidden
    or look-alike characters.
    """

    path: str
    name: str
    files: int
    added: int
    removed: int
    odd: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a whole tree; `entry` is None for a folder, `folder` for a file."""

    depth: int
    name: str
    folder: Folder | None
    entry: Entry | None


def within(entries: Iterable[Entry], folder: str) -> list[Entry]:
    """The files at any depth below a folder ("" is all of them), in the given order."""
    return [entry for entry in entries if entry.file.name.startswith(folder)]


def folders(entries: Iterable[Entry], folder: str = "") -> list[Folder]:
    """The folders right below a folder, by name; of files outside it nothing."""
    found: dict[str, list[Entry]] = {}
    for entry in within(entries, folder):
        first, slash, _rest = entry.file.name[len(folder) :].partition("/")
        if slash:
            found.setdefault(f"{folder}{first}/", []).append(entry)
    return [_folder(folder, members) for _path, members in sorted(found.items())]


def whole(entries: list[Entry], folder: str = "", depth: int = 0) -> Iterator[Line]:
    """All folders and files below a folder, folders first. For changes of few files."""
    for each in folders(entries, folder):
        yield Line(depth, each.name, each, None)
        yield from whole(within(entries, each.path), each.path, depth + 1)
    for entry in sorted(within(entries, folder), key=lambda entry: entry.file.name):
        rest = entry.file.name[len(folder) :]
        if "/" not in rest:
            yield Line(depth, rest, None, entry)


def _folder(above: str, members: list[Entry]) -> Folder:
    path = _shared([entry.file.name for entry in members])
    return Folder(
        path=path,
        name=path[len(above) :],
        files=len(members),
        added=sum(entry.file.added for entry in members),
        removed=sum(entry.file.removed for entry in members),
        odd=sum(bool(entry.hidden or entry.alike) for entry in members),
    )


def _shared(names: list[str]) -> str:
    """The deepest folder that all of these are in: what the first and the last by name share, all do."""
    first, last = (name.split("/")[:-1] for name in (min(names), max(names)))
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    return "".join(f"{part}/" for part in first[:same])
