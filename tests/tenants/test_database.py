"""The hot statements' way to PostgreSQL."""

import pytest
from django.db import DataError, OperationalError, ProgrammingError, connection, transaction

from tenants.database import Statement, execute, send, together
from tests.approvals.racing import beside, until


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


def test_together_gives_the_rows_of_each_statement(db: None) -> None:
    found = together(
        [
            ("SELECT %(a)s::int", {"a": 1}),
            ("SET LOCAL work_mem = '4MB'", {}),
            ("SELECT 2 UNION SELECT 3 ORDER BY 1", {}),
        ]
    )
    assert found == [[(1,)], [], [(2,), (3,)]]


def test_together_keeps_the_first_failure_and_runs_nothing_after_it(db: None) -> None:
    with pytest.raises(DataError), transaction.atomic():
        together([("SELECT 'x'::text::int", {}), ("SELECT nowhere FROM nothing", {})])
    assert execute("SELECT 1", {}) == [(1,)]


@pytest.mark.django_db(transaction=True)
def test_together_is_one_transaction_by_itself() -> None:
    execute("CREATE TABLE tried (a int)", {})
    try:
        with pytest.raises(DataError):
            together([("INSERT INTO tried VALUES (1)", {}), ("SELECT 'x'::text::int", {})])
        assert execute("SELECT * FROM tried", {}) == []
    finally:
        execute("DROP TABLE tried", {})


@pytest.mark.django_db(transaction=True)
def test_what_reads_after_a_lock_sees_what_the_lock_waited_for() -> None:
    """Rule 4, in one round trip: each statement has a snapshot of its own."""
    execute("CREATE TABLE tried (a int)", {})
    take: Statement = ("SELECT pg_advisory_xact_lock(7)", {})
    read: Statement = ("SELECT a FROM tried", {})
    try:
        with beside() as side:
            with transaction.atomic():
                together([take])
                waiting = side.start_and_block(lambda: together([take, read]))
                execute("INSERT INTO tried VALUES (5)", {})
            until(waiting.done)
            assert waiting.result()[1] == [(5,)]
    finally:
        execute("DROP TABLE tried", {})


@pytest.mark.django_db(transaction=True)
def test_what_is_sent_is_answered_when_asked_and_the_same_each_time() -> None:
    statement = "SELECT %(a)s::bigint + %(a)s::bigint, %(b)s::bytea, %(c)s::text"
    for number in (1, 2**40):  # one plan, however large the value is
        answer = send(statement, {"a": number, "b": b"\x00x", "c": None})
        assert answer.rows() == answer.rows() == [(2 * number, b"\x00x", None)]
    prepared = execute("SELECT statement FROM pg_prepared_statements", {})
    assert len([1 for (each,) in prepared if each.startswith("SELECT $1::bigint +")]) == 1


@pytest.mark.django_db(transaction=True)
def test_what_fails_on_its_way_fails_each_time_it_is_asked_and_nothing_else_does() -> None:
    answer = send("SELECT %(a)s::text::int", {"a": "x"})
    for _ in range(2):
        with pytest.raises(DataError):
            answer.rows()
    assert execute("SELECT 1", {}) == [(1,)]


@pytest.mark.django_db(transaction=True)
def test_what_is_sent_in_a_transaction_belongs_to_it() -> None:
    with transaction.atomic():
        send("CREATE TABLE tried (a int)", {})
        assert execute("SELECT to_regclass('tried')::text", {}) == [("tried",)]
        transaction.set_rollback(True)
    assert execute("SELECT to_regclass('tried')", {}) == [(None,)]


@pytest.mark.django_db(transaction=True)
def test_what_is_sent_after_a_rollback_is_prepared_again() -> None:
    statement = "SELECT %(n)s::bigint + 40 AS again"
    assert send(statement, {"n": 1}).rows() == [(41,)]
    execute("SELECT %(n)s::bigint + 1", {"n": 1})
    with transaction.atomic():
        execute("SELECT %(n)s::bigint + 1", {"n": 1})
        transaction.set_rollback(True)
    assert send(statement, {"n": 2}).rows() == [(42,)]
    assert send(statement, {"n": 3}).rows() == [(43,)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("statement", ["SELECT 2", "SELECT %s"])
def test_no_cursor_of_the_driver_goes_over_the_connection_before_the_answer(statement: str) -> None:
    answer = send("SELECT 1::bigint", {})
    with pytest.raises(OperationalError), connection.cursor() as cursor:
        cursor.execute(statement, [2] if "%" in statement else None)
    with pytest.raises(ProgrammingError), transaction.atomic():
        pass
    assert answer.rows() == [(1,)]
    assert execute("SELECT 2", {}) == [(2,)]


@pytest.mark.django_db(transaction=True)
def test_what_is_sent_behind_is_answered_in_its_order_whoever_asks_first() -> None:
    answers = [send("SELECT %(n)s::bigint AS behind", {"n": n}) for n in range(4)]
    assert answers[2].rows() == [(2,)]
    answers.append(send("SELECT 4::bigint", {}))
    assert [each.rows() for each in answers] == [[(n,)] for n in range(5)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT 5")
        assert cursor.fetchall() == [(5,)]


@pytest.mark.django_db(transaction=True)
def test_what_is_asked_for_meanwhile_waits_for_what_was_sent() -> None:
    answer = send("SELECT 1::bigint", {})
    assert execute("SELECT 2", {}) == [(2,)]
    assert answer.rows() == [(1,)]


@pytest.mark.django_db(transaction=True)
def test_each_that_is_sent_stands_or_fails_by_itself() -> None:
    before = send("SELECT 1::bigint", {})
    broken = send("SELECT 1 / %(zero)s::int", {"zero": 0})
    behind = send("SELECT 2::bigint", {})
    assert behind.rows() == [(2,)]
    for _ in range(2):
        with pytest.raises(DataError, match="division by zero"):
            broken.rows()
    assert before.rows() == [(1,)]


@pytest.mark.django_db(transaction=True)
def test_a_lost_connection_fails_all_that_was_sent_over_it() -> None:
    answers = [send("SELECT pg_terminate_backend(pg_backend_pid())", {}), send("SELECT 1", {})]
    for answer in (*answers, *answers):
        with pytest.raises(OperationalError):
            answer.rows()
    connection.close()
    assert execute("SELECT 2", {}) == [(2,)]
