"""Which run, tenant and fence the log lines of this thread are about, and nothing sensitive."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TextIO

from canonical.redaction import Known, Redacted
from tenants.keys import hiding

FIELDS = ("run", "tenant", "fence")
_TRACES = logging.Formatter()
# What the logging module keeps on every record for itself.
NOT_SAID = frozenset(vars(logging.makeLogRecord({})))
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


class Lines(logging.StreamHandler[TextIO]):
    """The one place where log lines leave; a line is taken only when it is redacted."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line. One that cannot be made is named, and nothing of what it would say."""
        try:
            self.put(hiding.text(self.format(record)))
        except Exception as error:
            self.put(hiding.text(f"a log line of {record.name} cannot be written: {type(error)}"))

    def put(self, line: Redacted) -> None:
        """Write one line that is redacted."""
        self.stream.write(f"{line}{self.terminator}")
        self.flush()


def _hide(record: logging.LogRecord, known: Known) -> None:
    try:
        said = record.getMessage()
    except Exception:  # a form that does not fit what it was given
        said = f"{record.msg} with {record.args!r}"
    record.msg, record.args = str(known.text(said)), ()
    if record.exc_info:
        record.exc_text = _TRACES.formatException(record.exc_info)
        record.exc_info = None
    for name, value in list(vars(record).items()):
        if isinstance(value, str | dict | list | tuple):
            setattr(record, name, known.json(value).value)
        elif name not in NOT_SAID and value is not None:
            setattr(record, name, _seen(value, known))


def _seen(value: Any, known: Known) -> Any:
    """A number or an object as it is, or what it would say when a known value stands in that."""
    if isinstance(value, int | float):
        return known.json(value).value
    said = str(value)
    hidden = str(known.text(said))
    return value if hidden == said else hidden
