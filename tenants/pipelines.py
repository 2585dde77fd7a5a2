"""Prepared statements sent together straight over libpq: what the driver's cursors would do.

For the hot statements cursors cost several times what PostgreSQL itself takes (measured: ten small
statements in one round trip take 55 microseconds here, 240 through cursors in the driver's own
pipeline). The driver still owns the connection, converts values and waits.
"""

import re
import threading
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any, Final, TypeVar

import psycopg
from psycopg import adapt, errors, generators
from psycopg.abc import Transformer
from psycopg.adapt import PyFormat
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult
from psycopg.rows import TupleRow

# Text with %(name)s for values, which are bound on the server, and %% for a percent sign.
Statement = tuple[str, Mapping[str, Any]]
Rows = list[TupleRow]
Connection = psycopg.Connection[Any]
T = TypeVar("T")

# As Django opens its transactions here (rule 4).
BEGIN: Final[Statement] = ("BEGIN ISOLATION LEVEL READ COMMITTED", {})
COMMIT: Final[Statement] = ("COMMIT", {})

# Longer than PostgreSQL may take over any statement (`config.database.LIMITS`): after that it is not
# slow, its line is dead. Whoever waited on would keep a lease that another connection renews.
ANSWER_SECONDS = 40.0

_PLACE: Final = re.compile(r"%(?:%|\((\w+)\)s)")
_numbers: Final = count(1)


def run(on: Connection, statements: Sequence[Statement]) -> list[Rows]:
    """Run the statements in one round trip; returns the rows of each.

    PostgreSQL takes one after the other and looks at the data anew for each. Where the connection
    is to be in a transaction and is in none yet, one begins with them; else they are one by
    themselves. Raises the first failure as the driver does; nothing after it was run.
    """
    return Exchange(on, statements).rows()


class Exchange:
    """Statements on their way: sent when it is made, and answered where `rows` is asked for.

    Values say their types, so one statement is prepared for each size of numbers; not `typed`,
    PostgreSQL tells the types by where the values stand, and one plan serves all. What was sent
    before is answered first, unless it goes `behind` it: then PostgreSQL finds it waiting.
    """

    def __init__(
        self,
        on: Connection,
        statements: Sequence[Statement],
        *,
        typed: bool = True,
        behind: bool = False,
    ) -> None:
        self._on, self._under_way = on, _under_way(on)
        if not behind:
            self._hear_those_before()
        if not self._under_way and on.pgconn.transaction_status == TransactionStatus.ACTIVE:
            raise psycopg.OperationalError("what was sent before is not answered yet")
        self._begins = not on.autocommit and on.pgconn.transaction_status == TransactionStatus.IDLE
        given = (BEGIN, *statements) if self._begins else statements
        self._calls = [_Call(on, each, typed=typed) for each in given]
        self._error: psycopg.Error | None = None
        self._through(_send(on.pgconn, self._calls))
        self._under_way.append(self)

    def rows(self) -> list[Rows]:
        """The rows of each, once they are here. Raises what failed."""
        self._hear()
        if self._error is not None:
            raise self._error
        return [call.rows() for call in (self._calls[1:] if self._begins else self._calls)]

    def _hear(self) -> None:
        if self not in self._under_way:
            return
        self._hear_those_before()
        self._under_way.remove(self)
        is_last = not self._under_way
        try:
            failed = self._through(_take_in(self._on.pgconn, self._calls, is_last=is_last))
        except psycopg.Error as error:
            self._error = error
            return
        if failed is not None:
            self._error = errors.error_from_result(failed, encoding=self._on.info.encoding)
            if isinstance(self._error, errors.InvalidSqlStatementName):
                _here.on = None  # somebody had everything forgotten that was prepared

    def _hear_those_before(self) -> None:
        """What failed of them is raised where their own rows are asked for."""
        while self._under_way and self._under_way[0] is not self:
            self._under_way[0]._hear()

    def _through(self, part: Generator[Any, Any, T]) -> T:
        with self._on.lock:
            try:
                return self._on.wait(part, timeout=ANSWER_SECONDS)
            except BaseException:
                self._on.pgconn.finish()  # it may stand anywhere: of no use to anybody
                raise


@dataclass
class _Known:
    """What a connection knows of one statement: converters of its types, and prepared names."""

    query: bytes
    order: tuple[str, ...]
    converters: Transformer
    names: dict[tuple[int, ...], bytes] = field(default_factory=dict)


class _Here(threading.local):
    """What is known on this thread's connection; another connection knows nothing."""

    on: Connection | None = None
    known: dict[str, _Known]
    under_way: list[Exchange]


_here = _Here()


class _Call:
    """One statement with its values, to be sent once."""

    def __init__(self, on: Connection, statement: Statement, *, typed: bool) -> None:
        text, values = statement
        self._known = known = _known_of(on, text)
        given = [values[name] for name in known.order]
        as_it_is = PyFormat.AUTO if typed else PyFormat.TEXT
        # Bytes as they are in any case: as text they are twice as many.
        formats = [PyFormat.BINARY if type(each) is bytes else as_it_is for each in given]
        self._values = known.converters.dump_sequence(given, formats)
        self._formats = known.converters.formats
        self._types = tuple(known.converters.types or ()) if typed else ()
        self._name = known.names.get(self._types)
        self.is_new = self._name is None
        self.result: PGresult | None = None

    def send(self, pgconn: PGconn) -> None:
        """Put it into the connection's buffer; prepared before, where it is not yet."""
        name = self._name or b"kedge_%d" % next(_numbers)
        if self.is_new:
            pgconn.send_prepare(name, self._known.query, param_types=self._types)
        pgconn.send_query_prepared(name, self._values, param_formats=self._formats)
        self._name = name

    def is_prepared(self) -> None:
        """From now on it is known under its name."""
        assert self._name is not None  # noqa: S101 - it was sent
        self._known.names[self._types] = self._name

    def rows(self) -> Rows:
        """All rows of the answer; none for what returns no rows at all."""
        if self.result is None or self.result.status != ExecStatus.TUPLES_OK:
            return []
        converters = self._known.converters
        converters.set_pgresult(self.result)
        found = converters.load_rows(0, self.result.ntuples, tuple)
        converters.set_pgresult(None)  # it may be large
        return found


def _send(pgconn: PGconn, calls: Sequence[_Call]) -> Generator[Any, Any, None]:
    pgconn.enter_pipeline_mode()
    for call in calls:
        call.send(pgconn)
    pgconn.pipeline_sync()
    yield from generators.send(pgconn)


def _take_in(
    pgconn: PGconn, calls: Sequence[_Call], *, is_last: bool
) -> Generator[Any, Any, PGresult | None]:
    """Take in all answers; returns the first that is a failure."""
    failed: PGresult | None = None
    try:
        for call in calls:
            if call.is_new:
                (answer,) = yield from generators.fetch_many(pgconn)
                failed = failed or _failure(answer)
                if answer.status == ExecStatus.COMMAND_OK:
                    call.is_prepared()
            (call.result,) = yield from generators.fetch_many(pgconn)
            failed = failed or _failure(call.result)
        yield from generators.fetch_many(pgconn)  # the end of the pipeline
        if is_last:
            pgconn.exit_pipeline_mode()
    except psycopg.Error:
        # Whoever cuts the connection says why before.
        if failed is None:
            raise
        pgconn.finish()
    return failed


def _failure(answer: PGresult) -> PGresult | None:
    """The answer if it is not what was asked for; what stands after a failure was not run."""
    fine = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)
    return None if answer.status in fine else answer


def _under_way(on: Connection) -> list[Exchange]:
    if _here.on is not on:
        _here.on, _here.known, _here.under_way = on, {}, []
    return _here.under_way


def _known_of(on: Connection, statement: str) -> _Known:
    known = _here.known.get(statement)
    if known is None:
        known = _here.known[statement] = _Known(*_numbered(statement), adapt.Transformer(on))
    return known


@cache
def _numbered(statement: str) -> tuple[bytes, tuple[str, ...]]:
    """The statement with $1, $2 … for its named values, and their names in that order."""
    order: dict[str, int] = {}

    def number(place: re.Match[str]) -> str:
        name = place[1]
        return "%" if name is None else f"${order.setdefault(name, len(order) + 1)}"

    return _PLACE.sub(number, statement).encode(), tuple(order)
