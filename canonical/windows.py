"""Cutting one file of a diff into windows: what one page shows of it, by byte range.

All windows of a file together are its bytes, in order, so whoever opened all of them was shown all.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple

from canonical.digests import sha256_hex
from canonical.display import weight
from canonical.errors import DiffError
from canonical.unified import Hunk, Row, RowKind, read_rows

WINDOW_BYTES: Final = 20_000  # of a page, about: see `display.weight`
ROW_BYTES: Final = 100  # what stands around the text of a row
_PIECE: Final = 16_000  # characters


class Stretch(NamedTuple):
    """Rows of one hunk that follow each other; `old` and `new` number the first of them.

    `starts` says that the line with @@ stands before them.
    """

    rows: int
    old: int
    new: int
    section: str
    starts: bool


class Piece(NamedTuple):
    """Characters `first` to `last` of a line of `length`, counted from 1."""

    kind: RowKind
    old_no: int | None
    new_no: int | None
    first: int
    last: int
    length: int


@dataclass(frozen=True, slots=True)
class Window:
    """Bytes `from_byte` to `to_byte` (not included) of a diff, and how to read them.

    `header` counts the lines before the first row. With `piece`, all it shows is a piece of a line
    too long for one page.
    """

    from_byte: int
    to_byte: int
    digest: str
    header: int
    stretches: tuple[Stretch, ...]
    piece: Piece | None = None

    @property
    def rows(self) -> int:
        """How many lines of the file are in it; a line in pieces counts where it begins."""
        if self.piece:
            return int(self.piece.first == 1)
        return sum(stretch.rows for stretch in self.stretches)


def windows(hunks: tuple[Hunk, ...], chunk: bytes, *, at: int) -> tuple[Window, ...]:
    """Cut a file's bytes, which begin at byte `at` of the diff and were read as these hunks."""
    text = decoded(chunk)
    rows = sum(len(hunk.rows) for hunk in hunks)
    lines = text.count("\n") + (not text.endswith("\n"))
    cutter = _Cutter(chunk, at, header=lines - rows - len(hunks))
    if weight(text) + rows * ROW_BYTES <= WINDOW_BYTES:  # most files: nothing to cut
        cutter.stretches = [
            Stretch(len(hunk.rows), hunk.old_start, hunk.new_start, hunk.section, starts=True)
            for hunk in hunks
        ]
        return cutter.done()
    cutter.ends = list(accumulate(len(line) + 1 for line in chunk.split(b"\n")))
    number = cutter.header
    for hunk in hunks:
        cutter.take(hunk, number)
        number += 1 + len(hunk.rows)
    return cutter.done()


def read(window: Window, content: bytes) -> tuple[Hunk, ...]:
    """The rows of a window, from exactly its bytes. Raises `DiffError` when they are others."""
    if sha256_hex(content) != window.digest:
        raise DiffError(1, "is not what was read before")
    lines = decoded(content).removesuffix("\n").split("\n")
    if window.piece:
        return (_piece_of_line(window, window.piece, lines),)
    at, found = window.header, []
    for stretch in window.stretches:
        at += stretch.starts
        rows = read_rows(lines[at : at + stretch.rows], stretch.old, stretch.new)
        found.append(Hunk(stretch.old, stretch.new, stretch.section, rows))
        at += stretch.rows
    return tuple(found)


def decoded(content: bytes) -> str:
    """The text of some bytes; a byte that is not UTF-8 becomes a mark when it is shown."""
    return content.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """The bytes `decoded` made a text of."""
    return text.encode("utf-8", "surrogateescape")


def pieces(text: str) -> Iterator[str]:
    """Cut a text into pieces that fit a page each, at the end of a line where there is one."""
    at, size = 0, _PIECE
    while at < len(text):
        piece = text[at : at + size]
        if size > 1 and weight(piece) > WINDOW_BYTES:
            size //= 2
            continue
        end = piece.rfind("\n", len(piece) // 2) + 1
        if end and at + len(piece) < len(text):
            piece = piece[:end]
        yield piece
        # Grown step by step: of a text of nothing but marks, each piece would be tried many times.
        at, size = at + len(piece), min(size * 2, _PIECE)


@dataclass(slots=True)
class _Cutter:
    """`ends` is where each line ends; `cut` is where the window being filled begins."""

    chunk: bytes
    at: int
    header: int
    ends: list[int] = field(default_factory=list)
    cut: int = 0
    weight: int = 0
    stretches: list[Stretch] = field(default_factory=list)
    found: list[Window] = field(default_factory=list)

    def take(self, hunk: Hunk, line: int) -> None:
        """`line` is the number, from 0, of the line with @@, which goes with the rows after it."""
        old, new, since = hunk.old_start, hunk.new_start, 0
        stretch = Stretch(0, old, new, hunk.section, starts=True)
        for at, row in enumerate(hunk.rows):
            heavy = weight(row.text) + ROW_BYTES
            if self.weight + heavy > WINDOW_BYTES:
                self.end_before(stretch, at - since, line + at + 1)
                stretch, since = Stretch(0, old, new, hunk.section, starts=at == 0), at
            self.weight += heavy
            if heavy > WINDOW_BYTES:
                self.take_in_pieces(row, line + at + 1, stretch)
                since = at + 1
            old += row.old_no is not None
            new += row.new_no is not None
            if heavy > WINDOW_BYTES:
                stretch = Stretch(0, old, new, hunk.section, starts=False)
        self.stretches.append(stretch._replace(rows=len(hunk.rows) - since))

    def end_before(self, stretch: Stretch, rows: int, line: int) -> None:
        if rows:
            self.stretches.append(stretch._replace(rows=rows))
        if self.stretches:
            self.flush(self.ends[line - 1 - (stretch.starts and not rows)])

    def take_in_pieces(self, row: Row, line: int, stretch: Stretch) -> None:
        begins = self.ends[line - 1] + 1  # after the sign
        last = 0
        for text in pieces(row.text):
            first, last = last + 1, last + len(text)
            begins += len(encoded(text))
            end = self.ends[line] if last == len(row.text) else begins
            piece = Piece(row.kind, row.old_no, row.new_no, first, last, len(row.text))
            self.stretches = [stretch._replace(rows=1)]
            self.flush(min(end, len(self.chunk)), piece)

    def flush(self, end: int, piece: Piece | None = None) -> None:
        content = self.chunk[self.cut : end]
        self.found.append(
            Window(
                self.at + self.cut,
                self.at + end,
                sha256_hex(content),
                self.header,
                tuple(self.stretches),
                piece,
            )
        )
        self.cut, self.header, self.weight, self.stretches = end, 0, 0, []

    def done(self) -> tuple[Window, ...]:
        if self.stretches or not self.found:
            self.flush(len(self.chunk))
        return tuple(self.found)


def _piece_of_line(window: Window, piece: Piece, lines: list[str]) -> Hunk:
    stretch = window.stretches[0]
    # The first piece stands behind the header, the line with @@ and the sign of its row.
    text = lines[window.header + stretch.starts][1:] if piece.first == 1 else lines[0]
    row = Row(piece.kind, piece.old_no, piece.new_no, text)
    return Hunk(stretch.old, stretch.new, stretch.section, (row,))
