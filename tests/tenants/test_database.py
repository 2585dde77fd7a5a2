"""The hot statements' way to PostgreSQL."""

import pytest
from django.db import DataError, connection

from tenants.database import execute


def test_rows_come_back_as_tuples(db: None) -> None:
    assert execute("SELECT %(a)s::int, %(b)s::text", {"a": 1, "b": "x"}) == [(1, "x")]


def test_a_statement_without_rows_gives_none(db: None) -> None:
    assert execute("SET LOCAL work_mem = '4MB'", {}) == []


def test_values_are_bound_by_the_server_and_the_statement_is_prepared(db: None) -> None:
    statement = "SELECT %(a)s::text || ' told'"
    hostile = "'; DROP TABLE checkpoints_run; --"
    assert execute(statement, {"a": hostile}) == [(f"{hostile} told",)]
    prepared = execute("SELECT statement FROM pg_prepared_statements", {})
    assert ("SELECT $1::text || ' told'",) in prepared


def test_errors_are_djangos(db: None) -> None:
    with pytest.raises(DataError):
        execute("SELECT %(a)s::text::int", {"a": "x"})
    connection.needs_rollback = False
