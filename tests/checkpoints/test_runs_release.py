"""Letting go of a run: suspend, yield, retry, hold, finish, lapse, cancel, release of a hold."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.db.models.functions import Now
from redis import Redis

from approvals import clock
from checkpoints import cases, recoveries, runs, wakeups
from checkpoints.cases import Ruling, Trouble
from checkpoints.commits import Lease
from checkpoints.errors import IllegalMoveError, LeaseLostError
from checkpoints.models import Case, Event, Recovery, Run
from checkpoints.runs import Outcome
from tenants.actors import Actor
from tests.checkpoints.records import commit
from tests.engine.turns import Bench

WORKER = Actor.machine("worker")
TROUBLE = Trouble("invalid_output", "It is not JSON.")
DONE = Outcome("succeeded", "done", "Done.")
WAYS: dict[str, Callable[[Lease], Any]] = {
    "suspend": lambda lease: runs.suspend(lease, "for_approval", "Waits.", due_at=None),
    "yield": runs.yield_to_others,
    "retry": lambda lease: runs.retry_later(lease, "Again.", seconds=1),
    "hold": lambda lease: runs.hold(lease, TROUBLE, actor=WORKER),
    "finish": lambda lease: runs.finish(lease, DONE, actor=WORKER),
}
STALE: dict[str, dict[str, Any]] = {
    "stale fence": {"fence": 0},
    "wrong holder": {"holder": uuid4()},
}


@pytest.fixture
def lease(engine: Bench) -> Lease:
    engine.start()
    return engine.acquire()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("stale", STALE)
def test_a_stale_owner_lets_go_of_nothing(lease: Lease, way: str, stale: str) -> None:
    was = Run.objects.values().get()
    with pytest.raises(LeaseLostError, match="no longer holds it"), transaction.atomic():
        WAYS[way](replace(lease, **STALE[stale]))
    assert Run.objects.values().get() == was
    assert not Case.objects.exists()


@pytest.mark.parametrize("way", WAYS)
def test_letting_go_twice_is_refused(lease: Lease, way: str) -> None:
    WAYS[way](lease)
    with pytest.raises(LeaseLostError), transaction.atomic():
        WAYS[way](lease)


@pytest.mark.parametrize("way", WAYS)
def test_rule_17_an_orderly_release_gives_the_attempt_back(lease: Lease, way: str) -> None:
    Run.objects.update(attempts=3)
    WAYS[way](lease)
    run = Run.objects.get()
    assert (run.attempts, run.holder, run.lease_until) == (2, None, None)


def test_a_suspended_run_waits_with_its_reason_until_it_is_due(lease: Lease) -> None:
    at = clock.now() + timedelta(minutes=5)
    runs.suspend(lease, "for_settling", "Settling.", due_at=at)
    run = Run.objects.get()
    assert (run.status, run.reason, run.sentence, run.due_at) == (
        "waiting",
        "for_settling",
        "Settling.",
        at,
    )


def test_a_run_woken_while_it_worked_is_queued_instead_of_waiting(lease: Lease) -> None:
    wakeups.wake(lease.run_id, why="decided")
    runs.suspend(lease, "for_approval", "Waits.", due_at=None)
    run = Run.objects.get()
    assert (run.status, run.reason) == ("queued", "woken")
    assert run.due_at is not None


def test_a_run_that_made_room_is_due_at_once(engine: Bench, lease: Lease) -> None:
    runs.yield_to_others(lease)
    assert Run.objects.get().reason == "yielded"
    assert engine.acquire().run_id == lease.run_id


def test_a_retry_counts_the_failure_and_waits(lease: Lease) -> None:
    runs.retry_later(lease, "The remote is busy.", seconds=60)
    run = Run.objects.get()
    assert (run.status, run.reason, run.node_failures) == ("waiting", "for_retry", 1)
    assert run.due_at is not None
    assert timedelta(seconds=50) < run.due_at - clock.now() <= timedelta(seconds=60)


def test_a_commit_forgets_failures_and_attempts(lease: Lease) -> None:
    Run.objects.update(node_failures=2, attempts=4)
    commit(lease)
    assert Run.objects.values_list("node_failures", "attempts").get() == (0, 0)


def test_final_is_final(engine: Bench, lease: Lease) -> None:
    recoveries.begin(lease.run_id, fence=0, why="before")
    runs.finish(lease, DONE, actor=WORKER)
    run = Run.objects.get()
    assert (run.status, run.stop_reason, run.reason, run.due_at) == ("succeeded", "done", "", None)
    assert run.finished_at is not None
    assert Recovery.objects.get().ended == "recovered"
    assert Event.objects.filter(run=run).latest("id").detail == {"stop_reason": "done"}
    with pytest.raises(IllegalMoveError, match="ended already: succeeded"):
        runs.request_cancel(run.id, why="late", actor=WORKER)


def test_a_lapsed_lease_makes_the_run_due_and_begins_a_recovery(lease: Lease) -> None:
    commit(lease)
    assert runs.lapse(lease.run_id, fence=1, why="killed", actor=WORKER)
    run, recovery = Run.objects.get(), Recovery.objects.get()
    assert (run.status, run.reason, run.holder, run.fence) == ("queued", "interrupted", None, 1)
    assert "killed" in run.sentence
    assert (recovery.interrupted_fence, recovery.why) == (1, "killed")
    detail = Event.objects.filter(run=run).latest("id").detail
    assert detail == {"why": "killed", "fence": 1, "head": 1}


def test_a_lapse_names_its_lease_and_takes_no_other(lease: Lease) -> None:
    assert not runs.lapse(lease.run_id, fence=0, why="killed", actor=WORKER)
    assert Run.objects.get().status == "running"
    assert runs.lapse(lease.run_id, fence=1, why="killed", actor=WORKER)
    assert not runs.lapse(lease.run_id, fence=1, why="killed", actor=WORKER)
    assert Recovery.objects.count() == 1


def test_a_run_that_has_ended_has_no_lease_to_take_away(lease: Lease) -> None:
    runs.finish(lease, runs.Outcome("succeeded", "done", "Done."), actor=WORKER)
    assert not runs.lapse(lease.run_id, fence=1, why="killed", actor=WORKER)
    assert Run.objects.get().status == "succeeded"
    assert not Recovery.objects.exists()


def test_a_lapse_keeps_the_attempt_and_backs_off(lease: Lease) -> None:
    Run.objects.update(attempts=4)
    runs.lapse(lease.run_id, fence=1, why="killed", actor=WORKER)
    run = Run.objects.get()
    assert run.attempts == 4
    assert run.due_at is not None
    assert run.due_at > clock.now() + timedelta(seconds=2)


def test_a_cancel_is_asked_once_and_rings(lease: Lease, doorbell: Redis) -> None:
    person = Actor.machine("Ada")
    first = runs.request_cancel(lease.run_id, why="wrong", actor=person)
    again = runs.request_cancel(lease.run_id, why="wrong", actor=Actor.machine("Bob"))
    assert (again.cancel_requested_by, again.cancel_requested_at) == (
        "Ada",
        first.cancel_requested_at,
    )
    assert Event.objects.filter(what="cancel requested").count() == 1
    assert again.wakes == 2


def test_a_waiting_run_is_queued_to_be_cancelled(lease: Lease) -> None:
    runs.suspend(lease, "for_approval", "Waits.", due_at=None)
    runs.request_cancel(lease.run_id, why="wrong", actor=WORKER)
    assert Run.objects.get().status == "queued"


def test_a_released_hold_starts_counting_anew(lease: Lease, engine: Bench) -> None:
    Run.objects.update(attempts=6, node_failures=3)
    runs.hold(lease, TROUBLE, actor=WORKER)
    with transaction.atomic():
        _, case = cases.locked(Case.objects.get().id)
        cases.decide(case, Ruling("go_on", "fixed"), user=engine.approver)
        runs.release_hold(lease.run_id, sentence="Goes on.")
    run = Run.objects.get()
    assert (run.status, run.reason, run.attempts, run.node_failures) == ("queued", "woken", 0, 0)
    assert run.wakes == 1


def test_a_run_that_is_not_held_cannot_be_released(lease: Lease) -> None:
    with pytest.raises(IllegalMoveError, match="not on hold any more"):
        runs.release_hold(lease.run_id, sentence="Goes on.")


def test_a_final_run_cannot_be_leased_even_if_it_looks_due(engine: Bench, lease: Lease) -> None:
    runs.finish(lease, DONE, actor=WORKER)
    Run.objects.update(due_at=Now())
    assert not Run.objects.filter(status="queued").exists()
    with pytest.raises(AssertionError):
        engine.acquire()
