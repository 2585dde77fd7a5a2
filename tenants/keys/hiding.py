"""What is sensitive here and now: the values this turn has opened, hidden in whatever leaves it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from canonical.redaction import Known, Redacted

_known: ContextVar[Known | None] = ContextVar("known", default=None)
_NOTHING = Known()


@contextmanager
def hiding(known: Known) -> Iterator[None]:
    """Hide these values, and those it comes to know, in everything said inside."""
    token = _known.set(known)
    try:
        yield
    finally:
        _known.reset(token)


def known() -> Known:
    """The values to hide here and now."""
    return _known.get() or _NOTHING


def text(said: str) -> Redacted:
    """A text that may be stored, logged or shown."""
    return known().text(said)


def value(told: Any) -> Redacted:
    """A JSON value that may be stored, logged or shown."""
    return known().json(told)
