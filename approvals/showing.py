"""What a page shows of a change: all of it, in parts small enough to show, each with its counts.

The bytes are those the action hash is bound to; nothing here leaves any of them out without saying
how much.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from django.utils.translation import gettext as _

from canonical import digests
from canonical import json as canonical
from canonical.diffs import (
    Change,
    ClassSummary,
    FileClass,
    FileDiff,
    Hunk,
    Row,
    classes,
    json_changes,
    parse_unified,
)
from canonical.display import clip
from canonical.errors import CanonicalError, DiffError
from tenants.amounts import count

FILES_A_PAGE: Final = 40
ROWS_A_PAGE: Final = 1000
ROWS_OPEN: Final = 200
LONGEST_LINE: Final = 4000
TEXT_A_PART: Final = 60_000
CHANGES_SHOWN: Final = 200
VALUE_SHOWN: Final = 4000

_GIT: Final = b"diff --git "
BEFORE_AND_AFTER: Final = ({"before", "after"}, {"old", "new"})


@dataclass(frozen=True)
class Content:
    """Bytes that are known by their digest: equal digests, equal bytes."""

    digest: str
    content: bytes = field(compare=False, repr=False)

    @classmethod
    def of(cls, content: bytes) -> "Content":
        return cls(digests.sha256_hex(content), content)


@dataclass(frozen=True)
class FilePart:
    """One file of a diff; `number` counts from 1 in the order of the diff.

    `file` has no hunks of its own: `hunks` are those to show now, `left_out` counts the lines that
    are not among them, and `rest_from` is where to go on.
    """

    number: int
    file: FileDiff
    file_class: FileClass
    hunks: tuple[Hunk, ...] = ()
    rows: int = 0
    left_out: int = 0
    rest_from: int = 0
    is_open: bool = False


@dataclass(frozen=True)
class Outline:
    """A unified diff without its lines: classes, files with the class of each, where each lies."""

    summaries: tuple[ClassSummary, ...]
    files: tuple[tuple[int, FileDiff, FileClass], ...]
    chunks: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Text:
    """One part of a plain text: characters `first` to `last` of `total`, counted from 1.

    `crlf` says that every line ended with CR LF; the CR is not shown then.
    """

    text: str
    part: int
    parts: int
    first: int
    last: int
    total: int
    crlf: bool


@dataclass(frozen=True)
class JsonPart:
    """Differences between two JSON values as rows of `components/json_diff.html`."""

    changes: list[dict[str, str]]
    left_out: int


@lru_cache(maxsize=4)
def outline(diff: Content) -> Outline | None:
    """The files of a unified diff; None when it is not one, and must be shown as plain text.

    Remembered by digest: the content behind a digest never changes.
    """
    spans = _spans(diff.content)
    try:
        # Each file's lines are let go before the next is read: a diff may hold millions.
        light = [replace(_only_file(diff.content[a:b]), hunks=()) for a, b in spans]
    except DiffError:
        return None
    number_of = {id(file): number for number, file in enumerate(light, start=1)}
    summaries = classes(light)
    files = [
        (number_of[id(file)], file, summary.file_class)
        for summary in summaries
        for file in summary.files
    ]
    return Outline(tuple(summaries), tuple(files), tuple(spans))


def files_page(diff: Content, about: Outline, page: int) -> list[FilePart]:
    """The files of one page (counted from 1), unusual classes first; the first ones are open.

    Lines are read for open files only: as many files as fit into `ROWS_OPEN` lines.
    """
    start = (page - 1) * FILES_A_PAGE
    parts, room = [], ROWS_OPEN
    for number, file, file_class in about.files[start : start + FILES_A_PAGE]:
        changed = file.added + file.removed
        if changed > room or room <= 0:
            room = 0
            parts.append(FilePart(number, file, file_class))
            continue
        part = file_part(diff, about, number)
        room -= part.rows
        parts.append(replace(part, is_open=True))
    return parts


def file_part(diff: Content, about: Outline, number: int, first: int = 0) -> FilePart:
    """One file with at most `ROWS_A_PAGE` of its lines from line `first` on. IndexError: no such."""
    if number < 1:
        raise IndexError(number)
    start, end = about.chunks[number - 1]
    whole = _only_file(diff.content[start:end])
    light, file_class = next((file, kind) for at, file, kind in about.files if at == number)
    rows = sum(len(hunk.rows) for hunk in whole.hunks)
    hunks = _window(whole.hunks, first, ROWS_A_PAGE)
    shown = min(max(rows - first, 0), ROWS_A_PAGE)
    return FilePart(
        number,
        light,
        file_class,
        hunks=hunks,
        rows=rows,
        left_out=rows - shown,
        rest_from=first + shown if first + shown < rows else 0,
    )


def differing_files(saw: Outline, saw_diff: Content, now: Outline, now_diff: Content) -> list[str]:
    """Names of the files about which two diffs do not say the same, in order."""
    before, after = by_name(saw, saw_diff), by_name(now, now_diff)
    names = before.keys() | after.keys()
    return sorted(name for name in names if before.get(name) != after.get(name))


def text_part(content: bytes, part: int = 1) -> Text:
    """One part of a text (counted from 1), cut between characters, never within what is counted."""
    text = decoded(content)
    crlf = "\n" in text and text.count("\r\n") == text.count("\n") == text.count("\r")
    if crlf:
        text = text.replace("\r\n", "\n")
    parts = max(1, -(-len(text) // TEXT_A_PART))
    part = min(max(part, 1), parts)
    first = (part - 1) * TEXT_A_PART
    piece = text[first : first + TEXT_A_PART]
    return Text(piece, part, parts, first + 1 if piece else 0, first + len(piece), len(text), crlf)


def json_part(content: bytes, by: str = "") -> JsonPart | None:
    """What a JSON diff says, by path and by whom; None when the bytes are not strict JSON.

    An object of exactly *before* and *after* (or *old* and *new*) is a comparison; any other value
    is shown whole, as what would be put in.
    """
    try:
        value: Any = canonical.loads(content)
        old, new = _pair(value)
        return json_rows(json_changes(old, new), by)
    except CanonicalError:
        return None


def json_rows(changes: Sequence[Change], by: str = "") -> JsonPart:
    """The first differences as rows, and how many more there are."""
    rows = [_json_row(change, by) for change in changes[:CHANGES_SHOWN]]
    return JsonPart(rows, max(0, len(changes) - CHANGES_SHOWN))


def bounded(hunks: Sequence[Hunk]) -> tuple[Hunk, ...]:
    """The first lines of some hunks, as many as a page shows; long ones with what was cut."""
    return _window(hunks, 0, ROWS_A_PAGE)


def decoded(content: bytes) -> str:
    """The text of some bytes; a byte that is not UTF-8 becomes a mark when it is shown."""
    return content.decode("utf-8", "surrogateescape")


def _spans(text: bytes) -> list[tuple[int, int]]:
    """Where each file lies. No line of a hunk begins with "diff --git": each begins with a sign."""
    if not text:
        return []
    if not text.startswith(_GIT):
        return [(0, len(text))]
    starts, at = [0], text.find(b"\n" + _GIT)
    while at != -1:
        starts.append(at + 1)
        at = text.find(b"\n" + _GIT, at + 1)
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def _only_file(chunk: bytes) -> FileDiff:
    files = parse_unified(decoded(chunk))
    if len(files) != 1:
        raise DiffError(1, "holds more than one file where one was expected")
    return files[0]


def _window(hunks: Sequence[Hunk], first: int, most: int) -> tuple[Hunk, ...]:
    shown, skip = [], first
    for hunk in hunks:
        rows = hunk.rows[skip : skip + most]
        skip = max(0, skip - len(hunk.rows))
        if rows:
            shown.append(replace(hunk, rows=tuple(_fitting(rows))))
            most -= len(rows)
        if most <= 0:
            break
    return tuple(shown)


def _fitting(rows: Sequence[Row]) -> Iterator[Row]:
    """A line too long to be shown is followed by a note of how much of it is not."""
    for row in rows:
        shown, cut = clip(row.text, LONGEST_LINE)
        yield row._replace(text=shown)
        if cut:
            said = _("%(n)s more characters of this line are only in the whole diff as text")
            yield Row("note", None, None, said % {"n": count(cut)})


def by_name(about: Outline, diff: Content) -> dict[str, bytes]:
    """The part of a diff that is about each file."""
    return {
        file.name: diff.content[slice(*about.chunks[number - 1])]
        for number, file, _kind in about.files
    }


def _pair(value: Any) -> tuple[Any, Any]:
    if isinstance(value, dict) and set(value) in BEFORE_AND_AFTER:
        names = ("before", "after") if "before" in value else ("old", "new")
        return value[names[0]], value[names[1]]
    empty: Any = [] if isinstance(value, list) else {}
    return empty, value


def _json_row(change: Change, by: str) -> dict[str, str]:
    return {
        "path": change.path or "/",
        "kind": change.kind,
        "old": "" if change.kind == "added" else _json_text(change.old),
        "new": "" if change.kind == "removed" else _json_text(change.new),
        "by": by,
    }


def _json_text(value: Any) -> str:
    shown, cut = clip(canonical.dumps(value).decode(), VALUE_SHOWN)
    more = _("… (%(n)s more characters)") % {"n": count(cut)}
    return shown + more if cut else shown
