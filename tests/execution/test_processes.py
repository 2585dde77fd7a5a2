"""Which of our processes live, as they say themselves."""

import os

import pytest
from django.db import connection

from execution import processes
from execution.models import Process
from tests.engine.turns import Bench


def test_a_process_begins_says_what_it_does_and_ends(engine: Bench) -> None:
    processes.started("w", "worker", role="test")
    row = Process.objects.get()
    assert (row.name, row.kind, row.pid, row.facts) == (
        "w",
        "worker",
        os.getpid(),
        {"role": "test"},
    )
    before = row.seen_at
    processes.seen("w", horse=7)
    row.refresh_from_db()
    assert row.facts == {"horse": 7}
    assert row.seen_at >= before
    processes.ended("w")
    assert not Process.objects.exists()


def test_a_name_that_begins_again_forgets_what_it_said(engine: Bench) -> None:
    processes.started("w", "worker", a=1)
    processes.started("w", "worker", b=2)
    assert Process.objects.get().facts == {"b": 2}


@pytest.mark.django_db(transaction=True)
def test_a_database_out_of_reach_is_logged_and_raises_nothing(
    engine: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    connection.connection.close()
    processes.seen("w")
    connection.ensure_connection()
    connection.connection.close()
    processes.ended("w")
    assert caplog.text.count("cannot say that w") == 2
    connection.close()


@pytest.mark.django_db(transaction=True)
def test_after_its_connection_was_lost_a_process_says_again_that_it_is_alive(
    engine: Bench,
) -> None:
    processes.started("w", "worker")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = cursor.fetchone()[0]
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [backend])
    other.close()
    processes.seen("w", horse=1)
    processes.seen("w", horse=2)
    assert Process.objects.get().facts == {"horse": 2}
