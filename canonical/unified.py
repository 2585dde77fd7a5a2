"""Reading a unified diff of git into files, hunks and rows: whole, or not at all.

A person approves what these rows show, so a line that is not understood is an error, never
skipped. Time grows with the length of the diff, whatever it says.
"""

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from canonical.errors import DiffError
from canonical.gitnames import BadName, header_names, plain_name, unquoted

RowKind = Literal["context", "added", "removed", "note"]
Status = Literal["changed", "added", "deleted", "renamed", "copied"]
Names: TypeAlias = tuple[str | None, str | None]

_GIT = "diff --git "
_HUNK = re.compile(
    r"@@ -([0-9]{1,10})(?:,([0-9]{1,10}))? \+([0-9]{1,10})(?:,([0-9]{1,10}))? @@ ?(.*)", re.DOTALL
)
_BINARY_LINE = re.compile(r"(?:literal|delta) [0-9]+|[A-Za-z][!-~]+|")
_IGNORED_HEADERS = ("index ", "similarity index ", "dissimilarity index ")
_HEADERS = {
    "old mode ": "old_mode",
    "new mode ": "new_mode",
    "new file mode ": "created",
    "deleted file mode ": "deleted",
    "rename from ": "renamed_from",
    "rename to ": "target",
    "copy from ": "copied_from",
    "copy to ": "target",
}


class Row(NamedTuple):
    """One line of a hunk; a "note" is git's remark that the line before has no line feed.

    Numbers count from 1 in the old and the new file, None where the line is not in it. `text`
    keeps a carriage return.
    """

    kind: RowKind
    old_no: int | None
    new_no: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """A stretch of lines; `section` is the text git puts behind the second @@, often a function."""

    old_start: int
    new_start: int
    section: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What happens to one file; a name or mode is None where the file is not or nothing is said.

    Modes are git's ("100644", "100755" executable, "120000" link, "160000" submodule). A binary
    file has no hunks, and its counts are 0. `blobs` are git's names of both contents, "" where it
    says none.
    """

    old_name: str | None
    new_name: str | None
    status: Status
    old_mode: str | None
    new_mode: str | None
    binary: bool
    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    blobs: tuple[str, str] = ("", "")

    @property
    def name(self) -> str:
        """The name after the change, or the last one it had."""
        return self.new_name or self.old_name or ""

    @property
    def mode_changed(self) -> bool:
        """Whether an existing file changes its mode."""
        modes = (self.old_mode, self.new_mode)
        return None not in modes and self.old_mode != self.new_mode


def parse_unified(diff: str) -> list[FileDiff]:
    """Return the files of a diff, in order; of an empty diff none.

    Reads what `git diff` writes with its a/ and b/ prefixes, and bare ---/+++ diffs. Raises
    `DiffError` with the line for anything else, a text before the first file included.
    """
    cursor = _Cursor(diff.removesuffix("\n").split("\n") if diff else [])
    files = []
    try:
        while not cursor.at_end():
            files.append(_file(cursor))
    except BadName as error:
        raise cursor.error(str(error)) from None
    return files


def read_rows(lines: list[str], old: int, new: int) -> tuple[Row, ...]:
    """Return lines of a hunk as rows, the first being line `old` of the old file and `new` of the new.

    For a stretch of a diff that `parse_unified` has read whole before. Raises `DiffError`.
    """
    cursor, rows = _Cursor(lines), []
    while not cursor.at_end():
        rows.append(_row(cursor, old, new))
        old += rows[-1].old_no is not None
        new += rows[-1].new_no is not None
        cursor.at += 1
    return tuple(rows)


@dataclass(slots=True)
class _Cursor:
    lines: list[str]
    at: int = 0

    def at_end(self) -> bool:
        return self.at >= len(self.lines)

    def line(self) -> str:
        return "" if self.at_end() else self.lines[self.at]

    def header(self) -> str:
        # A name with a carriage return is quoted, so a bare one only means CRLF line ends.
        return self.line().removesuffix("\r")

    def error(self, reason: str) -> DiffError:
        return DiffError(min(self.at, len(self.lines) - 1) + 1, reason)


@dataclass(slots=True)
class _Draft:
    names: Names = (None, None)
    values: dict[str, str] = field(default_factory=dict)
    binary: bool = False

    def status(self) -> Status:
        if "renamed_from" in self.values:
            return "renamed"
        if "copied_from" in self.values:
            return "copied"
        if self.names[0] is None:
            return "added"
        return "deleted" if self.names[1] is None else "changed"


def _file(cursor: _Cursor) -> FileDiff:
    if cursor.line().startswith(_GIT):
        return _git_file(cursor)
    if cursor.line().startswith("--- "):
        return _finished(_Draft(), cursor)
    raise cursor.error("belongs to no file")


def _git_file(cursor: _Cursor) -> FileDiff:
    draft = _Draft(header_names(cursor.header().removeprefix(_GIT)) or (None, None))
    cursor.at += 1
    while not cursor.at_end() and _header(cursor, draft):
        cursor.at += 1
    _name_by_headers(draft)
    _binary(cursor, draft)
    return _finished(draft, cursor)


def _header(cursor: _Cursor, draft: _Draft) -> bool:
    line = cursor.header()
    if line.startswith(_IGNORED_HEADERS):
        # "index a..b 100644" is where git says the mode of a file whose mode stays.
        if line.startswith("index "):
            draft.values["blobs"] = line.split(" ")[1]
        if line.startswith("index ") and line.count(" ") > 1:
            draft.values["mode"] = line.rsplit(" ", 1)[1]
        return True
    for start, name in _HEADERS.items():
        if line.startswith(start):
            draft.values[name] = line.removeprefix(start)
            return True
    return False


def _name_by_headers(draft: _Draft) -> None:
    said = draft.values
    source = said.get("renamed_from") or said.get("copied_from")
    if source and "target" in said:
        draft.names = (unquoted(source), unquoted(said["target"]))
    if "created" in said:
        draft.names = (None, draft.names[1])
    if "deleted" in said:
        draft.names = (draft.names[0], None)


def _binary(cursor: _Cursor, draft: _Draft) -> None:
    line = cursor.header()
    if line.startswith("Binary files ") and line.endswith(" differ"):
        draft.binary = True
        cursor.at += 1
    elif line == "GIT binary patch":
        draft.binary = True
        cursor.at += 1
        while not cursor.at_end() and _BINARY_LINE.fullmatch(cursor.header()):
            cursor.at += 1


def _finished(draft: _Draft, cursor: _Cursor) -> FileDiff:
    if not draft.binary and cursor.line().startswith("--- "):
        draft.names = _names(cursor)
    hunks = []
    while cursor.line().startswith("@@ "):
        hunks.append(_hunk(cursor))
    if draft.names == (None, None):
        raise cursor.error("ends a file without a name")
    rows = [row.kind for hunk in hunks for row in hunk.rows]
    said = draft.values
    return FileDiff(
        old_name=draft.names[0],
        new_name=draft.names[1],
        status=draft.status(),
        old_mode=said.get("old_mode") or said.get("deleted") or said.get("mode"),
        new_mode=said.get("new_mode") or said.get("created") or said.get("mode"),
        binary=draft.binary,
        hunks=tuple(hunks),
        added=rows.count("added"),
        removed=rows.count("removed"),
        blobs=_blobs(said.get("blobs", "")),
    )


def _blobs(said: str) -> tuple[str, str]:
    old, _dots, new = said.partition("..")
    return old, new


def _names(cursor: _Cursor) -> Names:
    old = plain_name(cursor.header().removeprefix("--- "), "a/")
    cursor.at += 1
    if not cursor.line().startswith("+++ "):
        raise cursor.error("should name the new file, with +++")
    new = plain_name(cursor.header().removeprefix("+++ "), "b/")
    cursor.at += 1
    return old, new


def _hunk(cursor: _Cursor) -> Hunk:
    found = _HUNK.fullmatch(cursor.header())
    if not found:
        raise cursor.error("is not the head of a hunk")
    old, old_count, new, new_count = (int(number or 1) for number in found.groups()[:4])
    cursor.at += 1
    rows = _rows(cursor, (old, new), (old + old_count, new + new_count))
    return Hunk(old, new, found[5], rows)


def _rows(cursor: _Cursor, start: tuple[int, int], end: tuple[int, int]) -> tuple[Row, ...]:
    """Read rows until both files are at their end: the counts say where a hunk stops, because a
    removed line "-- x" looks like the head of a file."""
    rows: list[Row] = []
    old, new = start
    while (old, new) != end or cursor.line().startswith("\\ "):
        row = _row(cursor, old, new)
        rows.append(row)
        old += row.old_no is not None
        new += row.new_no is not None
        if old > end[0] or new > end[1]:
            raise cursor.error("is more than its hunk announces")
        cursor.at += 1
    return tuple(rows)


def _row(cursor: _Cursor, old: int, new: int) -> Row:
    line = cursor.line()
    if cursor.at_end():
        raise cursor.error("is the last, but its hunk announces more")
    sign, text = line[:1], line[1:]
    if sign == "+":
        return Row("added", None, new, text)
    if sign == "-":
        return Row("removed", old, None, text)
    if sign == "\\":
        return Row("note", None, None, text.strip())
    if sign in ("", " "):  # some mailers strip the blank of an empty line
        return Row("context", old, new, text)
    raise cursor.error("is no line of a hunk")
