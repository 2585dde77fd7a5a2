"""Leases: who may advance a run, and for how long."""

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db.models.functions import Now
from pytest_django import Settings

from checkpoints import leases, recoveries, runs
from checkpoints.models import Combo, Recovery, Run
from checkpoints.registry import runnable_combos
from tenants.actors import Actor
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.people import make_tenant

SWEEPER = Actor.machine("sweeper")


def test_a_lease_says_what_it_found_and_the_row_says_who_holds_it(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    run.refresh_from_db()
    assert (lease.run_id, lease.tenant_id, lease.combo_id) == (
        run.id,
        run.tenant_id,
        run.combo_id,
    )
    assert (lease.fence, lease.head, lease.wakes, lease.attempts) == (1, 0, 0, 1)
    assert (run.status, run.reason, run.holder, run.fence) == (
        "running",
        "working",
        lease.holder,
        1,
    )
    assert run.due_at is None
    assert run.lease_until is not None


def test_a_leased_run_is_not_leased_again(engine: Bench) -> None:
    engine.start()
    engine.acquire()
    assert acquire() is None


IN_LINE_OR_FIRST = pytest.mark.parametrize("reason", ["started", "woken"])


@IN_LINE_OR_FIRST
@pytest.mark.parametrize("due_in", [timedelta(seconds=60), None])
def test_a_run_that_is_not_due_is_not_leased(
    engine: Bench, due_in: timedelta | None, reason: str
) -> None:
    engine.start()
    engine.start()
    other = Run.objects.order_by("id")[0]
    Run.objects.filter(pk=other.pk).update(due_at=Now() + due_in if due_in else None, reason=reason)
    assert engine.acquire().run_id != other.id
    assert acquire() is None


def test_a_run_somebody_waits_for_goes_before_those_that_stand_in_line(engine: Bench) -> None:
    first, woken = engine.start(), engine.start()
    Run.objects.filter(pk=first.pk).update(due_at=Now() - timedelta(hours=1))
    Run.objects.filter(pk=woken.pk).update(reason="woken", due_at=Now())
    assert [engine.acquire().run_id, engine.acquire().run_id] == [woken.id, first.id]


def test_a_waiting_run_is_leased_when_it_is_due(engine: Bench) -> None:
    engine.start()
    runs.retry_later(engine.acquire(), "later", seconds=0)
    lease = engine.acquire()
    assert (lease.fence, lease.attempts) == (2, 1)


def test_a_held_run_is_never_leased(engine: Bench) -> None:
    engine.start()
    Run.objects.update(status="held", reason="crash_loop")
    assert acquire() is None
    Run.objects.update(status="queued", reason="woken")


def test_every_grant_raises_the_fence(engine: Bench) -> None:
    engine.start()
    fences = []
    for _ in range(3):
        lease = engine.acquire()
        fences.append(lease.fence)
        runs.yield_to_others(lease)
    assert fences == [1, 2, 3]


def test_the_run_that_is_due_longest_comes_first(engine: Bench) -> None:
    first, second = engine.start(), engine.start()
    Run.objects.filter(pk=first.pk).update(due_at=Now() - timedelta(seconds=1))
    Run.objects.filter(pk=second.pk).update(due_at=Now() - timedelta(seconds=2))
    assert [engine.acquire().run_id, engine.acquire().run_id] == [second.id, first.id]


def test_a_tenant_with_many_due_runs_does_not_starve_another(engine: Bench) -> None:
    for _ in range(5):
        engine.start()
    Run.objects.update(due_at=Now() - timedelta(hours=1))
    other = replace(engine, tenant=make_tenant("other"))
    late = other.start()
    taken = [engine.acquire().run_id for _ in range(2)]
    assert late.id in taken


def test_a_tenant_gets_no_more_than_its_slots(engine: Bench, settings: Settings) -> None:
    settings.KEDGE_TENANT_SLOTS = 2
    for _ in range(3):
        engine.start()
    engine.acquire()
    engine.acquire()
    assert acquire() is None


def test_a_lease_that_is_held_is_renewed(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    Run.objects.update(lease_until=Now() + timedelta(seconds=1))
    until = leases.renew(lease)
    run.refresh_from_db()
    assert until == run.lease_until


@pytest.mark.parametrize(
    ("shown", "stored"),
    [
        ({"fence": 0}, {}),
        ({"holder": uuid4()}, {}),
        ({}, {"fence": 2}),
        ({}, {"holder": uuid4()}),
        ({}, {"lease_until": Now() - timedelta(milliseconds=1)}),
    ],
)
def test_a_lost_lease_is_not_renewed(
    engine: Bench, shown: dict[str, Any], stored: dict[str, Any]
) -> None:
    engine.start()
    lease = engine.acquire()
    if stored:
        Run.objects.update(**stored)
    was = Run.objects.values().get()
    assert leases.renew(replace(lease, **shown)) is None
    assert Run.objects.values().get() == was


def test_a_takeover_is_noted_once(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    assert runs.lapse(run.id, fence=lease.fence, why="killed", actor=SWEEPER)
    engine.acquire()
    recovery = Recovery.objects.get()
    assert recovery.taken_over_at is not None
    assert recovery.taken_over_at >= recovery.noticed_at


def test_a_run_that_only_waited_is_no_takeover(engine: Bench) -> None:
    run = engine.start()
    recoveries.begin(run.id, fence=0, why="before")
    engine.acquire()
    assert Recovery.objects.get().taken_over_at is None


@IN_LINE_OR_FIRST
def test_rule_17_a_worker_without_the_code_neither_takes_nor_counts(
    engine: Bench, reason: str
) -> None:
    known = Combo.objects.create(task_type="x", manifest=b"{}", digest=sha256(b"{}").digest())
    foreign, mine = engine.start(), engine.start()
    Run.objects.filter(pk=foreign.pk).update(reason=reason, due_at=Now() - timedelta(hours=1))
    with by_force():
        Run.objects.filter(pk=mine.pk).update(combo=known)
    lease = leases.acquire(uuid4(), combos=[known.pk])
    assert lease is not None
    assert lease.run_id == mine.id
    assert leases.acquire(uuid4(), combos=[known.pk]) is None
    foreign.refresh_from_db()
    assert (foreign.status, foreign.attempts, foreign.fence) == ("queued", 0, 0)


def test_others_are_due_counts_only_what_this_worker_can_run(engine: Bench) -> None:
    engine.start()
    assert leases.others_are_due(runnable_combos())
    assert not leases.others_are_due([])
    engine.acquire()
    assert not leases.others_are_due(runnable_combos())


@pytest.mark.parametrize(
    ("attempts", "seconds"), [(0, 0), (1, 0), (2, 1), (3, 2), (4, 4), (6, 16), (7, 30), (99, 30)]
)
def test_rule_17_an_interrupted_run_waits_longer_each_time(attempts: int, seconds: int) -> None:
    assert leases.back_off(attempts) == timedelta(seconds=seconds)


def test_session_lock_numbers_fit_a_bigint_and_differ() -> None:
    numbers = {leases.session_lock_key(uuid4()) for _ in range(100)}
    assert len(numbers) == 100
    assert leases.session_lock_key(UUID(int=2**128 - 1)) == 2**63 - 1


def acquire() -> object:
    return leases.acquire(uuid4(), combos=runnable_combos())
