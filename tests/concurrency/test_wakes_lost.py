"""Rule 15: a wake-up between asking and suspending is never lost."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction

from approvals import clock
from checkpoints import runs, stops, wakeups
from checkpoints.commits import Lease
from checkpoints.models import Run
from checkpoints.timers import SelfStop
from execution import effects, executor, sweeper
from execution.errors import Suspend
from tenants.actors import Actor
from tests.approvals.racing import beside, run_locked
from tests.checkpoints.lifts import lifted
from tests.engine.turns import Bench
from tests.reconciliation.ready import ready

pytestmark = pytest.mark.django_db(transaction=True)

ADA = Actor.machine("Ada")


def asked(engine: Bench) -> tuple[Run, Lease, Suspend]:
    """A run whose question is put, with the worker about to let go of it."""
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    Run.objects.update(status="queued", reason="woken", due_at=clock.now())
    lease = engine.acquire()
    with SelfStop() as self_stop:
        work = executor._work(executor_run(run), lease, self_stop, lambda: False)
        with pytest.raises(Suspend) as ending:
            effects.run_action(work)
    return run, lease, ending.value


def executor_run(run: Run) -> Run:
    return Run.objects.select_related("tenant", "combo").get(pk=run.pk)


def test_rule_15_a_decision_before_the_suspend_queues_the_run(engine: Bench) -> None:
    run, lease, ending = asked(engine)
    with beside() as side:
        side.start(partial(engine.decide, run)).result()
    executor.release(lease, run, ending)
    run.refresh_from_db()
    assert (run.status, run.reason) == ("queued", "woken")
    engine.turn()
    assert Run.objects.get().status == "succeeded"


def test_rule_15_a_decision_that_waits_for_the_suspend_queues_the_run(engine: Bench) -> None:
    run, lease, ending = asked(engine)
    with beside() as side:
        with transaction.atomic():
            executor.release(lease, run, ending)
            deciding = side.start_and_block(partial(engine.decide, run))
        deciding.result()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("queued", "woken")


def test_rule_15_a_suspend_that_waits_for_a_decision_sees_it(engine: Bench) -> None:
    run, lease, ending = asked(engine)
    with beside() as side:
        with transaction.atomic():
            engine.decide(run)
            suspending = side.start_and_block(partial(executor.release, lease, run, ending))
        suspending.result()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("queued", "woken")


def test_rule_15_a_wake_that_waits_for_a_suspend_finds_the_run_waiting(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    with beside() as side:
        with run_locked(run.id):
            runs.suspend(lease, "for_approval", "Waits.", due_at=None)
            waking = side.start_and_block(partial(_wake, run))
        waking.result()
    run.refresh_from_db()
    assert (run.status, run.wakes) == ("queued", 1)


def test_rule_15_the_sweeper_derives_a_lost_wake_from_the_decision(engine: Bench) -> None:
    it = ready(engine)
    runs.suspend(it.lease, "for_approval", "Waits.", due_at=clock.now() + timedelta(days=1))
    assert it.run.status == "waiting"
    assert sweeper.sweep()["wake decided"] == 1
    assert it.run.status == "queued"


def test_rule_15_the_sweeper_leaves_a_run_whose_question_is_open(engine: Bench) -> None:
    engine.start(tool="fake.void", what="a")
    engine.turn()
    assert sweeper.sweep()["wake decided"] == 0
    assert Run.objects.get().status == "waiting"


def test_rule_15_the_sweeper_derives_a_lost_wake_from_a_lifted_stop(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    made = stops.stop(engine.tenant, "effects", why="x", actor=ADA)
    lifted(made)
    runs.suspend(lease, "for_stop", "Stopped.", due_at=None)
    assert sweeper.sweep()["let go on"] == 1
    assert Run.objects.get().status == "queued"


def test_rule_15_the_sweeper_leaves_a_run_while_its_stop_stands(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    stops.stop(None, "effects", why="x", actor=ADA)
    runs.suspend(lease, "for_stop", "Stopped.", due_at=None)
    assert sweeper.sweep()["let go on"] == 0
    assert Run.objects.get().status == "waiting"


def _wake(run: Run) -> None:
    with transaction.atomic():
        wakeups.wake(run.id, why="decided")
