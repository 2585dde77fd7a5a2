"""Prepared statements sent together straight over libpq."""

import psycopg
import pytest
from django.db import OperationalError, ProgrammingError, connection, transaction

from tenants import pipelines
from tenants.database import execute, together

PREPARED = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %(like)s"
KILL = "SELECT pg_terminate_backend(%(pid)s)"


def prepared(like: str) -> int:
    return int(execute(PREPARED, {"like": like})[0][0])


def test_a_statement_is_prepared_once_for_the_types_of_its_values(db: None) -> None:
    once = "SELECT %(a)s AS asked_once"
    assert [execute(once, {"a": a}) for a in (1, 2, "x", None, 70_000)] == [
        [(1,)],
        [(2,)],
        [("x",)],
        [(None,)],
        [(70_000,)],
    ]
    assert prepared("SELECT $1 AS asked\\_once") == 3  # small, unknown, larger


def test_one_value_may_stand_in_many_places_and_a_percent_sign_is_doubled(db: None) -> None:
    statement = "SELECT %(a)s::text || %(b)s::text || %(a)s::text, '%%'"
    assert execute(statement, {"b": "-", "a": "x"}) == [("x-x", "%")]


def test_values_come_back_as_django_reads_them(db: None) -> None:
    row = execute(
        "SELECT %(b)s::bytea, true, NULL::int, '2026-01-02T03:04Z'::timestamptz", {"b": b"\x00"}
    )
    assert row[0][:3] == (b"\x00", True, None)
    assert row[0][3].isoformat() == "2026-01-02T03:04:00+00:00"


def test_large_values_go_both_ways_at_once(db: None) -> None:
    """More than any buffer holds: neither side waits for the other to read."""
    large = "x" * 3_000_000
    statements = [(f"SELECT %(a)s::text, {number}", {"a": large}) for number in range(4)]
    assert together(statements) == [[(large, number)] for number in range(4)]


def test_what_cannot_be_prepared_leaves_the_connection_usable(db: None) -> None:
    with pytest.raises(ProgrammingError, match="nowhere"), transaction.atomic():
        together([("SELECT 1 AS before", {}), ("SELECT nowhere", {}), ("SELECT 2 AS after", {})])
    assert together([("SELECT 1 AS before", {}), ("SELECT 2 AS after", {})]) == [[(1,)], [(2,)]]


@pytest.mark.django_db(transaction=True)
def test_in_a_transaction_that_has_not_begun_it_begins_with_them() -> None:
    with transaction.atomic():
        execute("SELECT 1", {})
        assert (
            connection.connection.pgconn.transaction_status == psycopg.pq.TransactionStatus.INTRANS
        )
        [[isolation]] = execute("SHOW transaction_isolation", {})
    assert isolation == "read committed"
    assert connection.connection.pgconn.transaction_status == psycopg.pq.TransactionStatus.IDLE


@pytest.mark.django_db(transaction=True)
def test_the_last_statements_of_a_transaction_may_commit_it() -> None:
    execute("CREATE TABLE tried (a int)", {})
    try:
        with transaction.atomic():
            assert together([("INSERT INTO tried VALUES (1) RETURNING a", {})], last=True) == [
                [(1,)]
            ]
            status = connection.connection.pgconn.transaction_status
            assert status == psycopg.pq.TransactionStatus.IDLE
        assert execute("SELECT a FROM tried", {}) == [(1,)]
    finally:
        execute("DROP TABLE tried", {})


def test_inside_another_transaction_the_last_statements_commit_nothing(db: None) -> None:
    with transaction.atomic():
        together([("SELECT 1", {})], last=True)
        status = connection.connection.pgconn.transaction_status
        assert status == psycopg.pq.TransactionStatus.INTRANS


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_is_cut_says_why_and_is_not_used_again() -> None:
    [[pid]] = execute("SELECT pg_backend_pid()", {})
    with pytest.raises(OperationalError, match="terminating connection"):
        together([(KILL, {"pid": pid}), ("SELECT pg_sleep(5)", {}), ("SELECT 3", {})])
    assert connection.connection.closed
    connection.close()
    assert execute("SELECT 1", {}) == [(1,)]


def test_a_value_that_is_missing_sends_nothing(db: None) -> None:
    with pytest.raises(KeyError):
        pipelines.run(connection.connection, [("SELECT %(a)s::int", {})])
    assert execute("SELECT 1", {}) == [(1,)]


@pytest.mark.django_db(transaction=True)
def test_a_line_that_says_nothing_for_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waited on would keep the lease that another connection renews."""
    monkeypatch.setattr(pipelines, "ANSWER_SECONDS", 0.2)
    with pytest.raises(OperationalError):
        execute("SELECT pg_sleep(30)", {})
    assert connection.connection.closed
    connection.close()
