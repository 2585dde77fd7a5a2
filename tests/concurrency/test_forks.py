"""Two people fork at once, a verdict crosses a fork, two forks reach one effect, and a kill between."""

import signal
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from checkpoints import runs
from checkpoints.errors import ForkMovedError, ForkRefusedError
from checkpoints.models import Case, Checkpoint, Fork, Run
from execution.forks import making, previews
from reconciliation import verdicts
from reconciliation.models import Action
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tests.approvals.racing import beside
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.forks.ways import done, forked, held, held_before_its_effect
from tests.execution.runs import due, full, waiting
from tests.forks import fork as child_of

pytestmark = pytest.mark.django_db(transaction=True)


def ask(engine: Bench, source: Run, **wanted: Any) -> tuple[Run, bool]:
    asked = making.Wanted(reason="anew", **{"seq": 2, "token": uuid4(), **wanted})
    return making.fork(full(source), asked, actor=Actor.person(engine.starter))


def test_of_two_who_saw_the_same_one_forks_and_the_other_is_told(engine: Bench) -> None:
    source = done(engine)
    seen = previews.preview(source, 2, source.combo, frozenset(), withdraws=False).digest
    with beside() as side:
        with transaction.atomic():
            ask(engine, source, seen=seen)
            second = side.start_and_block(partial(ask, engine, source, seen=seen))
        with pytest.raises(ForkMovedError):
            second.result()
    assert Fork.objects.count() == 1


def test_the_same_request_twice_at_once_is_one_fork(engine: Bench) -> None:
    source, token = done(engine), uuid4()
    with beside() as side:
        with transaction.atomic():
            first, created = ask(engine, source, token=token)
            second = side.start_and_block(partial(ask, engine, source, token=token))
        again, anew = second.result()
    assert (again.pk, created, anew) == (first.pk, True, False)
    assert Fork.objects.count() == 1


def test_a_verdict_that_lets_the_source_go_on_is_waited_for_and_then_judged(engine: Bench) -> None:
    source = held_before_its_effect(engine)
    case = Case.objects.get(run=source)
    with beside() as side:
        with transaction.atomic():
            verdicts.give(case.id, Given("try_again", "mended"), user=engine.approver)
            fork = side.start_and_block(partial(ask, engine, source))
        with pytest.raises(ForkRefusedError, match="still at work"):
            fork.result()
    assert not Fork.objects.exists()


def test_two_forks_that_propose_one_effect_at_once_have_it_once(engine: Bench) -> None:
    """The loser's look at the key was before the winner's commit: the database decides."""
    source = held(waiting(engine))
    first, second = (forked(engine, source, 2, withdraws=True) for _ in range(2))
    with beside() as side:
        turns = [side.start(engine.turn) for _ in range(2)]
        for turn in turns:
            turn.result()
    both = {full(first).reason, full(second).reason}
    assert both == {"for_approval", "for_same_key"}
    assert Action.objects.filter(generation=2).count() == 1
    asking = first if full(first).reason == "for_approval" else second
    engine.decide(asking)
    waits = second if asking == first else first
    Run.objects.filter(pk=waits.pk).update(due_at=None)
    engine.turn()
    due(waits)
    engine.turn()
    assert {full(first).status, full(second).status} == {"succeeded"}
    assert len(effects()) == 1


@pytest.mark.parametrize(("point", "made"), [("fork:before", 0), ("fork:after", 1)])
def test_killed_around_its_boundary_a_fork_is_there_or_not_and_asked_again_it_is_one(
    engine: Bench, point: str, made: int
) -> None:
    source, token = done(engine), uuid4()
    child = child_of(lambda: ask(engine, source, token=token), KEDGE_KILL_AT=f"{point}@1")
    assert child.wait() == -signal.SIGKILL
    assert Fork.objects.count() == made
    assert Run.objects.count() == 1 + made
    assert Checkpoint.objects.filter(node="(forked)").count() == made
    run, created = ask(engine, source, token=token)
    assert (created, Fork.objects.count()) == (not made, 1)
    engine.turn()
    assert full(run).status == "succeeded"
    assert len(effects()) == 1


@pytest.mark.parametrize("point", ["reuse:before", "reuse:after"])
def test_killed_as_it_takes_an_effect_over_a_fork_takes_it_over_once(
    engine: Bench, point: str
) -> None:
    source = done(engine)
    run = forked(engine, source, 2)
    child = child_of(engine.turn, KEDGE_KILL_AT=f"{point}@1")
    assert child.wait() == -signal.SIGKILL
    again(run.pk)
    engine.turn()
    assert full(run).status == "succeeded"
    assert len(effects()) == 1


def again(run_id: UUID) -> None:
    """As the sweeper does once the lease has run out."""
    run = Run.objects.get(pk=run_id)
    runs.lapse(run_id, fence=run.fence, why="killed", actor=Actor.machine("test"))
    due(run)
