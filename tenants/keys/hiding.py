"""What is sensitive here and now: the values this turn has opened, hidden in whatever leaves it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from canonical.redaction import Fact, Known, Redacted, Said, plain

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


def said(words: Said) -> str:
    """What a sink keeps of a text. One that came past the type check is redacted here."""
    return str(words if isinstance(words, Redacted) else text(words))


def texts(**said: str) -> dict[str, Redacted]:
    """Several, by name."""
    return {name: text(each) for name, each in said.items()}


def facts(told: Mapping[str, Fact]) -> dict[str, Any]:
    """What a sink keeps of facts, as JSON; the same holds."""
    return {name: _told(fact) for name, fact in told.items()}


def _told(fact: Any) -> Any:
    return value(fact).value if isinstance(fact, str | list | dict) else plain(fact)
