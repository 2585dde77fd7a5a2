"""Which run, tenant and fence the log lines of this thread are about."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

FIELDS = ("run", "tenant", "fence")
_bound: ContextVar[dict[str, object]] = ContextVar("bound", default={})  # noqa: B039 - never changed in place


@contextmanager
def bind(**fields: object) -> Iterator[None]:
    """Put `run=`, `tenant=`, `fence=` on every log line written inside; nests, and ends cleanly."""
    unknown = fields.keys() - set(FIELDS)
    if unknown:
        raise TypeError(f"log lines carry {FIELDS}, not {sorted(unknown)}")
    token = _bound.set({**_bound.get(), **fields})
    try:
        yield
    finally:
        _bound.reset(token)


def bound() -> Mapping[str, object]:
    """What is bound here and now."""
    return _bound.get()


class BoundFields(logging.Filter):
    """Adds the bound fields to a record that does not say them itself (`extra=`)."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Always True: it only adds. UUIDs become text, so that lines can be searched."""
        for name in FIELDS:
            value = getattr(record, name, _bound.get().get(name))
            setattr(record, name, value if isinstance(value, int | None) else str(value))
        return True
