"""Showing untrusted text so that what a person sees is what the bytes say.

Nothing here escapes HTML: pieces go to a template, which does.
"""

import re
import unicodedata
from typing import Literal, NamedTuple

PieceKind = Literal["plain", "hidden"]

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
_MARKED_IN_LINES = re.compile(f"((?![\t\n])[{_HIDDEN}])")

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
    """A stretch of text as it may be shown; a hidden one is a mark, and `name` says of what."""

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
    pattern = _MARKED_IN_LINES if lines else _MARKED
    parts = pattern.split(text)
    # With one group, split alternates between plain text and what the group matched.
    pieces = [Piece(part, "plain") if n % 2 == 0 else _mark(part) for n, part in enumerate(parts)]
    return [piece for piece in pieces if piece.text]


def visible(text: str, *, lines: bool = False) -> str:
    """Return what `shown` shows as one string, for places without markup: mail, logs, exports."""
    return "".join(piece.text for piece in shown(text, lines=lines))


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


def _mark(character: str) -> Piece:
    return Piece(f"⟦U+{ord(character):04X}⟧", "hidden", _name(character))


def _name(character: str) -> str:
    known = _NAMES.get(ord(character)) or unicodedata.name(character, "")
    return known or _CATEGORIES.get(unicodedata.category(character), "UNASSIGNED CHARACTER")
