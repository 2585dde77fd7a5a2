"""The hot statements' way to PostgreSQL: prepared, bound on the server, without the ORM.

Django's default cursor binds in the client and never prepares: about twice the time of a
commit (measured). Everything else goes through the ORM.
"""

import re
import select
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Model
from django.db.transaction import TransactionManagementError
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ExecStatus
from psycopg.rows import TupleRow

# Django turns preparing off altogether; at this threshold only what asks for it is prepared.
ONLY_WHEN_ASKED = 2**31 - 1

PLACE = re.compile(r"%\((\w+)\)s")

M = TypeVar("M", bound=Model)
Cursor = psycopg.Cursor[TupleRow]
Statement = tuple[str, Mapping[str, Any]]


class _Hot(threading.local):
    """One cursor for each statement of a thread's connection, and the statement's bytes: making
    them, and what a cursor learns of its statement's types, costs as much as using them."""

    by: Any = None
    cursors: dict[str, tuple[Cursor, bytes]]
    ways: dict[str, "_Way"]


_hot = _Hot()


def execute(statement: str, values: Mapping[str, Any]) -> list[TupleRow]:
    """Run one prepared statement on Django's connection; returns its rows.

    Outside a transaction it is one by itself. Raises Django's database errors.
    """
    own = connections[DEFAULT_DB_ALIAS]
    own.ensure_connection()
    cursor, content = _cursor(own.connection, statement)
    with own.wrap_database_errors:
        cursor.execute(content, values, prepare=True)
        return _fetched(cursor)


def together(statements: Sequence[Statement]) -> list[list[TupleRow]]:
    """Run several prepared statements, each another, in one round trip; returns the rows of each.

    PostgreSQL takes one after the other and looks at the data anew for each: what reads after a
    lock sees what was committed while the lock was waited for. Outside a transaction they are one
    by themselves. Raises the first failure, as a Django database error; nothing after it was run.
    """
    own = connections[DEFAULT_DB_ALIAS]
    own.ensure_connection()
    cursors = [_cursor(own.connection, statement) for statement, _ in statements]
    with own.wrap_database_errors:
        with own.connection.pipeline():
            for (cursor, content), (_, values) in zip(cursors, statements, strict=True):
                cursor.execute(content, values, prepare=True)
        return [_fetched(cursor) for cursor, _ in cursors]


def send(statement: str, values: Mapping[str, Any]) -> "Answer":
    """Send a prepared statement and go on; the answer is waited for where its rows are asked for.

    Until then nothing else may go over the connection. PostgreSQL tells the types of values by
    where they stand, so say them (`::bigint`). In a transaction it is waited for here: psycopg
    begins one with the first statement that goes through its cursors.
    """
    own = connections[DEFAULT_DB_ALIAS]
    if own.in_atomic_block:
        found = execute(statement, values)
        return Answer(lambda: found)
    own.ensure_connection()
    with own.wrap_database_errors:
        way = _way(own.connection, statement)
        way.send(values)

    def heard() -> list[TupleRow]:
        with own.wrap_database_errors:
            try:
                return way.heard()
            except psycopg.errors.InvalidSqlStatementName:
                # psycopg drops what is prepared after a rollback; nothing of this was run.
                way.prepare()
                way.send(values)
                return way.heard()

    return Answer(heard)


class Answer:
    """What PostgreSQL answers to `send`. Asked again, it says the same again."""

    def __init__(self, hear: Callable[[], list[TupleRow]]) -> None:
        self._hear = hear

    def rows(self) -> list[TupleRow]:
        """The rows, once they are here. Raises Django's database errors."""
        try:
            heard = self._hear()
        except Exception as error:
            self._hear = _raising(error)
            raise
        self._hear = lambda: heard
        return heard


class _Way:
    """One prepared statement on one connection, below psycopg's cursors: these send and wait in one."""

    def __init__(self, on: psycopg.Connection[TupleRow], statement: str, name: bytes) -> None:
        self._on, self._name = on.pgconn, name
        self._order = list(dict.fromkeys(PLACE.findall(statement)))
        self._numbered = PLACE.sub(lambda place: f"${self._order.index(place[1]) + 1}", statement)
        self._convert = Transformer(on)
        self._socket = select.poll()
        self._socket.register(self._on.socket, select.POLLIN)
        self.prepare()

    def prepare(self) -> None:
        made = self._on.prepare(self._name, self._numbered.encode())
        if made.status != ExecStatus.COMMAND_OK:
            raise psycopg.errors.error_from_result(made)

    def send(self, values: Mapping[str, Any]) -> None:
        given = [values[name] for name in self._order]
        # Bytes as they are: as text they are twice as many.
        formats = [PyFormat.BINARY if type(each) is bytes else PyFormat.TEXT for each in given]
        content = self._convert.dump_sequence(given, formats)
        self._on.send_query_prepared(self._name, content, self._convert.formats)

    def heard(self) -> list[TupleRow]:
        # Waited for here and not in libpq, where no other thread of ours would go on.
        while self._on.is_busy():
            self._socket.poll()
            self._on.consume_input()
        result = self._on.get_result()
        while self._on.get_result() is not None:
            pass
        if result is None:
            raise psycopg.OperationalError(self._on.get_error_message())
        if result.status != ExecStatus.TUPLES_OK:
            raise psycopg.errors.error_from_result(result)
        self._convert.set_pgresult(result)
        return self._convert.load_rows(0, result.ntuples, tuple)


def rows(model: type[M], tail: str, values: Mapping[str, Any]) -> list[M]:
    """Rows of a model, whole, by one prepared statement: `tail` is all after FROM and its table.

    What the ORM compiles anew for each query costs several times the query. Raises
    `TransactionManagementError` for a lock that would end with its statement.
    """
    if tail.endswith("FOR UPDATE") and not connection.in_atomic_block:
        raise TransactionManagementError(f"{model.__name__}: a lock needs a transaction around it")
    return models(model, tail, execute(whole(model, tail), values))


def whole(model: type[Model], tail: str) -> str:
    """The statement of `rows`, for `together`; `models` makes rows of its answer."""
    return _select(model, tail)[0]


def models(model: type[M], tail: str, found: list[TupleRow]) -> list[M]:
    """Rows of a model from the answer to `whole(model, tail)`."""
    _, names, read = _select(model, tail)
    return [
        model.from_db(
            connection.alias,
            names,
            [
                value if convert is None else convert(value)
                for convert, value in zip(read, row, strict=True)
            ],
        )
        for row in found
    ]


@cache
def _select(
    model: type[Model], tail: str
) -> tuple[str, list[str], list[Callable[[Any], Any] | None]]:
    """The statement, the names of its columns, and what reads each of them, None for as it is."""
    quote = connection.ops.quote_name
    fields = model._meta.concrete_fields
    columns = ", ".join(quote(str(field.column)) for field in fields)
    statement = f"SELECT {columns} FROM {quote(model._meta.db_table)} {tail}"  # noqa: S608 - names of ours
    return statement, [field.attname for field in fields], [_reader(field) for field in fields]


def _reader(field: Any) -> Callable[[Any], Any] | None:
    converters = field.get_db_converters(connection)
    if not converters:
        return None

    def read(value: Any) -> Any:
        for convert in converters:
            value = convert(value, None, connection)
        return value

    return read


def _way(on: psycopg.Connection[TupleRow], statement: str) -> _Way:
    _get_used_to(on)
    found = _hot.ways.get(statement)
    if found is None:
        name = f"kedge_{len(_hot.ways)}".encode()
        found = _hot.ways[statement] = _Way(on, statement, name)
    return found


def _raising(error: Exception) -> Callable[[], list[TupleRow]]:
    def again() -> list[TupleRow]:
        raise error

    return again


def _get_used_to(on: psycopg.Connection[TupleRow]) -> None:
    if _hot.by is not on:
        on.prepare_threshold = ONLY_WHEN_ASKED
        _hot.by, _hot.cursors, _hot.ways = on, {}, {}


def _cursor(on: psycopg.Connection[TupleRow], statement: str) -> tuple[Cursor, bytes]:
    _get_used_to(on)
    found = _hot.cursors.get(statement)
    if found is None:
        found = _hot.cursors[statement] = psycopg.Cursor(on), statement.encode()
    return found


def _fetched(cursor: Cursor) -> list[TupleRow]:
    """All rows; none for what returns no rows at all (then there is no place among them)."""
    return cursor.fetchall() if cursor.rownumber is not None else []
