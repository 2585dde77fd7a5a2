"""A letter that passes for another is told, and ordinary writing is left alone."""

# ruff: noqa: RUF001 - look-alikes are what this is about

import pytest

from canonical import lookalikes
from canonical.display import Piece, oddities, shown


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("g\u0456thub.com", "i"),  # Cyrillic i in a Latin word
        ("\u0440\u0430\u0443\u0440\u0430l", "paypa"),
        ("\u0440\u0430\u0443\u0440\u0430.example", "paypa"),  # a whole word, all Cyrillic
        ("\u03a1ay", "P"),  # Greek Rho
        ("\uff41dmin", "a"),  # full width
        ("\U0001d41admin", "a"),  # mathematical bold
        ("example.com\u2215path", "/"),
        ("f(x)\u037e", ";"),
        ("b\u0251nk", "a"),
    ],
)
def test_a_letter_that_passes_for_a_plain_one_is_found(text: str, like: str) -> None:
    assert "".join(each.like for each in lookalikes.found(text)) == like
    assert [text[each.at] for each in lookalikes.found(text)] == [
        piece.text for piece in shown(text) if piece.kind == "alike"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "naïve café, ß, ø, ł",
        "Привет, соседи: рос хор",
        "Καλημέρα κόσμε",
        "ΔT = λx",
        "東京Tokyo",
        "שלום",
        "3 µm",
    ],
)
def test_ordinary_writing_is_left_alone(text: str) -> None:
    assert lookalikes.found(text) == []
    assert oddities(text)[1] == 0


def test_a_look_alike_is_named_and_stays_the_character_it_is() -> None:
    assert shown("g\u0456t") == [
        Piece("g", "plain"),
        Piece("\u0456", "alike", "CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I"),
        Piece("t", "plain"),
    ]
