"""A plan does to each run what was reviewed, once, and says of each what became of it."""

import pytest

from checkpoints import runs
from checkpoints import states as record
from checkpoints.cases import Trouble
from checkpoints.models import Case, Event, Run, Verdict
from execution.plans import carrying, ordering, proving
from execution.plans.models import Plan, PlanItem
from execution.plans.ordering import Order
from reconciliation import verdicts
from reconciliation.models import Action
from reconciliation.verdicts import Given
from tenants.access import revoke
from tests.engine.turns import Bench
from tests.execution.plans.held import (
    WORKER,
    carried,
    held,
    planned,
    results,
    started,
    totals,
    unknown,
)
from tests.people import eve

pytestmark = pytest.mark.django_db(transaction=True)


def test_each_run_is_decided_once_and_is_done_when_it_is_proven(engine: Bench) -> None:
    over = held(engine, 3)
    plan = carried(started(planned(engine, over), engine.starter))
    assert (plan.state, totals(plan)) == ("finished", {"unproven": 3})
    assert Verdict.objects.count() == 3
    assert set(Run.objects.values_list("status", flat=True)) == {record.QUEUED}
    for _ in over:
        engine.turn()
    assert proving.prove(plan.pk) == 3
    assert totals(plan) == {"done": 3}
    assert Case.objects.filter(closed_at=None).count() == 0


def test_what_moved_since_the_review_is_skipped_and_named(engine: Bench) -> None:
    first, second = held(engine, 2)
    plan = started(planned(engine, [first, second]), engine.starter)
    case = Case.objects.get(run=second)
    verdicts.give(case.pk, Given("try_again", "mine"), user=eve(engine.tenant))
    carried(plan)
    assert totals(plan) == {"unproven": 1, "skipped": 1}
    item = PlanItem.objects.get(plan=plan, run=second)
    assert "status held → queued" in item.said
    assert Verdict.objects.filter(case=case).count() == 1


def test_another_case_of_the_run_is_not_decided_by_a_plan_for_the_first(engine: Bench) -> None:
    (run,) = held(engine)
    plan = started(planned(engine, [run]), engine.starter)
    first = Case.objects.get()
    verdicts.give(first.pk, Given("try_again", "mine"), user=eve(engine.tenant))
    runs.hold(engine.acquire(), Trouble("world_changed", "Moved once more."), actor=WORKER)
    carried(plan)
    assert PlanItem.objects.get().state == "skipped"
    assert "its case" in PlanItem.objects.get().said
    assert Case.objects.exclude(pk=first.pk).get().decided_at is None


def test_a_refusal_in_one_run_keeps_no_other_from_its_turn(engine: Bench) -> None:
    about = Action.objects.get(run=unknown(engine)[0])
    over = held(engine, 3)
    plan = started(planned(engine, over), engine.starter)
    # Nothing that is watched moves, and yet the verb refuses: a race that only the lock sees.
    Case.objects.filter(run=over[1]).update(kind="duplicate_effect", action_id=about.pk)
    carried(plan)
    assert results(plan) == ["unproven", "failed", "unproven"]
    assert Verdict.objects.count() == 2
    assert Run.objects.get(pk=over[1].pk).status == record.HELD


def test_who_loses_the_right_in_between_stops_the_plan(engine: Bench) -> None:
    plan = started(planned(engine, held(engine, 2)), engine.starter)
    revoke(engine.tenant, engine.starter, "reconcile_actions")
    carried(plan)
    assert (plan.state, totals(plan)) == ("stopped", {"planned": 2})
    assert "may not do this any more" in plan.stopped_because
    assert not Verdict.objects.exists()


def test_who_is_deactivated_in_between_stops_the_plan(engine: Bench) -> None:
    plan = started(planned(engine, held(engine)), engine.starter)
    engine.starter.is_active = False
    engine.starter.save(update_fields=["is_active"])
    assert carried(plan).state == "stopped"


def test_a_stopped_plan_does_nothing_more_and_goes_on_where_it_stopped(engine: Bench) -> None:
    plan = started(planned(engine, held(engine, 3)), engine.starter)
    assert carrying.carry_on(plan.pk, most=1) == 1
    ordering.stop(plan.pk, Order(""), user=eve(engine.tenant))
    assert carrying.carry_on(plan.pk) == 0
    assert totals(plan) == {"planned": 2, "unproven": 1}
    carried(ordering.start(plan.pk, Order(plan.digest), user=eve(engine.tenant)))
    assert totals(plan) == {"unproven": 3}
    names = set(Verdict.objects.values_list("given_by__name", flat=True))
    assert names == {"Ada", "Eve"}


def test_a_plan_keeps_its_rate(engine: Bench) -> None:
    plan = planned(engine, held(engine, 3))
    ordering.start(plan.pk, Order(plan.digest, per_minute=1), user=engine.starter)
    assert carrying.carry_on(plan.pk) == 1
    assert carrying.carry_on(plan.pk) == 0


def test_a_run_that_is_held_again_is_told_as_failed(engine: Bench) -> None:
    (run,) = held(engine)
    plan = carried(started(planned(engine, [run]), engine.starter))
    runs.hold(engine.acquire(), Trouble("crash_loop", "Died again."), actor=WORKER)
    assert proving.prove(plan.pk) == 1
    assert totals(plan) == {"failed": 1}
    assert PlanItem.objects.get().said == "Died again."


def test_the_history_of_a_run_names_the_plan(engine: Bench) -> None:
    (run,) = held(engine)
    carried(started(planned(engine, [run]), engine.starter))
    told = Event.objects.filter(run_id=run.pk, what__in=["planned", "carried out"])
    assert [event.detail["plan"] for event in told] == ["P-1", "P-1"]


def test_a_run_is_let_go_when_its_plan_ends(engine: Bench) -> None:
    (run,) = held(engine)
    plan = planned(engine, [run])
    ordering.discard(plan.pk, Order(""), user=engine.starter)
    assert planned(engine, [run]).planned == 1
    assert Plan.objects.count() == 2
