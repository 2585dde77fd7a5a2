"""Showing untrusted text so that what a person sees is what the bytes say.

Nothing here escapes HTML: pieces go to a template, which does.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from canonical import lookalikes

PieceKind = Literal["plain", "hidden", "alike", "right_to_left"]

# Ranges of what has no ink of its own or moves what stands beside it: controls, format and bidi
# characters, private use, lone surrogates, separators, every space but U+0020, noncharacters,
# the default-ignorable, and blanks that Unicode counts as letters or symbols. Written out because
# asking unicodedata about every code point would cost each process start 0.1 seconds; a test
# compares the list with unicodedata. U+27E6 is here so that a text cannot fake a mark.
_HIDDEN = (
    "\x00-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    "\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u27e6\u2800\u3000\u3164"
    "\ud800-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U00016fe4\U0001bca0-\U0001bca3\U0001d159"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
) + "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0xF0000, 0x10000)
)

_MARKED = re.compile(f"([{_HIDDEN}])")
# The same without line feed and tab, as one class: a look-ahead at every character costs seconds.
_HIDDEN_IN_LINES = _HIDDEN.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f", 1)
_MARKED_IN_LINES = re.compile(f"([{_HIDDEN_IN_LINES}])")

# Words written from right to left. Each run is shown apart from what stands around it, so that the
# order of runs is that of the text: without, `"\u05d0", 1, "\u05d1"` shows its items the wrong way round.
# A run goes on over the signs of prose, not over digits, quotes or brackets.
_RIGHT = f"(?:(?![{_HIDDEN}])[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff])+"
_RUN = f"(?P<run>{_RIGHT}(?:[ ,.'-]+{_RIGHT})*)"
_SPECIAL = re.compile(f"(?P<hidden>[{_HIDDEN}])|{_RUN}")
_SPECIAL_IN_LINES = re.compile(f"(?P<hidden>[{_HIDDEN_IN_LINES}])|{_RUN}")

# A mark as `visible` writes it, of a character there is.
_MARK = re.compile(r"(⟦U\+(?:[0-9A-F]{4}|[1-9A-F][0-9A-F]{4}|10[0-9A-F]{4})⟧)")
# Bytes of a mark beyond those of its text, at most, as `tenants.templatetags.kedge` writes it.
_MARK_BYTES: Final = 96

_NAMES = {
    0x00: "NULL",
    0x07: "BELL",
    0x08: "BACKSPACE",
    0x09: "CHARACTER TABULATION",
    0x0A: "LINE FEED",
    0x0B: "LINE TABULATION",
    0x0C: "FORM FEED",
    0x0D: "CARRIAGE RETURN",
    0x1B: "ESCAPE",
    0x7F: "DELETE",
    0x85: "NEXT LINE",
}
_CATEGORIES = {
    "Cc": "CONTROL CHARACTER",
    "Co": "PRIVATE USE CHARACTER",
    "Cs": "LONE SURROGATE",
}


class Piece(NamedTuple):
    """A stretch of text as it may be shown.

    A "hidden" one is a mark, and `name` says of what. An "alike" one is a character that passes for
    a plain one: `name` is its own. A "right_to_left" one is to be kept apart from its neighbours.
    """

    text: str
    kind: PieceKind
    name: str = ""


class Clipped(NamedTuple):
    """The beginning of a text, and how many characters of it were left out (0: none)."""

    text: str
    cut: int


def shown(text: str, *, lines: bool = False) -> list[Piece]:
    """Return the pieces of a text, in order, every invisible character as a mark like ⟦U+202E⟧.

    With `lines`, line feeds and tabs are layout and stay plain; without, they are marked too, so
    that a name cannot fake a second line. Two different texts never look the same: a "⟦" of the
    text itself is a mark as well.
    """
    if text.isascii():
        parts = (_MARKED_IN_LINES if lines else _MARKED).split(text)
        # With one group, split alternates between plain text and what the group matched.
        pieces = [
            Piece(part, "plain") if n % 2 == 0 else _mark(part) for n, part in enumerate(parts)
        ]
        return [piece for piece in pieces if piece.text]
    return list(_pieces(text, _SPECIAL_IN_LINES if lines else _SPECIAL))


def visible(text: str, *, lines: bool = False) -> str:
    """Return what `shown` shows as one string, for places without markup: mail, logs, exports."""
    return "".join(piece.text for piece in shown(text, lines=lines))


def told(sentence: str) -> list[Piece]:
    """Return the pieces of a sentence of ours: as `shown` with lines, but marks stay what they are.

    For sentences whose untrusted parts went through `visible`, and for those where that was
    forgotten. A text can fake a mark here, and hide nothing by it: show texts with `shown`.
    """
    parts = _MARK.split(sentence)
    marked = [
        [Piece(part, "hidden", _name(chr(int(part[3:-1], 16))))]
        if n % 2
        else shown(part, lines=True)
        for n, part in enumerate(parts)
    ]
    return [piece for pieces in marked for piece in pieces]


def is_plain(text: str, *, lines: bool = False) -> bool:
    """Whether a text shows as itself, without a mark."""
    return not (_MARKED_IN_LINES if lines else _MARKED).search(text)


def clip(text: str, limit: int) -> Clipped:
    """Return at most `limit` characters of a text and the count of those left out.

    Clip first and mark afterwards: a mark is then never cut in half.
    """
    if limit < 0:
        raise ValueError(f"a limit of {limit} characters is negative")
    return Clipped(text[:limit], max(0, len(text) - limit))


def fit(text: str, most: int) -> Clipped:
    """Return a beginning of a text that takes at most `most` bytes of a page (see `weight`)."""
    size = min(len(text), most)
    while weight(text[:size]) > most:
        size = size * 3 // 4
    return clip(text, size)


def oddities(text: str) -> tuple[int, int]:
    """How many hidden characters and how many look-alikes a text of lines has."""
    return len(_MARKED_IN_LINES.findall(text)), len(lookalikes.found(text))


def weight(text: str) -> int:
    """About how many bytes a line of text takes on a page, at most: escaped, marked, in UTF-8."""
    heavy = sum(map(text.count, "&<>\"'")) * len("&quot;")
    if text.isascii():
        hidden = 0 if text.isprintable() else len(_MARKED_IN_LINES.findall(text))
        return len(text) + heavy + hidden * _MARK_BYTES
    special = sum(1 for _each in _SPECIAL_IN_LINES.finditer(text)) + len(lookalikes.found(text))
    return len(text.encode("utf-8", "surrogatepass")) + heavy + special * _MARK_BYTES


def _pieces(text: str, special: re.Pattern[str]) -> Iterator[Piece]:
    alike = deque(lookalikes.found(text))
    at = 0
    for place in special.finditer(text):
        yield from _between(text, (at, place.start()), alike)
        run = place["run"]
        yield Piece(run, "right_to_left") if run else _mark(place[0])
        at = place.end()
    yield from _between(text, (at, len(text)), alike)


def _between(
    text: str, span: tuple[int, int], alike: deque[lookalikes.LookAlike]
) -> Iterator[Piece]:
    at, end = span
    # Look-alikes are few and in order: those before this span were given out already.
    while alike and alike[0].at < end:
        each = alike.popleft()
        if each.at < at:
            continue
        if each.at > at:
            yield Piece(text[at : each.at], "plain")
        yield Piece(text[each.at], "alike", each.name)
        at = each.at + 1
    if at < end:
        yield Piece(text[at:end], "plain")


def _mark(character: str) -> Piece:
    return Piece(f"⟦U+{ord(character):04X}⟧", "hidden", _name(character))


def _name(character: str) -> str:
    known = _NAMES.get(ord(character)) or unicodedata.name(character, "")
    return known or _CATEGORIES.get(unicodedata.category(character), "UNASSIGNED CHARACTER")
