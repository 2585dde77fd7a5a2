"""Canonical JSON (RFC 8785), strict in both directions: one value, one sequence of bytes.

What is refused, always with its path: what JSON cannot say (other types, subclasses, NaN,
infinity), what two readers understand differently (duplicate keys, also in two forms of one letter,
integers outside ±(2^53 - 1), decimal literals with more digits than a double keeps), and what a
store cannot hold (NUL, lone surrogates). Strings are kept as they are: no Unicode normalisation.
"""

import json
import re
from decimal import Decimal
from typing import Any

import rfc8785

from canonical.errors import CanonicalError
from canonical.strict import (
    MAX_INT,
    MAX_SIZE,
    TOO_BIG,
    TOO_DEEP,
    Flaw,
    Json,
    check,
    has_astral_key,
    looks_plain,
    refused_float,
)

__all__ = ["CanonicalError", "Json", "dumps", "loads", "loads_object", "normal"]

MAX_LITERAL = 100  # characters of one number; canonical ones have at most 25
INT_LITERAL = len(str(-MAX_INT))

_BOM = "\ufeff"
_ASTRAL_BYTES = re.compile(rb"[\xf0-\xf4]")
_ENCODER = json.JSONEncoder(
    ensure_ascii=False,
    check_circular=False,  # the walk before bounds the depth
    allow_nan=False,
    sort_keys=True,
    separators=(",", ":"),
)


def dumps(value: object, *, limit: int | None = None) -> bytes:
    """Return the canonical bytes of a value, at most `limit` of them.

    Raises `CanonicalError`. `1.0` is written as 1 and `-0.0` as 0: the value is what the bytes
    say, so hand on what `normal` returns, not what you passed in.
    """
    most = MAX_SIZE if limit is None else min(limit, MAX_SIZE)
    data = _encoded(value, most)
    if len(data) > most:
        raise CanonicalError("", f"is {len(data):,} bytes, over the limit of {most:,}")
    return data


def loads(data: bytes | str) -> Json:
    """Return the value of a JSON text, or raise `CanonicalError`.

    A number with a fraction or an exponent must survive: its double, written in canonical form,
    has to denote the same decimal number. So `0.10` and `1e3` are read, `9007199254740993.0`,
    `0.1000000000000000055` and `1e-400` are refused. A whole number comes back as an int, however
    it was written (`1.0`, `1e3`, `-0.0`), as it would after a round trip.
    """
    text = _text(data)
    value = _parsed(text)
    # Only an escape can smuggle NUL or a lone surrogate past a strict parser and UTF-8.
    if "\\u" in text or not looks_plain(value):
        check(value)
    return value


def loads_object(data: bytes | str | memoryview) -> dict[str, Any]:
    """Return the value of a JSON text that must be an object. Raises `CanonicalError`."""
    value = loads(bytes(data) if isinstance(data, memoryview) else data)
    if not isinstance(value, dict):
        raise CanonicalError("", "is not an object")
    return value


def normal(value: object, *, limit: int | None = None) -> tuple[bytes, Json]:
    """Return the canonical bytes of a value and the value read back from them.

    The second is what everybody may go on with, interrupted or not. Raises `CanonicalError`,
    also should the bytes not read back as themselves.
    """
    data = dumps(value, limit=limit)
    again = loads(data)
    if dumps(again) != data:
        raise CanonicalError("", "does not read back as the same bytes")
    return data, again


def _encoded(value: object, most: int) -> bytes:
    if not looks_plain(value, most):
        check(value, most)
        return _by_the_book(value)
    text = _ENCODER.encode(value)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        check(value)
        raise
    if "\\u0000" in text:
        check(value)
    if _ASTRAL_BYTES.search(data) and has_astral_key(value):
        return _by_the_book(value)
    return data


def _by_the_book(value: Any) -> bytes:  # checked before, so it is what rfc8785 asks for
    return rfc8785.dumps(value)


def _text(data: bytes | str) -> str:
    if len(data) > MAX_SIZE:
        raise CanonicalError("", f"is {len(data):,} long, over the limit of {MAX_SIZE:,}")
    try:
        if isinstance(data, str):
            data.encode()
            text = data
        else:
            text = data.decode()
    except (UnicodeDecodeError, UnicodeEncodeError) as error:
        raise CanonicalError("", f"is not UTF-8 text (at position {error.start:,})") from None
    if text.startswith(_BOM):
        raise CanonicalError("", "begins with a byte order mark")
    return text


def _parsed(text: str) -> Json:
    try:
        return _DECODER.decode(text)  # type: ignore[no-any-return]
    except json.JSONDecodeError as error:
        reason = f"is not JSON: {error.msg} (line {error.lineno:,}, column {error.colno:,})"
        raise CanonicalError("", reason) from None
    except RecursionError:
        raise CanonicalError("", TOO_DEEP) from None


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json] | Flaw:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    seen: set[str] = set()
    twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return Flaw("is a key that appears twice in one object", twice)


def _integer(literal: str) -> int | Flaw:
    # Asked before int(), whose time grows with the square of the length.
    return Flaw(TOO_BIG) if len(literal) > INT_LITERAL else int(literal)


def _decimal(literal: str) -> int | float | Flaw:
    if len(literal) > MAX_LITERAL:
        return Flaw(f"is a number written in {len(literal):,} characters, over {MAX_LITERAL}")
    number = float(literal)
    if repr(number) == literal and not number.is_integer():
        return number
    if reason := refused_float(number) or _lossy(literal, number):
        return Flaw(reason)
    return int(number) if abs(number) <= MAX_INT and number.is_integer() else number


def _lossy(literal: str, number: float) -> str | None:
    mantissa = re.split("[eE]", literal)[0]
    if number == 0:
        lost = any(digit in mantissa for digit in "123456789")
    else:
        lost = Decimal(literal) != Decimal(repr(number))
    return "is a number with more digits than a double keeps" if lost else None


# NaN and Infinity become floats here and are refused by the walk, which knows their path.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_decimal,
)
