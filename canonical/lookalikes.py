"""Letters that pass for other letters: which characters of a text are not what they look like.

A table of the usual ones, not of all: a warning beside the text, never a filter.
"""

# ruff: noqa: RUF001 - the table is made of what that rule warns of

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

# Letters of other scripts that look like a Latin letter in common typefaces, below it.
_TWINS: Final = (
    ("аеорсухѕіјԁԛԝһӏүкАВЕКМНОРСТУХЅІЈԚԜԌҮӀЗ", "aeopcyxsijdqwhlykABEKMHOPCTYXSIJQWGYI3"),
    ("ονριαυγκϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ", "ovpiauykcjABEZHIKMNOPTYXCJ"),
    ("օսոհցզՏՕՍԼ", "ounhgqSOUL"),
    ("ᎪᏴᏟᎠᎬᎻᎫᏦᏞᎷᏢᏚᎢᏙᏔᏃ", "ABCDEHJKLMPSTVWZ"),
)
TWIN: Final = {
    ord(odd): plain for odds, plains in _TWINS for odd, plain in zip(odds, plains, strict=True)
}

# What no text needs where the plain sign is meant: signs that end a statement or part an address,
# Latin letters of phonetics, and whole alphabets made to look like the plain one.
_ALWAYS: Final = {
    0x037E: ";",
    0x2024: ".",
    0x2044: "/",
    0x2215: "/",
    0x29F8: "/",
    0x2236: ":",
    0xA789: ":",
    0x01C3: "!",
    0x0251: "a",
    0x0261: "g",
    0x01C0: "l",
    0x2E40: "=",
}
_STYLED: Final = "\uff01-\uff5e\U0001d400-\U0001d7ff"
_CANDIDATE: Final = re.compile(
    f"[{_STYLED}{''.join(map(chr, _ALWAYS))}]|[{''.join(map(chr, TWIN))}]"
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:[\d_]*[^\W\d_]+)*")


class LookAlike(NamedTuple):
    """One character at a place of a text, the plain one it passes for, and its Unicode name."""

    at: int
    like: str
    name: str


def found(text: str) -> list[LookAlike]:
    """Return the characters of a text that pass for plain ones, in order.

    A letter of another script counts where its word also has Latin letters, or where its word is
    made of nothing but such letters in a text without other words of its script: ordinary Russian
    or Greek is left alone.
    """
    if text.isascii() or not _CANDIDATE.search(text):
        return []
    always = [
        LookAlike(place.start(), _plain(place[0]), _name(place[0]))
        for place in _CANDIDATE.finditer(text)
        if ord(place[0]) not in TWIN
    ]
    return sorted([*always, *_in_words(text)])


def _in_words(text: str) -> Iterator[LookAlike]:
    words = [(word.start(), word[0]) for word in _WORD.finditer(text) if not word[0].isascii()]
    natural = {script for _at, word in words for script in _beyond(word)}
    for at, word in words:
        if not any(ord(letter) in TWIN for letter in word):
            continue
        mixed = any(_is_latin(letter) for letter in word)
        for offset, letter in enumerate(word):
            if ord(letter) in TWIN and (mixed or _script(letter) not in natural):
                yield LookAlike(at + offset, TWIN[ord(letter)], _name(letter))


def _beyond(word: str) -> set[str]:
    """The scripts a word is really written in: those of its letters that look like no Latin one."""
    if any(_is_latin(letter) for letter in word):
        return set()
    return {_script(letter) for letter in word if ord(letter) not in TWIN}


def _is_latin(letter: str) -> bool:
    return letter.isascii() or _script(letter) == "LATIN"


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").split(" ", 1)[0]


def _plain(sign: str) -> str:
    return _ALWAYS.get(ord(sign)) or unicodedata.normalize("NFKC", sign)


def _name(sign: str) -> str:
    return unicodedata.name(sign, f"U+{ord(sign):04X}")
