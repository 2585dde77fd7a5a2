"""What canonical JSON writes, reads and gives back."""

import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from canonical.json import CanonicalError, dumps, loads, normal
from tests.canonical.strategies import MAX_INT, values


def refused(text: bytes | str) -> CanonicalError:
    with pytest.raises(CanonicalError) as caught:
        loads(text)
    return caught.value


@given(values)
def test_bytes_are_those_of_rfc_8785(value: Any) -> None:
    assert dumps(value) == rfc8785.dumps(value)


@given(values)
def test_bytes_read_back_write_the_same_bytes(value: Any) -> None:
    data, again = normal(value)
    assert dumps(again) == data
    assert loads(data.decode()) == again


@given(values)
def test_what_is_read_back_is_a_fixed_point_in_types_too(value: Any) -> None:
    _, again = normal(value)
    assert repr(normal(again)[1]) == repr(again)


@given(values, st.booleans(), st.sampled_from([None, 1]))
def test_any_other_spelling_reads_as_the_same_value(
    value: Any, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert dumps(loads(text)) == dumps(value)


def test_keys_are_in_utf16_order() -> None:
    assert dumps({"\ue000": 1, "\U00010000": 2}) == '{"\U00010000":2,"\ue000":1}'.encode()
    assert dumps({"x": ["\U00010000"], "a": 1}) == '{"a":1,"x":["\U00010000"]}'.encode()


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (-0.0, b"0"),
        (1.0, b"1"),
        (1e-7, b"1e-7"),
        (1e-6, b"0.000001"),
        (0.5, b"0.5"),
        (1e21, b"1e+21"),
        (True, b"true"),
        (1, b"1"),
        ("\x7f/\x1f<", b'"\x7f/\\u001f<"'),
        ("\\u0000", b'"\\\\u0000"'),
        ("\\ud800", b'"\\\\ud800"'),
        (float(MAX_INT), b"9007199254740991"),
    ],
)
def test_one_value_has_one_spelling(value: object, data: bytes) -> None:
    assert normal(value)[0] == data


def test_whole_numbers_come_back_as_ints_however_written() -> None:
    assert repr(loads("[1.0, 1e3, -0.0, -0, 1E+2, 2.50e1]")) == "[1, 1000, 0, 0, 100, 25]"


def test_unicode_is_not_normalised() -> None:
    assert dumps({"e\u0301": "é", "a": "e\u0301"}) == '{"a":"e\u0301","e\u0301":"é"}'.encode()


def test_two_forms_of_one_key_are_refused_in_both_directions() -> None:
    with pytest.raises(CanonicalError, match="in two forms"):
        dumps({"items": [{"e\u0301": 1, "é": 2}]})
    assert refused('{"items":[{"e\u0301":1,"\\u00e9":2}]}').path == "/items/0/é"
    assert loads('[{"é":1},{"e\u0301":1}]') == [{"é": 1}, {"e\u0301": 1}]


def test_percent_and_plus_stay_apart() -> None:
    assert len({dumps(text) for text in ("a%2Bb", "a+b", "a b")}) == 3


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"amount":1,"amount":2}', "/amount"),
        ('{"amount":1,"\\u0061mount":1}', "/amount"),
        ('{"items":[0,{"a":1,"a":1}]}', "/items/1/a"),
        ('{"":1,"":1}', "/"),
    ],
)
def test_a_key_twice_is_refused(text: str, path: str) -> None:
    error = refused(text)
    assert error.path == path
    assert "twice" in error.reason


@pytest.mark.parametrize(
    "literal",
    [
        "9007199254740992",
        "9007199254740993",
        "-9007199254740992",
        "9007199254740993.0",
        "9007199254740992.0",
        "9007199254740993e0",
        "1e16",
        "1e20",
        "1E400",
        "-1e400",
        "1e-400",
        "0.1000000000000000055511151231257827",
        "4503599627370496.3",
        "1" * 5_000,
        "0." + "1" * 5_000,
        "1." + "0" * 5_000,
        "0." + "0" * 5_000 + "1",
        "1e-" + "9" * 90,
        "NaN",
        "Infinity",
        "-Infinity",
    ],
)
def test_a_number_that_would_change_is_refused(literal: str) -> None:
    error = refused('{"items":[0,{"n~/x":' + literal + "}]}")
    assert error.path == "/items/1/n~0~1x"
    assert literal not in str(error) or literal == "NaN"


@pytest.mark.parametrize("literal", ["0.10", "1e-7", "1.50", "0e9999999999", "5e-324", "1e21"])
def test_a_number_that_survives_is_read(literal: str) -> None:
    assert float(dumps(loads(literal))) == float(literal)


def test_numbers_of_which_two_spellings_differ_never_share_bytes() -> None:
    digests = {dumps(loads(text)) for text in ("9007199254740991", '"9007199254740991"')}
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        ('{"a":["\\ud800"]}', "/a/0", "surrogate"),
        ('{"a":["\\uDFFF x"]}', "/a/0", "surrogate"),
        ('{"a":["\ud800"]}', "", "UTF-8"),
        ('{"k\\ud800":1}', "/k\\ud800", "surrogate"),
        ('{"a":"\\u0000"}', "/a", "NUL"),
        ('{"a\\u0000":"x"}', "/a\\u0000", "NUL"),
        ('{"a":"\0"}', "", "not JSON"),
        (b'{"a":"\xed\xa0\x80"}', "", "UTF-8"),
        (b'"\xff"', "", "UTF-8"),
        (b'\xef\xbb\xbf{"a":1}', "", "byte order mark"),
        ('\ufeff{"a":1}', "", "byte order mark"),
        ('{"a":1}'.encode("utf-16"), "", "UTF-8"),
        ("", "", "not JSON"),
        ("{} {}", "", "not JSON"),
        ("[1,]", "", "not JSON"),
        ("{'a':1}", "", "not JSON"),
        ("01", "", "not JSON"),
        ("undefined", "", "not JSON"),
    ],
)
def test_a_text_no_store_can_hold_is_refused(text: bytes | str, path: str, words: str) -> None:
    error = refused(text)
    assert error.path == path
    assert words in error.reason


def test_a_pair_of_surrogate_escapes_is_one_character() -> None:
    assert loads('"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [101, 500, 100_000, 1_000_000])
def test_deep_input_is_refused_without_recursion(opening: str, depth: int) -> None:
    closing = "]" if opening == "[" else "}"
    assert "100 levels" in refused(opening * depth + "1" + closing * depth).reason


def test_a_hundred_levels_are_read_and_written() -> None:
    text = "[" * 100 + "]" * 100
    assert dumps(loads(text)) == text.encode()


def test_size_is_measured_in_bytes_and_told() -> None:
    assert dumps("é" * 4, limit=10) == '"éééé"'.encode()
    with pytest.raises(CanonicalError, match="is 12 bytes, over the limit of 10"):
        dumps("é" * 5, limit=10)
    with pytest.raises(CanonicalError, match="over the limit of 10"):
        normal(list(range(100)), limit=10)


def test_a_text_of_any_size_over_the_ceiling_is_not_parsed() -> None:
    assert "over the limit" in refused(b" " * (2**26 + 1)).reason


def test_the_canonicaliser_has_one_call_site() -> None:
    root = Path(__file__).parents[2]
    folders = [entry for entry in root.iterdir() if (entry / "__init__.py").is_file()]
    sources = [source for folder in folders for source in folder.rglob("*.py")]
    users = {str(s.relative_to(root)) for s in sources if "import rfc8785" in s.read_text()}
    assert users == {"canonical/json.py", "tests/canonical/test_json.py"}
