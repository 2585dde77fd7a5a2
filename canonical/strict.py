"""What may stand in canonical JSON: the rules in one walk that names paths, and a fast look."""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import NoneType
from typing import Any, TypeAlias

from canonical.errors import CanonicalError

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAX_INT = 2**53 - 1
MAX_DEPTH = 100
MAX_KEY = 1_000
MAX_SIZE = 2**26  # 64 MiB: nothing larger is ever one value, whatever the caller allows

# From here on a float is written with an exponent, so it is no integer literal to a reader.
EXPONENT_FROM = 1e21
# Between these two neither Python nor RFC 8785 writes an exponent.
PYTHON_PLAIN_FROM, PYTHON_EXPONENT_FROM = 1e-4, 1e16

TOO_DEEP = f"is nested deeper than {MAX_DEPTH} levels"
TOO_BIG = "is an integer outside ±(2^53 - 1), where two numbers share one double"
NOT_FINITE = "is NaN or infinite, which JSON has no words for"

_LEAVES = frozenset((str, bool, NoneType))
_TORN = re.compile("[\ud800-\udfff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_KEY_SHOWN = 60

# A place is how a value was reached: (place of its container, key or index); None is the root.
_Place: TypeAlias = "tuple[_Place, str | int] | None"


@dataclass(frozen=True, slots=True)
class Flaw:
    """Stands in a parsed value where the parser met something we refuse, until its path is known."""

    reason: str
    key: str | None = None


def check(value: object, most: int = MAX_SIZE) -> None:
    """Raise `CanonicalError` for the first thing in reading order that canonical JSON refuses.

    More than `most` values are refused too: a value that contains itself many times is small in
    memory and endless on paper. Uses no recursion, so it holds at any depth of the caller.
    """
    left = most
    todo: list[tuple[object, _Place, int]] = [(value, None, 0)]
    while todo:
        node, place, depth = todo.pop()
        left -= 1
        if left < 0:
            reason = f"holds more than {most:,} values, so it is over the limit of {most:,} bytes"
            raise CanonicalError("", reason)
        if depth >= MAX_DEPTH and type(node) in (dict, list):
            raise CanonicalError(pointer(place), TOO_DEEP)
        children = list(_children(node, place))
        todo += [(child, where, depth + 1) for child, where in reversed(children)]


def looks_plain(value: object, most: int = MAX_SIZE) -> bool:
    """True when types, ranges, keys, depth and count are beyond doubt; False means: `check` it.

    Leaves only the contents of strings unseen. The hot path of every commit.
    """
    level: list[Any] = [[value]]
    for _ in range(MAX_DEPTH + 1):
        deeper: list[Any] = []
        for node in level:
            if not _plain_items(_values(node), deeper):
                return False
        if not deeper:
            return True
        most -= sum(map(len, deeper))
        if most < 0:
            return False
        level = deeper
    return False


def has_astral_key(value: object) -> bool:
    """Whether a key holds a character above U+FFFF: only then UTF-16 order is not Python's."""
    todo = [value]
    while todo:
        node = todo.pop()
        if type(node) is dict:
            if any(map(_ASTRAL.search, node)):
                return True
            todo += node.values()
        elif type(node) is list:
            todo += node
    return False


def refused_float(number: float) -> str | None:
    """Why a float cannot be kept, or None. `-0.0` and `1.0` can: they are 0 and 1."""
    if not math.isfinite(number):
        return NOT_FINITE
    if MAX_INT < abs(number) < EXPONENT_FROM and number.is_integer():
        return TOO_BIG
    return None


def pointer(place: _Place) -> str:
    """The JSON pointer of a place."""
    parts = []
    while place is not None:
        parts.append("/" + (shown_key(place[1]) if isinstance(place[1], str) else str(place[1])))
        place = place[0]
    return "".join(reversed(parts))


def shown_key(key: str) -> str:
    """One key as a part of a JSON pointer, printable and storable even when it is refused."""
    if len(key) > MAX_KEY:
        key = f"{key[:_KEY_SHOWN]}…({len(key):,} characters)"
    escaped = key.replace("~", "~0").replace("/", "~1").replace("\0", "\\u0000")
    return escaped.encode("utf-8", "backslashreplace").decode()


def _children(node: object, place: _Place) -> Iterator[tuple[object, _Place]]:
    if type(node) is dict:
        for key, value in node.items():
            _check_key(key, place)
            yield value, (place, key)
        _check_forms(node, place)
    elif type(node) is list:
        for index, value in enumerate(node):
            yield value, (place, index)
    elif reason := _refused_leaf(node):
        if isinstance(node, Flaw) and node.key is not None:
            place = (place, node.key)
        raise CanonicalError(pointer(place), reason)


def _check_key(key: object, place: _Place) -> None:
    if type(key) is not str:
        raise CanonicalError(pointer(place), f"has a key of type {_kind(key)}; keys are strings")
    if len(key) > MAX_KEY:
        length = f"is a key of {len(key):,} characters, over the limit of {MAX_KEY:,}"
        raise CanonicalError(pointer((place, key)), length)
    if reason := _refused_text(key):
        raise CanonicalError(pointer((place, key)), f"is a key that {reason}")


def _check_forms(keys: Iterable[str], place: _Place) -> None:
    """Two members whose keys differ in the form of a letter only: nobody can tell which is meant."""
    seen: set[str] = set()
    for key in keys:
        form = unicodedata.normalize("NFC", key)
        if form in seen:
            raise CanonicalError(pointer((place, key)), "is a key twice, in two forms of a letter")
        seen.add(form)


def _refused_leaf(leaf: object) -> str | None:
    if type(leaf) is str:
        return _refused_text(leaf)
    if type(leaf) is int:
        return None if -MAX_INT <= leaf <= MAX_INT else TOO_BIG
    if type(leaf) is float:
        return refused_float(leaf)
    if isinstance(leaf, Flaw):
        return leaf.reason
    if leaf is None or type(leaf) is bool:
        return None
    return f"is of type {_kind(leaf)}, which is not JSON; convert it first"


def _refused_text(text: str) -> str | None:
    if "\0" in text:
        return "contains NUL (U+0000)"
    if _TORN.search(text):
        return "contains a lone surrogate, which no UTF-8 can carry"
    return None


def _kind(value: object) -> str:
    return type(value).__qualname__


def _values(node: Any) -> Iterable[Any] | None:  # the type of a node is what is asked here
    if type(node) is not dict:
        return node  # type: ignore[no-any-return]  # a list: nothing else is ever put in a level
    for key in node:
        # Beyond ASCII two keys may be one to a reader: `check` looks.
        if type(key) is not str or len(key) > MAX_KEY or not key.isascii():
            return None
    return node.values()


def _plain_items(items: Iterable[Any] | None, deeper: list[Any]) -> bool:
    if items is None:
        return False
    for item in items:
        kind = type(item)
        if kind in _LEAVES:
            continue
        if kind is dict or kind is list:
            deeper.append(item)
        elif not ((kind is int and -MAX_INT <= item <= MAX_INT) or _plain_float(item)):
            return False
    return True


def _plain_float(item: object) -> bool:
    """Floats that Python and RFC 8785 write alike: no exponent on either side, no ".0"."""
    if type(item) is not float or item.is_integer():
        return False
    return PYTHON_PLAIN_FROM <= abs(item) < PYTHON_EXPONENT_FROM
