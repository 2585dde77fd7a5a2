"""Killed at any point, a plan does no item twice, goes on, and its totals add up."""

import os
import signal

import pytest
from django.db import connection

from checkpoints.models import Event, Run, Verdict
from execution.plans import carrying, computing, drafting
from execution.plans.models import Plan, PlanItem
from tests.engine.turns import Bench
from tests.execution.plans.held import carried, held, planned, results, started, totals
from tests.execution.plans.test_drafting import over
from tests.forks import fork

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("point", ["before@1", "after@1", "before@2", "after@2", "after@3"])
def test_killed_around_an_item_none_is_done_twice(engine: Bench, point: str) -> None:
    plan = started(planned(engine, held(engine, 3)), engine.starter)
    Plan.objects.update(paced_at="2020-01-01T00Z")
    child = fork(lambda: carrying.carry_on(plan.pk), KEDGE_KILL_AT=f"plan item:{point}")
    assert child.wait() == -signal.SIGKILL
    carried(plan)
    judge(plan)


# Each statement of an item's transaction, from its first lock to the end: killed before it.
@pytest.mark.parametrize("statement", range(1, 40, 3))
def test_killed_between_any_two_statements_nothing_is_half_done(
    engine: Bench, statement: int
) -> None:
    plan = started(planned(engine, held(engine, 2)), engine.starter)
    child = fork(lambda: _carry_until(plan, statement))
    assert child.wait() == -signal.SIGKILL
    moved = PlanItem.objects.filter(state="unproven").count()
    assert moved == Verdict.objects.count() == Run.objects.filter(status="queued").count()
    carried(plan)
    judge(plan, items=2)


@pytest.mark.parametrize("point", ["before@1", "after@1", "before@2", "after@2"])
def test_killed_while_it_is_worked_out_it_is_worked_out_all_the_same(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    monkeypatch.setattr(drafting, "AT_ONCE", 0)
    plan = drafting.draft(engine.tenant, over(*held(engine, 3)), user=engine.starter)

    def work_out() -> None:
        while computing.compute(plan.pk, most=2):
            pass

    child = fork(work_out, KEDGE_KILL_AT=f"plan chunk:{point}")
    assert child.wait() == -signal.SIGKILL
    work_out()
    plan.refresh_from_db()
    assert (plan.state, totals(plan)) == ("ready", {"planned": 3})
    assert plan.digest == computing.digest_of(plan)
    assert Event.objects.filter(what="planned").count() == 3


def judge(plan: Plan, *, items: int = 3) -> None:
    plan.refresh_from_db()
    assert (plan.state, results(plan)) == ("finished", ["unproven"] * items)
    assert totals(plan) == {"unproven": items}
    assert Verdict.objects.count() == items
    assert Event.objects.filter(what="carried out").count() == items


def _carry_until(plan: Plan, statement: int) -> None:
    """Carry out until the n-th statement from here on, and die before that is sent."""
    left = iter(range(statement))

    def die(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(die):
        while True:
            carrying.carry_on(plan.pk)
