"""The files of a diff as pages show them: which of them, which are open, and the lines of one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from django.utils.translation import gettext as _

from approvals.showing.values import Content
from canonical import outlines
from canonical.diffs import Hunk, Row
from canonical.display import clip
from canonical.errors import DiffError
from canonical.labels import text_label
from canonical.outlines import Entry, Outline
from canonical.sides import pairs
from canonical.unified import RowKind
from canonical.windows import ROW_BYTES, Piece, read
from tenants.amounts import count

FILES_A_PAGE: Final = 24
OPEN_BYTES: Final = 13_000  # of a page, about: so much of it is lines of open files
FILES_A_LONG_PAGE: Final = 200
LONG_BYTES: Final = 400_000  # of a long page, on which all files are open
MARK_BYTES: Final = 100
ROWS_BOUNDED: Final = 1000
LONGEST_LINE: Final = 4000


class ShownRow(NamedTuple):
    """A line as it is shown; `label` says in what alone it differs from the line it replaces."""

    kind: RowKind
    old_no: int | None
    new_no: int | None
    text: str
    label: str = ""


class Beside(NamedTuple):
    """A line of the old file and a line of the new one, side by side."""

    old: ShownRow | None
    new: ShownRow | None


@dataclass(frozen=True)
class ShownHunk:
    """A stretch of lines, one below the other (`rows`) or side by side (`beside`)."""

    old_start: int
    new_start: int
    section: str
    rows: list[ShownRow]
    beside: list[Beside]


@dataclass(frozen=True)
class FilePart:
    """Windows of one file from `window` (counted from 1; 0: the file is closed) through `through`.

    `before` and `left_out` count the lines before and after those shown. `piece` is set when all
    that is shown is a piece of one line.
    """

    entry: Entry
    window: int = 0
    through: int = 0
    hunks: tuple[ShownHunk, ...] = ()
    before: int = 0
    left_out: int = 0
    piece: Piece | None = None

    @property
    def is_open(self) -> bool:
        return self.window > 0

    @property
    def windows(self) -> range:
        """Those that are shown."""
        return range(self.window, self.through + 1) if self.is_open else range(0)


@lru_cache(maxsize=4)
def outline(diff: Content) -> Outline | None:
    """The files of a unified diff; None when it is not one, and must be shown as plain text.

    Remembered by digest: the content behind a digest never changes.
    """
    try:
        return outlines.outline(diff.content)
    except DiffError:
        return None


def files_page(
    diff: Content, entries: Sequence[Entry], page: int, view: str = ""
) -> list[FilePart]:
    """The files of one page (counted from 1); those are open of which all lines fit.

    When none would be, the first is, with what fits of it: a page shows something of a change.
    """
    start = (page - 1) * FILES_A_PAGE
    shown, room = entries[start : start + FILES_A_PAGE], OPEN_BYTES
    parts = []
    for entry in shown:
        heavy = _heavy(entry) * (2 if view else 1)
        fits = heavy <= room
        room -= heavy if fits else 0
        parts.append(file_part(diff, entry, 1, view) if fits else FilePart(entry))
    if parts and not any(part.is_open for part in parts):
        parts[0] = file_part(diff, shown[0], 1, view)
    return parts


def whole_pages(entries: Sequence[Entry], view: str = "") -> list[list[Entry]]:
    """The files cut into long pages, of which all are open."""
    pages: list[list[Entry]] = [[]]
    room = LONG_BYTES
    for entry in entries:
        heavy = min(_weight(entry) * (2 if view else 1), LONG_BYTES)
        if pages[-1] and (heavy > room or len(pages[-1]) == FILES_A_LONG_PAGE):
            pages.append([])
            room = LONG_BYTES
        pages[-1].append(entry)
        room -= heavy
    return pages


def whole_file(diff: Content, entry: Entry, view: str = "") -> FilePart:
    """A file with all of its windows; one too long even for a long page with the first of them."""
    first = file_part(diff, entry, 1, view)
    pieces = any(at.piece for at in entry.windows)
    if pieces or _weight(entry) * (2 if view else 1) > LONG_BYTES:
        return first
    others = [file_part(diff, entry, at, view) for at in range(2, len(entry.windows) + 1)]
    hunks = [hunk for part in (first, *others) for hunk in part.hunks]
    return replace(first, through=len(entry.windows), hunks=tuple(hunks), left_out=0)


def file_part(diff: Content, entry: Entry, window: int, view: str = "") -> FilePart:
    """One window of a file (counted from 1). Raises IndexError when there is no such."""
    if not 1 <= window <= len(entry.windows):
        raise IndexError(window)
    at = entry.windows[window - 1]
    return of_bytes(entry, window, diff.content[at.from_byte : at.to_byte], view)


def of_bytes(entry: Entry, window: int, content: bytes, view: str = "") -> FilePart:
    """The same from the bytes of the window alone. Raises `DiffError` when they are others."""
    at = entry.windows[window - 1]
    before = sum(each.rows for each in entry.windows[: window - 1])
    return FilePart(
        entry,
        window,
        window,
        hunks=tuple(_shown(hunk, entry, view) for hunk in read(at, content)),
        before=before,
        left_out=entry.rows - before - at.rows,
        piece=at.piece,
    )


def differing_files(saw: Outline, saw_diff: Content, now: Outline, now_diff: Content) -> list[str]:
    """Names of the files about which two diffs do not say the same, in order."""
    before, after = by_name(saw, saw_diff), by_name(now, now_diff)
    names = before.keys() | after.keys()
    return sorted(name for name in names if before.get(name) != after.get(name))


def by_name(about: Outline, diff: Content) -> dict[str, bytes]:
    """The part of a diff that is about each file."""
    return {entry.file.name: diff.content[slice(*entry.span)] for entry in about.entries}


def bounded(hunks: Sequence[Hunk]) -> tuple[Hunk, ...]:
    """The first lines of some hunks, as many as a page shows; long ones with what was cut."""
    shown, room = [], ROWS_BOUNDED
    for hunk in hunks:
        rows = hunk.rows[:room]
        room -= len(rows)
        if rows:
            shown.append(Hunk(hunk.old_start, hunk.new_start, hunk.section, tuple(_fitting(rows))))
    return tuple(shown)


def _heavy(entry: Entry) -> int:
    """Its weight on an ordinary page; one in several windows is too heavy to be open there."""
    return OPEN_BYTES + 1 if len(entry.windows) > 1 else _weight(entry)


def _weight(entry: Entry) -> int:
    """About how many bytes of page a file takes."""
    start, end = entry.span
    marks = (entry.hidden + entry.alike) * MARK_BYTES
    return (end - start) + entry.rows * ROW_BYTES + marks


def _shown(hunk: Hunk, entry: Entry, view: str) -> ShownHunk:
    rows = hunk.rows
    if entry.crlf:
        rows = tuple(row._replace(text=row.text.removesuffix("\r")) for row in rows)
    beside = list(pairs(rows))
    labels = {id(pair.new): _label(pair.old, pair.new) for pair in beside if pair.new}
    made = {id(row): ShownRow(*row, labels.get(id(row), "")) for row in rows}
    return ShownHunk(
        hunk.old_start,
        hunk.new_start,
        hunk.section,
        rows=list(made.values()),
        beside=[Beside(made.get(id(old)), made.get(id(new))) for old, new in beside]
        if view
        else [],
    )


def _label(old: Row | None, new: Row | None) -> str:
    if old is None or new is None or (old.kind, new.kind) != ("removed", "added"):
        return ""
    return text_label(old.text, new.text) or ""


def _fitting(rows: Sequence[Row]) -> Iterator[Row]:
    """A line too long to be shown is followed by a note of how much of it is not."""
    for row in rows:
        shown, cut = clip(row.text, LONGEST_LINE)
        yield row._replace(text=shown)
        if cut:
            said = _("%(n)s more characters of this line are only in the whole diff as text")
            yield Row("note", None, None, said % {"n": count(cut)})
