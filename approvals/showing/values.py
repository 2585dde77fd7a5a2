"""Texts and structured values as pages show them: whole, in parts, each part with its counts.

The bytes are those the action hash is bound to; nothing here leaves any of them out without saying
how much.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from canonical import agreement, digests
from canonical import json as canonical
from canonical.agreement import Contradiction
from canonical.diffs import Change, json_changes, json_type
from canonical.display import fit, weight
from canonical.errors import CanonicalError
from canonical.labels import label, reordered
from canonical.windows import WINDOW_BYTES, decoded, encoded, pieces

__all__ = [
    "Content",
    "JsonPart",
    "Text",
    "decoded",
    "json_part",
    "json_rows",
    "text_part",
]

VALUE_BYTES: Final = 4000  # of a page: see `display.weight`
ROW_BYTES: Final = 260  # what stands around the values of a row
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
class Text:
    """One part of a plain text: characters `first` to `last` of `total`, counted from 1.

    They are bytes `from_byte` to `to_byte` of it. `crlf` says that every line ended with CR LF; the
    CR is not shown then, but counted.
    """

    text: str
    part: int
    parts: int
    first: int
    last: int
    total: int
    crlf: bool
    from_byte: int
    to_byte: int


@dataclass(frozen=True)
class JsonPart:
    """Differences between two JSON values as rows of `components/json_diff.html`.

    They are `first` to `last` of `total`, on page `page` of `pages`; `left_out` are on none of
    this page. `compares` is False for one value shown whole.
    """

    changes: list[dict[str, Any]]
    left_out: int
    first: int = 0
    last: int = 0
    total: int = 0
    page: int = 1
    pages: int = 1
    compares: bool = True


def text_part(content: bytes, part: int = 1) -> Text:
    """One part of a text (counted from 1), cut between characters, never within what is counted."""
    text = decoded(content)
    crlf = ends_with_crlf(text)
    places = spans(Content.of(content))
    part = min(max(part, 1), len(places))
    first, last, from_byte, to_byte = places[part - 1]
    piece = text[first:last]
    return Text(
        text=piece.replace("\r", "") if crlf else piece,
        part=part,
        parts=len(places),
        first=first + 1 if piece else 0,
        last=last,
        total=len(text),
        crlf=crlf,
        from_byte=from_byte,
        to_byte=to_byte,
    )


def json_part(content: bytes, by: str = "", page: int = 1) -> JsonPart | None:
    """What a JSON diff says, by path and by whom; None when the bytes are not strict JSON.

    An object of exactly *before* and *after* (or *old* and *new*) is a comparison; any other value
    is shown whole, leaf by leaf, as what would be put in.
    """
    found = _compared(Content.of(content))
    if found is None:
        return None
    return _page(found.changes, by, page, compares=found.compares, lists=found.reordered)


def contradiction(content: bytes) -> Contradiction | None:
    """How the differences of a JSON diff are at odds with its bytes; None for what is no JSON."""
    try:
        old, new, _compares = _pair(canonical.loads(content))
        return agreement.of_values(old, new)
    except CanonicalError:
        return None


def json_rows(changes: Sequence[Change], by: str = "") -> JsonPart:
    """The first differences as rows, and how many more there are."""
    return _page(_leaves(changes), by, 1, compares=True)


def json_values(content: bytes, number: int) -> tuple[str, str, str] | None:
    """Path and both values of one difference (counted from 1), whole; None when there is none."""
    found = _compared(Content.of(content))
    if found is None or not 1 <= number <= len(found.changes):
        return None
    change = found.changes[number - 1]
    return change.path, *_texts(change)


def clipped_values(content: bytes) -> list[int]:
    """The numbers of the differences that no page shows whole: each has a page of its own."""
    found = _compared(Content.of(content))
    return (
        []
        if found is None
        else [n for n, row in enumerate(found.changes, 1) if _row(row, "", n)["cut"]]
    )


def json_pages(content: bytes) -> int:
    """How many pages the differences take."""
    found = _compared(Content.of(content))
    return 0 if found is None else len(_cuts(found.changes))


def ends_with_crlf(text: str) -> bool:
    """Whether every line ends with CR LF, and no CR is anywhere else."""
    return "\n" in text and text.count("\r\n") == text.count("\n") == text.count("\r")


@lru_cache(maxsize=8)
def spans(content: Content) -> tuple[tuple[int, int, int, int], ...]:
    """For each part of a text: where its characters begin and end, and where its bytes do."""
    found, at, byte = [], 0, 0
    for piece in pieces(decoded(content.content)):
        size = len(encoded(piece))
        found.append((at, at + len(piece), byte, byte + size))
        at, byte = at + len(piece), byte + size
    return tuple(found) or ((0, 0, 0, 0),)


class _Compared(NamedTuple):
    changes: list[Change]
    compares: bool
    reordered: frozenset[str]


@lru_cache(maxsize=4)
def _compared(content: Content) -> _Compared | None:
    try:
        value: Any = canonical.loads(content.content)
        old, new, compares = _pair(value)
        changes = json_changes(old, new)
        if agreement.of_values(old, new) is not None:  # shown as its text then, and nobody approves
            return None
    except CanonicalError:
        return None
    return _Compared(_leaves(changes), compares, frozenset(reordered(old, new)))


def _pair(value: Any) -> tuple[Any, Any, bool]:
    if isinstance(value, dict) and set(value) in BEFORE_AND_AFTER:
        names = ("before", "after") if "before" in value else ("old", "new")
        return value[names[0]], value[names[1]], True
    empty: Any = [] if isinstance(value, list) else {}
    return empty, value, False


def _leaves(changes: Sequence[Change]) -> list[Change]:
    """What is added or removed as a whole, leaf by leaf, so that each value is read by itself."""
    return [leaf for change in changes for leaf in _opened(change)]


def _opened(change: Change) -> Iterator[Change]:
    value = change.new if change.kind == "added" else change.old
    if change.kind not in {"added", "removed"} or not isinstance(value, dict | list) or not value:
        yield change
        return
    # An empty container beside it, of the same type: then only what it holds is different.
    empty: Any = type(value)()
    both = (empty, value) if change.kind == "added" else (value, empty)
    for inner in json_changes(*both):
        yield from _opened(Change(change.path + inner.path, inner.kind, inner.old, inner.new))


def _page(
    changes: Sequence[Change],
    by: str,
    page: int,
    *,
    compares: bool,
    lists: frozenset[str] = frozenset(),
) -> JsonPart:
    cuts = _cuts(changes)
    page = min(max(page, 1), len(cuts))
    first, last = cuts[page - 1]
    rows = [
        _row(change, by, number) for number, change in enumerate(changes[first:last], first + 1)
    ]
    for row in rows:
        if row["path"].rpartition("/")[0] in lists and not row["label"]:
            row["label"] = "order"
    return JsonPart(
        changes=rows,
        left_out=len(changes) - len(rows),
        first=first + 1 if rows else 0,
        last=last,
        total=len(changes),
        page=page,
        pages=len(cuts),
        compares=compares,
    )


def _cuts(changes: Sequence[Change]) -> list[tuple[int, int]]:
    cuts, first, room = [], 0, WINDOW_BYTES
    for number, change in enumerate(changes):
        values = sum(min(weight(text), VALUE_BYTES) for text in _texts(change))
        heavy = ROW_BYTES + values + min(weight(change.path), VALUE_BYTES)
        if heavy > room and number > first:
            cuts.append((first, number))
            first, room = number, WINDOW_BYTES
        room -= heavy
    return [*cuts, (first, len(changes))]


def _row(change: Change, by: str, number: int) -> dict[str, Any]:
    path = fit(change.path, VALUE_BYTES)
    old, new = (fit(text, VALUE_BYTES) for text in _texts(change))
    return {
        "number": number,
        "path": path.text,
        "kind": change.kind,
        "old": old.text,
        "new": new.text,
        "old_type": "" if change.kind == "added" else json_type(change.old),
        "new_type": "" if change.kind == "removed" else json_type(change.new),
        "label": _label(change),
        "cut": path.cut + old.cut + new.cut,
        "by": by,
    }


def _label(change: Change) -> str:
    if change.kind in {"added", "removed"}:
        return ""
    return label(change.old, change.new) or ("type" if change.kind == "type_changed" else "")


def _texts(change: Change) -> tuple[str, str]:
    return _old_text(change), _new_text(change)


def _old_text(change: Change) -> str:
    return "" if change.kind == "added" else canonical.dumps(change.old).decode()


def _new_text(change: Change) -> str:
    return "" if change.kind == "removed" else canonical.dumps(change.new).decode()
