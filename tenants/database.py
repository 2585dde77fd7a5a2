"""The hot statements' way to PostgreSQL: prepared, bound on the server, without the ORM.

Django's default cursor binds in the client and never prepares: about twice the time of a
commit (measured). Everything else goes through the ORM.
"""

import threading
from collections.abc import Mapping
from typing import Any

import psycopg
from django.db import connection
from psycopg.rows import TupleRow

# Django turns preparing off altogether; at this threshold only what asks for it is prepared.
ONLY_WHEN_ASKED = 2**31 - 1


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


def _fresh_cursor(on: psycopg.Connection[TupleRow]) -> psycopg.Cursor[TupleRow]:
    on.prepare_threshold = ONLY_WHEN_ASKED
    _hot.cursor = cursor = psycopg.Cursor(on)
    return cursor
