"""Two plans for one run, two processes at one plan, a stop in between: one result each."""

from functools import partial

import pytest
from django.db import transaction

from checkpoints import wakeups
from checkpoints.models import Case, Run, Verdict
from execution.plans import carrying, computing, ordering
from execution.plans.models import Plan, PlanItem
from execution.plans.ordering import Order
from reconciliation import verdicts
from reconciliation.models import Action
from reconciliation.verdicts import Given
from tests.approvals.racing import beside
from tests.engine.turns import Bench
from tests.execution.plans.held import FAST, held, planned, started, totals
from tests.people import eve
from tests.reconciliation.deskwork import guards_off

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_two_plans_drafted_at_once_for_one_run_one_has_it(engine: Bench) -> None:
    over = held(engine, 2)
    with beside() as side:
        with transaction.atomic():
            first = planned(engine, over[:1])
            second = side.start_and_block(partial(planned, engine, over))
        plan = second.result()
    assert totals(first) == {"planned": 1}
    assert totals(plan) == {"planned": 1, "left_out": 1}
    assert PlanItem.objects.get(plan=plan, run=over[0]).sentence == "In plan P-1 by Ada."


def test_a_draft_that_is_rolled_back_lets_the_other_have_the_run(engine: Bench) -> None:
    over = held(engine)
    with beside() as side:
        with transaction.atomic():
            planned(engine, over)
            second = side.start_and_block(partial(planned, engine, over))
            transaction.set_rollback(True)
        assert totals(second.result()) == {"planned": 1}
    assert Plan.objects.get().number == 1


def test_many_at_one_plan_do_each_item_once(engine: Bench) -> None:
    plan = started(planned(engine, held(engine, 8)), engine.starter)
    Plan.objects.filter(pk=plan.pk).update(per_minute=FAST, paced_at="2020-01-01T00Z")

    def carry() -> int:
        done = 0
        while Plan.objects.get(pk=plan.pk).state == "started":
            done += carrying.carry_on(plan.pk)
        return done

    with beside() as side:
        told = [each.result() for each in [side.start(carry) for _ in range(3)]]
    assert sum(told) == 8
    assert Verdict.objects.count() == 8
    assert totals(plan) == {"unproven": 8}


def test_who_works_a_plan_out_while_another_does_leaves_it_alone(engine: Bench) -> None:
    plan = planned(engine, held(engine))
    with beside() as side, transaction.atomic():
        Plan.objects.select_for_update().get(pk=plan.pk)
        assert side.start(partial(computing.compute, plan.pk)).result() == 0
        assert side.start(partial(carrying.carry_on, plan.pk)).result() == 0


def test_a_stop_waits_for_the_item_under_way_and_no_further(engine: Bench) -> None:
    plan = started(planned(engine, held(engine, 2)), engine.starter)
    with beside() as side:
        with transaction.atomic():
            assert carrying.carry_on(plan.pk, most=1) == 1
            stop = partial(ordering.stop, plan.pk, Order(""), user=eve(engine.tenant))
            stopping = side.start_and_block(stop)
        assert stopping.result().state == "stopped"
    assert carrying.carry_on(plan.pk) == 0
    assert totals(plan) == {"planned": 1, "unproven": 1}


def test_a_person_who_is_quicker_in_a_case_wins_and_the_item_is_skipped(engine: Bench) -> None:
    (run,) = held(engine)
    plan = started(planned(engine, [run]), engine.starter)
    case = Case.objects.get()
    with beside() as side:
        with transaction.atomic():
            verdicts.give(case.pk, Given("try_again", "mine"), user=eve(engine.tenant))
            item = side.start_and_block(partial(carrying.carry_on, plan.pk))
        item.result()
    assert totals(plan) == {"skipped": 1}
    assert Verdict.objects.get().given_by == eve(engine.tenant)


def test_an_effect_that_leaves_while_its_run_is_to_be_cancelled_is_seen(engine: Bench) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    plan = started(planned(engine, [run], "cancel"), engine.starter)
    with beside() as side:
        with transaction.atomic():
            Run.objects.select_for_update().get(pk=run.pk)
            item = side.start_and_block(partial(carrying.carry_on, plan.pk))
            with guards_off():
                Action.objects.filter(run=run).update(stands="dispatched", outcome="unknown")
        item.result()
    assert totals(plan) == {"skipped": 1}
    assert Run.objects.get().cancel_requested_at is None


def test_a_run_that_moves_while_its_item_waits_for_it_is_skipped(engine: Bench) -> None:
    run = engine.start()
    waits = {"status": "waiting", "reason": "for_retry", "due_at": "2099-01-01T00Z"}
    Run.objects.filter(pk=run.pk).update(**waits)
    plan = started(planned(engine, [run]), engine.starter)
    with beside() as side:
        with transaction.atomic():
            wakeups.wake(run.pk, why="Somebody was quicker.")
            item = side.start_and_block(partial(carrying.carry_on, plan.pk))
        item.result()
    assert totals(plan) == {"skipped": 1}
