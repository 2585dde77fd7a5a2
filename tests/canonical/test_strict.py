"""Which Python values canonical JSON refuses, and that the fast look never lets one through."""

import datetime
import decimal
import enum
import uuid
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canonical.json import CanonicalError, dumps
from canonical.strict import check, looks_plain
from tests.canonical.strategies import leaves, texts


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Half(float):
    """A float as numerical libraries hand them out."""


odd = [
    (1, 2),
    b"bytes",
    {1},
    datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    decimal.Decimal(1),
    2**53,
    -(2**53),
    2**70,
    1j,
    float("nan"),
    float("inf"),
    float("-inf"),
    1e16,
    -1e20,
    "\ud800",
    "a\udfffb",
    "\0",
    "a\0b",
    {1: "x"},
    {None: 1},
    {True: 1},
    {("a",): 1},
    {"\0": 1},
    {"\ud800": 1},
    {"k" * 1_001: 1},
    uuid.UUID(int=0),
    Colour.RED,
    Level.LOW,
    Half(0.5),
    {Colour.RED: 1},
    OrderedDict(a=1),
    range(2),
    object(),
    print,
]

anything = st.recursive(
    st.one_of(leaves, st.sampled_from(odd), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner),
        st.dictionaries(st.one_of(texts, st.text(), st.integers()), inner, max_size=4),
    ),
    max_leaves=12,
)


def refusal(value: object) -> CanonicalError:
    with pytest.raises(CanonicalError) as caught:
        dumps(value)
    return caught.value


@pytest.mark.parametrize(
    "value", odd, ids=[f"{n}-{type(value).__name__}" for n, value in enumerate(odd)]
)
def test_an_odd_value_is_refused_with_its_path(value: object) -> None:
    assert refusal({"items": [0, {"name": value}]}).path.startswith("/items/1/name")


def test_the_message_names_path_and_reason() -> None:
    error = refusal({"items": [0, 1, 2, {"name": {1, 2}}]})
    assert error.path == "/items/3/name"
    assert str(error) == "at /items/3/name: is of type set, which is not JSON; convert it first"


def test_the_root_is_named_in_words() -> None:
    assert refusal(b"").path == ""
    assert str(refusal(b"")).startswith("at the root: is of type bytes")


@pytest.mark.parametrize(
    ("key", "path"),
    [("a/b~c", "/a~1b~0c"), ("", "/"), ("\0", "/\\u0000"), ("\ud800", "/\\ud800")],
)
def test_a_path_is_a_pointer_that_can_be_printed_and_stored(key: str, path: str) -> None:
    error = refusal({key: (1,)})
    assert error.path == path
    assert "\0" not in str(error)
    assert str(error).encode()


def test_a_long_key_is_cut_in_its_own_path() -> None:
    error = refusal({"k" * 1_000_000: 1})
    assert "1,000,000 characters, over the limit of 1,000" in error.reason
    assert len(str(error)) < 300
    assert dumps({"k" * 1_000: 1})


def test_a_long_path_is_cut_in_the_message_only() -> None:
    error = refusal({"k" * 900: (1,)})
    assert len(error.path) == 901
    assert "601 more characters of path" in str(error)


def test_no_message_quotes_a_value() -> None:
    for value in ("hunter2\0", decimal.Decimal("271828"), 271828 * 10**20, b"hunter2"):
        assert "hunter2" not in str(refusal({"password": value}))
        assert "271828" not in str(refusal({"password": value}))


def test_the_first_flaw_in_reading_order_is_named() -> None:
    assert refusal({"a": [1, [(1,)]], "b": (1,)}).path == "/a/1/0"


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_a_hundred_levels_are_allowed_and_no_more() -> None:
    assert dumps(nested(100)) == b"[" * 100 + b"]" * 100
    error = refusal(nested(101))
    assert error.path == "/0" * 100
    assert error.reason == "is nested deeper than 100 levels"
    assert refusal(nested(100_000)).reason == error.reason


def test_a_scalar_at_the_deepest_level_is_allowed() -> None:
    value = nested(100)
    inner = value
    while inner:
        inner = inner[0]
    inner.append(1)
    assert dumps(value) == b"[" * 100 + b"1" + b"]" * 100


def test_a_value_that_contains_itself_is_refused() -> None:
    ring: dict[str, Any] = {}
    ring["self"] = [ring]
    assert refusal(ring).reason == "is nested deeper than 100 levels"


def test_a_value_that_multiplies_is_refused_early() -> None:
    value: list[Any] = ["x"]
    for _ in range(60):
        value = [value, value]
    with pytest.raises(CanonicalError, match=r"over the limit of 10,000 bytes"):
        dumps(value, limit=10_000)


def flaw(value: object) -> str | None:
    try:
        check(value)
    except CanonicalError as error:
        return str(error)
    return None


@given(anything)
def test_the_fast_look_passes_only_what_the_rules_allow_texts_aside(value: Any) -> None:
    found = flaw(value) if looks_plain(value) else None
    assert found is None or "NUL" in found or "surrogate" in found


@given(anything)
def test_every_value_is_written_or_refused_by_name(value: Any) -> None:
    found = flaw(value)
    if found is None:
        assert dumps(value)
    else:
        assert str(refusal(value)) == found
