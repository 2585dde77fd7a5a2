"""What a person sees of an untrusted text."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canonical.display import Clipped, Piece, clip, fit, is_plain, shown, told, visible, weight

# Default_Ignorable_Code_Point of Unicode, and blanks that are letters or symbols by category.
DEFAULT_IGNORABLE = [
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
]
BLANK = {0x2800, 0x16FE4, 0x1D159}
OPENING = 0x27E6
INVISIBLE = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs"}
LATER = set(range(0x13439, 0x13440))  # format characters of Unicode 15, younger than our Python


def has_no_ink(point: int) -> bool:
    if unicodedata.category(chr(point)) in INVISIBLE and point != 0x20:
        return True
    if point in BLANK or point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF:
        return True
    return any(first <= point <= last for first, last in DEFAULT_IGNORABLE)


def test_every_character_without_ink_is_marked_and_no_other() -> None:
    marked = {point for point in range(sys.maxunicode + 1) if not is_plain(chr(point))}
    expected = {point for point in range(sys.maxunicode + 1) if has_no_ink(point)}
    assert marked - expected - LATER == {OPENING}
    assert expected - marked == set()


@pytest.mark.parametrize(
    ("character", "mark", "name"),
    [
        ("\u202e", "⟦U+202E⟧", "RIGHT-TO-LEFT OVERRIDE"),
        ("\u2066", "⟦U+2066⟧", "LEFT-TO-RIGHT ISOLATE"),
        ("\u200b", "⟦U+200B⟧", "ZERO WIDTH SPACE"),
        ("\u200d", "⟦U+200D⟧", "ZERO WIDTH JOINER"),
        ("\ufeff", "⟦U+FEFF⟧", "ZERO WIDTH NO-BREAK SPACE"),
        ("\u00ad", "⟦U+00AD⟧", "SOFT HYPHEN"),
        ("\u00a0", "⟦U+00A0⟧", "NO-BREAK SPACE"),
        ("\u2028", "⟦U+2028⟧", "LINE SEPARATOR"),
        ("\U000e0100", "⟦U+E0100⟧", "VARIATION SELECTOR-17"),
        ("\U000e0041", "⟦U+E0041⟧", "TAG LATIN CAPITAL LETTER A"),
        ("\x1b", "⟦U+001B⟧", "ESCAPE"),
        ("\x01", "⟦U+0001⟧", "CONTROL CHARACTER"),
        ("\r", "⟦U+000D⟧", "CARRIAGE RETURN"),
        ("\0", "⟦U+0000⟧", "NULL"),
        ("\ud800", "⟦U+D800⟧", "LONE SURROGATE"),
        ("\ue000", "⟦U+E000⟧", "PRIVATE USE CHARACTER"),
        ("\ufdd0", "⟦U+FDD0⟧", "UNASSIGNED CHARACTER"),
    ],
)
def test_a_hidden_character_is_a_named_mark(character: str, mark: str, name: str) -> None:
    assert shown(f"a{character}b") == [
        Piece("a", "plain"),
        Piece(mark, "hidden", name),
        Piece("b", "plain"),
    ]


def test_ordinary_writing_is_untouched() -> None:
    for text in (
        "naïve café",
        "שלום עולם",
        "مرحبا",
        "東京",
        "e\u0301",
        "😀",
        "<b>&amp;",
        "{{ x }}",
    ):
        assert is_plain(text)
        assert visible(text) == text
        assert {piece.kind for piece in shown(text)} <= {"plain", "right_to_left"}


def test_words_from_right_to_left_are_kept_apart_from_what_stands_around_them() -> None:
    items = '"\u05d0\u05d1", 1, "\u05d2"'
    assert [piece.text for piece in shown(items) if piece.kind == "right_to_left"] == [
        "\u05d0\u05d1",
        "\u05d2",
    ]
    sentence = "\u05e9\u05dc\u05d5\u05dd, \u05e2\u05d5\u05dc\u05dd"
    assert shown(sentence) == [Piece(sentence, "right_to_left")]
    assert [piece.kind for piece in shown("\u05d0\u202e\u05d1")] == [
        "right_to_left",
        "hidden",
        "right_to_left",
    ]


def test_line_breaks_and_tabs_are_layout_only_where_lines_are() -> None:
    assert visible("a\n\tb") == "a⟦U+000A⟧⟦U+0009⟧b"
    assert visible("a\n\tb\r\n", lines=True) == "a\n\tb⟦U+000D⟧\n"
    assert is_plain("a\n\tb", lines=True)
    assert not is_plain("a\n\tb")
    assert not is_plain("a\rb", lines=True)


def test_a_text_cannot_fake_a_mark() -> None:
    assert visible("⟦U+202E⟧") == "⟦U+27E6⟧U+202E⟧"


def test_a_sentence_with_marked_parts_is_not_marked_twice() -> None:
    name = "p\u202ey \u27e6U+FFFFFF\u27e7"
    sentence = f"Send to {visible(name)}."
    assert "".join(piece.text for piece in told(sentence)) == sentence
    assert [piece.name for piece in told(sentence) if piece.kind == "hidden"] == [
        "RIGHT-TO-LEFT OVERRIDE",
        "MATHEMATICAL LEFT WHITE SQUARE BRACKET",
    ]
    forgotten = told(f"Send to {name}.")
    assert "".join(piece.text for piece in forgotten) == sentence


def test_an_empty_text_has_no_pieces() -> None:
    assert shown("") == []
    assert is_plain("")


odd = st.text(st.one_of(st.characters(), st.sampled_from("⟦⟧U+\n\t\u202e\u200b\ud800 ")))


@given(odd, st.booleans())
def test_what_is_shown_is_plain_apart_from_marks(text: str, lines: bool) -> None:
    pieces = shown(text, lines=lines)
    assert all(is_plain(piece.text, lines=lines) for piece in pieces if piece.kind == "plain")
    assert is_plain(text, lines=lines) == all(piece.kind != "hidden" for piece in pieces)
    assert all(piece.name for piece in pieces if piece.kind == "hidden")


@given(odd)
def test_two_texts_never_look_the_same(text: str) -> None:
    def unmark(piece: Piece) -> str:
        return chr(int(piece.text[3:-1], 16)) if piece.kind == "hidden" else piece.text

    assert "".join(map(unmark, shown(text))) == text
    parts = visible(text).split("⟦")
    back = parts[0] + "".join(
        chr(int(p[2 : p.index("⟧")], 16)) + p[p.index("⟧") + 1 :] for p in parts[1:]
    )
    assert back == text


@given(odd, st.integers(0, 30))
def test_nothing_is_cut_without_being_counted(text: str, limit: int) -> None:
    clipped = clip(text, limit)
    assert text.startswith(clipped.text)
    assert len(clipped.text) <= limit
    assert len(clipped.text) + clipped.cut == len(text)


def test_a_dangerous_tail_is_counted() -> None:
    assert clip("x" * 5_000 + "; rm -rf /", 100) == Clipped("x" * 100, 4_910)
    assert clip("short", 5) == Clipped("short", 0)


@given(odd, st.integers(0, 2_000))
def test_a_text_is_made_to_fit_a_page_and_the_rest_is_counted(text: str, most: int) -> None:
    fitting = fit(text, most)
    assert text.startswith(fitting.text)
    assert weight(fitting.text) <= most
    assert len(fitting.text) + fitting.cut == len(text)


def test_what_fits_is_not_cut() -> None:
    assert fit("a" * 100, 100) == Clipped("a" * 100, 0)
    assert fit("\u202e" * 100, 1_000).cut > 80


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        clip("x", -1)
