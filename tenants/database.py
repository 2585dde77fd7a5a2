"""The hot statements' way to PostgreSQL: prepared, bound on the server, without the ORM.

Django's default cursor binds in the client and never prepares: about twice the time of a
commit (measured). Everything else goes through the ORM.
"""

import threading
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

import psycopg
from django.db import connection
from django.db.models import Model
from django.db.transaction import TransactionManagementError
from psycopg.rows import TupleRow

# Django turns preparing off altogether; at this threshold only what asks for it is prepared.
ONLY_WHEN_ASKED = 2**31 - 1


M = TypeVar("M", bound=Model)


class _Hot(threading.local):
    """One cursor for all statements of a thread's connection: making one costs as much as using it."""

    cursor: psycopg.Cursor[TupleRow] | None = None


_hot = _Hot()


def execute(statement: str, values: Mapping[str, Any]) -> list[TupleRow]:
    """Run one prepared statement on Django's connection; returns its rows.

    Outside a transaction it is one by itself. Raises Django's database errors.
    """
    connection.ensure_connection()
    cursor = _hot.cursor
    if cursor is None or cursor.connection is not connection.connection:
        cursor = _fresh_cursor(connection.connection)
    with connection.wrap_database_errors:
        cursor.execute(statement.encode(), values, prepare=True)
        return cursor.fetchall() if cursor.description else []


def rows(model: type[M], tail: str, values: Mapping[str, Any]) -> list[M]:
    """Rows of a model, whole, by one prepared statement: `tail` is all after FROM and its table.

    What the ORM compiles anew for each query costs several times the query. Raises
    `TransactionManagementError` for a lock that would end with its statement.
    """
    if tail.endswith("FOR UPDATE") and not connection.in_atomic_block:
        raise TransactionManagementError(f"{model.__name__}: a lock needs a transaction around it")
    statement, read = _select(model, tail)
    names = [field.attname for field in model._meta.concrete_fields]
    return [
        model.from_db(
            connection.alias,
            names,
            [convert(value) for convert, value in zip(read, row, strict=True)],
        )
        for row in execute(statement, values)
    ]


@cache
def _select(model: type[Model], tail: str) -> tuple[str, list[Callable[[Any], Any]]]:
    """The statement, and what reads each of its columns."""
    quote = connection.ops.quote_name
    fields = model._meta.concrete_fields
    columns = ", ".join(quote(str(field.column)) for field in fields)
    statement = f"SELECT {columns} FROM {quote(model._meta.db_table)} {tail}"  # noqa: S608 - names of ours
    return statement, [_reader(field) for field in fields]


def _reader(field: Any) -> Callable[[Any], Any]:
    converters = field.get_db_converters(connection)

    def read(value: Any) -> Any:
        for convert in converters:
            value = convert(value, None, connection)
        return value

    return read


def _fresh_cursor(on: psycopg.Connection[TupleRow]) -> psycopg.Cursor[TupleRow]:
    on.prepare_threshold = ONLY_WHEN_ASKED
    _hot.cursor = cursor = psycopg.Cursor(on)
    return cursor
