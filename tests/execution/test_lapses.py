"""Taking leases away from workers that are dead or silent."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db.models.functions import Now

from checkpoints import runs
from checkpoints.leases import session_lock_key
from checkpoints.models import Recovery, Run
from execution import lapses
from tenants.actors import Actor
from tenants.database import execute
from tests.engine.turns import Bench

ACTOR = Actor.machine("test")


def test_a_dead_horse_loses_all_its_leases_and_nobody_else_any(engine: Bench) -> None:
    for _ in range(3):
        engine.start()
    mine, also_mine, theirs = engine.acquire(), engine.acquire(), engine.acquire()
    Run.objects.filter(id=also_mine.run_id).update(holder=mine.holder)
    assert lapses.of_holder(mine.holder, why="killed", actor=ACTOR) == 2
    assert Run.objects.get(status="running").id == theirs.run_id
    assert set(Recovery.objects.values_list("why", flat=True)) == {"killed"}


def test_a_holder_without_leases_loses_none(engine: Bench) -> None:
    assert lapses.of_holder(uuid4(), why="killed", actor=ACTOR) == 0
    assert lapses.of_holder(None, why="killed", actor=ACTOR) == 0


def test_only_a_lease_that_ran_out_is_overdue(engine: Bench) -> None:
    engine.start()
    engine.start()
    over = engine.acquire()
    engine.acquire()
    Run.objects.filter(id=over.run_id).update(lease_until=Now() - timedelta(milliseconds=1))
    assert lapses.overdue(actor=ACTOR) == 1
    assert Run.objects.get(status="queued").id == over.run_id


def test_only_a_lease_whose_lock_is_gone_is_unlocked(engine: Bench) -> None:
    engine.start()
    engine.start()
    alive, dead = engine.acquire(), engine.acquire()
    execute("SELECT pg_advisory_xact_lock(%(key)s)", {"key": session_lock_key(alive.holder)})
    assert lapses.unlocked(actor=ACTOR) == 1
    assert Run.objects.get(status="queued").id == dead.run_id


def test_a_lock_of_somebody_elses_is_no_sign_of_life(engine: Bench) -> None:
    """Two keys of 32 bits, and an audit sealer's number, look alike in pg_locks but for objsubid."""
    engine.start()
    lease = engine.acquire()
    key = session_lock_key(lease.holder)
    high, low = key >> 32, key & 0xFFFFFFFF
    signed = {"high": high, "low": low - 2**32 if low >= 2**31 else low}
    execute("SELECT pg_advisory_xact_lock(%(high)s::int, %(low)s::int)", signed)
    assert lapses.unlocked(actor=ACTOR) == 1


@pytest.mark.parametrize("key", [2**63 - 1, 2**31, 2**32 - 1, 1])
def test_lock_numbers_are_read_back_whole(engine: Bench, key: int) -> None:
    execute("SELECT pg_advisory_xact_lock(%(key)s)", {"key": key})
    assert (key,) in execute(lapses.SESSION_LOCKS, {})


def test_a_run_that_was_released_meanwhile_is_left_alone(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    runs.yield_to_others(lease)
    assert lapses.of_holder(lease.holder, why="killed", actor=ACTOR) == 0
    assert Run.objects.get().reason == "yielded"
