"""Where everything in a unified diff lies: read whole once, then shown file by file, by byte range."""

from dataclasses import dataclass, replace
from typing import Final

from canonical.agreement import Contradiction, of_file
from canonical.display import oddities
from canonical.errors import DiffError
from canonical.fileclasses import ClassSummary, FileClass, classes
from canonical.unified import FileDiff, parse_unified
from canonical.windows import Window, decoded, windows

_GIT: Final = b"diff --git "


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a diff; `number` counts from 1 in the order of the diff.

    `file` has no hunks: they are read from `windows`, which together are the file's bytes.
    `hidden` and `alike` count the odd characters of the file's bytes; `crlf` says that every line
    it shows ends with CR LF. `contradicts` says how what it shows is at odds with the bytes.
    """

    number: int
    file: FileDiff
    file_class: FileClass
    windows: tuple[Window, ...]
    rows: int
    hidden: int
    alike: int
    crlf: bool
    contradicts: Contradiction | None = None

    @property
    def span(self) -> tuple[int, int]:
        """The bytes of the file in the diff, the last not included."""
        return self.windows[0].from_byte, self.windows[-1].to_byte


@dataclass(frozen=True, slots=True)
class Outline:
    """A unified diff without its lines: `entries` in the order of the diff."""

    entries: tuple[Entry, ...]
    summaries: tuple[ClassSummary, ...]

    def unusual_first(self) -> list[Entry]:
        """The files by class, in the order a person should look at them."""
        order = {file_class: at for at, file_class in enumerate(FileClass)}
        return sorted(self.entries, key=lambda entry: (order[entry.file_class], entry.number))


def outline(diff: bytes) -> Outline:
    """Read a diff whole, each file once. Raises `DiffError` when it is not one.

    Each file's lines are let go before the next is read: a diff may hold millions.
    """
    spans = enumerate(_spans(diff), start=1)
    entries = [_entry(number, diff[start:end], start) for number, (start, end) in spans]
    summaries = tuple(classes(entry.file for entry in entries))
    class_of = {id(file): each.file_class for each in summaries for file in each.files}
    return Outline(
        tuple(replace(entry, file_class=class_of[id(entry.file)]) for entry in entries), summaries
    )


def _spans(diff: bytes) -> list[tuple[int, int]]:
    """Where each file lies. No line of a hunk begins with "diff --git": each begins with a sign."""
    if not diff:
        return []
    if not diff.startswith(_GIT):
        return [(0, len(diff))]
    starts, at = [0], diff.find(b"\n" + _GIT)
    while at != -1:
        starts.append(at + 1)
        at = diff.find(b"\n" + _GIT, at + 1)
    return list(zip(starts, [*starts[1:], len(diff)], strict=True))


def _entry(number: int, chunk: bytes, at: int) -> Entry:
    text = decoded(chunk)
    files = parse_unified(text)
    if len(files) != 1:
        raise DiffError(1, "holds more than one file where one was expected")
    file = files[0]
    rows = [row for hunk in file.hunks for row in hunk.rows if row.kind != "note"]
    crlf = bool(rows) and all(row.text.endswith("\r") for row in rows)
    # A name that git wrote in quotes is not in the text as it is read.
    names = [name for name in (file.old_name, file.new_name) if name and name not in text]
    lines = text.replace("\r\n", "\n") if crlf else text
    hidden, alike = oddities("\n".join([lines, *dict.fromkeys(names)]))
    return Entry(
        number=number,
        file=replace(file, hunks=()),
        file_class=FileClass.SOURCE,
        windows=windows(file.hunks, chunk, at=at),
        rows=sum(len(hunk.rows) for hunk in file.hunks),
        hidden=hidden,
        alike=alike,
        crlf=crlf,
        contradicts=of_file(file),
    )
