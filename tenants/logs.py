"""Which run, tenant and fence the log lines of this thread are about, and nothing sensitive."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from canonical.redaction import Known
from tenants.keys import hiding

FIELDS = ("run", "tenant", "fence")
_TRACES = logging.Formatter()
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
    """Adds the bound fields to a record that does not say them itself (`extra=`).

    Hides what is sensitive here and now, in the message, in traces, and in whatever is added.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Always True: nothing is dropped. UUIDs become text, so that lines can be searched."""
        known = hiding.known()
        if known:
            _hide(record, known)
        for name in FIELDS:
            value = getattr(record, name, _bound.get().get(name))
            setattr(record, name, value if isinstance(value, int | None) else str(value))
        return True


def _hide(record: logging.LogRecord, known: Known) -> None:
    record.msg, record.args = str(known.text(record.getMessage())), ()
    if record.exc_info:
        record.exc_text = _TRACES.formatException(record.exc_info)
        record.exc_info = None
    for name, value in list(vars(record).items()):
        if isinstance(value, str | dict | list):
            setattr(record, name, known.json(value).value)
