"""Leases under many hands: one holder at a time, one lapse per lease, nothing left behind."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Barrier
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import connection

from checkpoints import leases, runs
from checkpoints.commits import Lease
from checkpoints.errors import LeaseLostError
from checkpoints.models import Checkpoint, Recovery, Run
from checkpoints.registry import runnable_combos
from execution import horse, lapses, sweeper
from tenants.actors import Actor
from tenants.database import execute
from tests.approvals.racing import beside, run_locked, until
from tests.checkpoints.records import commit
from tests.engine.turns import Bench

pytestmark = pytest.mark.django_db(transaction=True)

SWEEPER = Actor.machine("sweeper")


@contextmanager
def alive(holder: UUID) -> Iterator[psycopg.Connection]:
    """Hold a holder's session lock, as its keeper does."""
    parameters = connection.get_connection_params()
    for ours in ("cursor_factory", "context"):
        parameters.pop(ours, None)
    with psycopg.connect(**parameters, autocommit=True) as session:
        session.execute("SELECT pg_advisory_lock(%s)", [leases.session_lock_key(holder)])
        yield session
    until(lambda: not execute(lapses.SESSION_LOCKS, {}))  # PostgreSQL ends it in its own time


def test_of_many_who_acquire_at_once_each_gets_another_run_or_none(engine: Bench) -> None:
    for _ in range(3):
        engine.start()
    combos, start = runnable_combos(), Barrier(5)

    def race() -> Lease | None:
        start.wait()
        return leases.acquire(uuid4(), combos=combos)

    with beside() as side:
        found = [future.result() for future in [side.start(race) for _ in range(5)]]
    taken = [lease.run_id for lease in found if lease is not None]
    assert len(taken) == len(set(taken)) <= 3
    rest = [leases.acquire(uuid4(), combos=combos) for _ in range(3 - len(taken))]
    assert all(rest)
    assert Run.objects.filter(status="running", fence=1).count() == 3


def test_fences_of_one_run_never_repeat_and_no_stale_write_lands(engine: Bench) -> None:
    run = engine.start()
    combos, start, log = runnable_combos(), Barrier(4), []

    def hammer() -> None:
        start.wait()
        for turn in range(8):
            lease = leases.acquire(uuid4(), combos=combos)
            if lease is None:
                continue
            log.append(lease.fence)
            if turn % 3 == 0:  # silent: the sweeper takes it, and the old holder writes on
                runs.lapse(run.id, fence=lease.fence, why="silent", actor=SWEEPER)
                with pytest.raises(LeaseLostError):
                    commit(lease)
                Run.objects.filter(id=run.id, status="queued").update(due_at="2020-01-01T00Z")
            else:
                runs.yield_to_others(commit(lease))

    with beside() as side:
        for future in [side.start(hammer) for _ in range(4)]:
            future.result()
    assert len(log) == len(set(log)) == Run.objects.get().fence
    writers = list(Checkpoint.objects.order_by("seq").values_list("fence", flat=True))
    assert writers == sorted(set(writers))
    assert Run.objects.get().head == len(writers)


def test_two_who_lapse_one_lease_begin_one_recovery(engine: Bench) -> None:
    run = engine.start()
    engine.acquire()
    lapse = partial(runs.lapse, run.id, fence=1, why="silent", actor=SWEEPER)
    with beside() as side:
        with run_locked(run.id):
            waiting = [side.start_and_block(lapse, blocked=count) for count in (1, 2)]
        assert sorted(future.result() for future in waiting) == [False, True]
    assert Recovery.objects.count() == 1


def test_a_renewal_that_waited_through_a_lapse_renews_nothing(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    with beside() as side:
        with run_locked(run.id):
            renewing = side.start_and_block(partial(leases.renew, lease))
            runs.lapse(run.id, fence=1, why="silent", actor=SWEEPER)
        assert renewing.result() is None
    assert Run.objects.get().lease_until is None


def test_s14_a_run_that_nobody_holds_is_picked_up_within_one_sweep(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    with alive(lease.holder):
        assert sweeper.sweep()["lapse unlocked"] == 0
    assert sweeper.sweep()["lapse unlocked"] == 1
    assert engine.acquire().fence == 2


def test_s14_a_lease_that_ran_out_is_taken_though_its_holder_lives(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    Run.objects.update(lease_until="2020-01-01T00Z")
    with alive(lease.holder):
        done = sweeper.sweep()
    assert (done["lapse unlocked"], done["lapse overdue"]) == (0, 1)
    assert Recovery.objects.get().why == "its lease ran out"


def test_s16_five_deliveries_of_one_run_have_one_executor(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    with alive(lease.holder):
        assert [horse.take_turns(uuid4()) for _ in range(5)] == [0] * 5
    assert Run.objects.values_list("status", "fence").get() == ("running", 1)


def test_rule_7_a_lock_that_is_lost_shortens_the_lease_and_nothing_else(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    with alive(lease.holder) as session:
        assert lapses.unlocked(actor=SWEEPER) == 0
        with pytest.raises(psycopg.OperationalError):
            _terminate(session)
    # The session hears of its end before its locks are gone.
    until(lambda: lapses.unlocked(actor=SWEEPER) == 1)
    assert Run.objects.values_list("status", "reason").get() == ("queued", "interrupted")
    with pytest.raises(LeaseLostError):
        commit(lease)
    assert run.id == engine.acquire().run_id


def _terminate(session: psycopg.Connection) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [session.info.backend_pid])
    session.execute("SELECT 1")
