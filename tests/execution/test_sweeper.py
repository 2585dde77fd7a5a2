"""The sweeper: whatever a crash, a flush or a restart lost, the next round creates again."""

import signal
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Barrier, Event
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings as project
from django.db import OperationalError, connection
from django.db.models.functions import Now
from pytest_django import Settings
from redis import Redis

from approvals.models import ApprovalRequest
from checkpoints import runs
from checkpoints.models import Recovery, Run
from checkpoints.wakeups import QUEUE
from execution import horse, sweeper
from execution.models import Process
from reconciliation import spool
from tenants.models import AuditUnsealed
from tests.approvals.questions import expire_in
from tests.approvals.racing import beside, until
from tests.engine.turns import Bench
from tests.execution.runs import full, waiting
from tests.forks import fork
from tests.reconciliation.ready import HAPPENED, ready

pytestmark = pytest.mark.django_db(transaction=True)

BELL = f"rq:queue:{QUEUE}"
END_ALL_OTHERS = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s
"""


def test_a_round_over_nothing_does_nothing(engine: Bench) -> None:
    done = sweeper.sweep()
    done.pop("seal audit")
    assert set(done.values()) == {0}


def test_flushall_loses_no_run(engine: Bench, doorbell: Redis) -> None:
    asleep = waiting(engine)
    for _ in range(3):
        engine.start(steps=2)
    doorbell.flushdb()
    assert sweeper.sweep()["ring due"] == 3
    assert doorbell.llen(BELL) == 3
    assert full(asleep).reason == "for_approval"


def test_a_run_is_rung_for_again_only_after_a_while(engine: Bench, doorbell: Redis) -> None:
    engine.start()
    assert [sweeper.sweep()["ring due"] for _ in range(3)] == [1, 0, 0]
    Run.objects.update(woken_at=Now() - timedelta(seconds=6))
    assert sweeper.sweep()["ring due"] == 1


def test_a_waiting_run_is_rung_for_when_its_time_comes(engine: Bench, doorbell: Redis) -> None:
    engine.start()
    runs.retry_later(engine.acquire(), "Busy.", seconds=60)
    assert sweeper.sweep()["ring due"] == 0
    Run.objects.update(due_at=Now())
    assert sweeper.sweep()["ring due"] == 1


def test_a_queue_out_of_reach_does_not_stop_the_round(engine: Bench, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    engine.start()
    engine.acquire()
    engine.start()
    done = sweeper.sweep()
    assert (done["lapse unlocked"], "seal audit" in done) == (1, True)


def test_a_request_that_ran_out_is_closed_and_its_run_woken(engine: Bench) -> None:
    run = waiting(engine)
    expire_in(ApprovalRequest.objects.get(), seconds=-1)
    assert sweeper.sweep()["expire approvals"] == 1
    assert ApprovalRequest.objects.get().state == "expired"
    assert full(run).status == "queued"


def test_a_spooled_receipt_is_brought_in(engine: Bench) -> None:
    it = ready(engine)
    attempt = it.dispatch()
    spool.put(attempt.id, HAPPENED, fence=attempt.fence)
    assert sweeper.sweep()["bring in receipts"] == 1
    assert it.stored().outcome == "happened"


def test_audit_rows_are_sealed(engine: Bench) -> None:
    engine.start()
    assert sweeper.sweep()["seal audit"] == 1
    assert not AuditUnsealed.objects.exists()


def test_a_duty_that_fails_keeps_no_other_from_its_own(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> int:
        raise ZeroDivisionError

    monkeypatch.setitem(sweeper.DUTIES, "lapse overdue", fail)
    engine.start()
    done = sweeper.sweep()
    assert "lapse overdue" not in done
    assert done["ring due"] == 1


def test_many_sweepers_at_once_lapse_and_wake_once(engine: Bench) -> None:
    for _ in range(5):
        engine.start()
        engine.acquire()
    start = Barrier(3)

    def race() -> int:
        start.wait()
        return sweeper.sweep()["lapse unlocked"]

    with beside() as side:
        told = [future.result() for future in [side.start(race) for _ in range(3)]]
    assert sum(told) == Recovery.objects.count() == 5
    assert Run.objects.filter(status="queued", fence=1).count() == 5


def test_a_sweeper_runs_until_it_is_told_to_stop_and_says_that_it_lives(engine: Bench) -> None:
    stop, listed = Event(), list[tuple[int]]()
    engine.start()

    def stopping() -> bool:
        listed.extend(Process.objects.filter(name="s", kind="sweeper").values_list("pid"))
        return stop.is_set() or len(listed) > 2

    sweeper.run_forever("s", stopping)
    assert listed
    assert not Process.objects.exists()
    assert Run.objects.get().woken_at is not None


def test_s20_postgresql_gone_in_the_middle_of_a_sweep_strands_no_run(
    engine: Bench, tmp_path: Path
) -> None:
    """25 runs of a dead worker; the database is gone after the fifth, and comes back."""
    for _ in range(25):
        engine.start(steps=2)
        engine.acquire()
    points, stop = tmp_path / "points", tmp_path / "stop"
    child = fork(
        partial(sweeper.run_forever, "s", stop.exists),
        KEDGE_BOUNDARY_LOG=str(points),
        KEDGE_STOP_AT="lapse:before@6",
    )
    try:
        child.wait_until_stopped()
        shut_the_database()
        child.send(signal.SIGCONT)
        until(lambda: "sweep seal audit:before@2" in points.read_text())
    finally:
        open_the_database()
    until(lambda: Recovery.objects.count() == 25)
    stop.touch()
    assert child.wait() == 0
    assert Run.objects.filter(status="queued", reason="interrupted").count() == 25
    assert horse.take_turns(uuid4()) == 25
    assert Run.objects.filter(status="succeeded").count() == 25


def elsewhere() -> psycopg.Connection:
    """The same server's own database, as the same user."""
    address = urlsplit(project.DATABASE_URLS["owner"])._replace(path="/postgres").geturl()
    return psycopg.connect(address, autocommit=True)


def shut_the_database() -> None:
    """To everybody in it, PostgreSQL is gone: sessions end, and new ones are refused."""
    name = connection.settings_dict["NAME"]
    with elsewhere() as session:
        session.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        session.execute(END_ALL_OTHERS, [name])


def open_the_database() -> None:
    name = connection.settings_dict["NAME"]
    with elsewhere() as session:
        session.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
    connection.close()


def test_a_database_that_is_shut_is_out_of_reach(engine: Bench) -> None:
    shut_the_database()
    try:
        with pytest.raises(OperationalError):
            Run.objects.count()
        connection.close()
        with pytest.raises(OperationalError):
            Run.objects.count()
    finally:
        open_the_database()
    assert Run.objects.count() == 0
