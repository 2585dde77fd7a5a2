"""What PostgreSQL refuses of plans, whoever asks and however."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from execution.plans.models import Plan, PlanItem, PlanOrder
from tests.engine.turns import Bench
from tests.execution.plans.held import carried, held, planned, started, totals

pytestmark = pytest.mark.django_db(transaction=True)

STATES = ("waiting", "planned", "left_out", "done", "skipped", "failed", "unproven")


@contextmanager
def refused(name: str) -> Iterator[None]:
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        yield


def move(plan: Plan, **changes: Any) -> None:
    Plan.objects.filter(pk=plan.pk).update(**changes)


def move_item(plan: Plan, **changes: Any) -> None:
    PlanItem.objects.filter(plan=plan).update(**changes)


def test_a_run_is_in_one_unfinished_plan(engine: Bench) -> None:
    (run,) = held(engine)
    planned(engine, [run])
    second = planned(engine, [run])
    with refused("a_run_is_in_one_unfinished_plan"):
        move_item(second, holds=True)
    fresh = Plan.objects.create(
        tenant=engine.tenant, number=9, kind="cancel", about="a", why="w", drafted_by=engine.starter
    )
    with refused("a_run_is_in_one_unfinished_plan"):
        PlanItem.objects.create(plan=fresh, position=1, run=run, holds=True)


def test_the_counters_are_the_items_and_nobody_sets_them(engine: Bench) -> None:
    plan = planned(engine, held(engine, 2))
    with refused("the_counters_of_a_plan_are_its_items"):
        move(plan, planned=1, done=1)
    with refused("the_totals_of_a_plan_add_up|the_counters_of_a_plan_are_its_items"):
        move(plan, done=1)


def test_a_counter_that_was_bent_lets_no_plan_move(engine: Bench) -> None:
    plan = started(planned(engine, held(engine, 2)), engine.starter)
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("UPDATE execution_plan SET planned = planned - 1, done = done + 1")
        cursor.execute("SET session_replication_role = origin")
    with refused("the_counters_of_a_plan_are_its_items"):
        move(plan, state="stopped")


def test_totals_add_up_after_every_move(engine: Bench) -> None:
    plan = carried(started(planned(engine, held(engine, 3)), engine.starter))
    counted = {
        name: n for name in STATES if (n := PlanItem.objects.filter(plan=plan, state=name).count())
    }
    assert totals(plan) == counted == {"unproven": 3}


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"why": "another"}, "a_plan_stays_what_was_reviewed"),
        ({"terms": {"verdict": "cancel"}}, "a_plan_stays_what_was_reviewed"),
        ({"kind": "cancel"}, "a_plan_stays_what_was_reviewed"),
        ({"digest": "0" * 64}, "a_plan_stays_what_was_reviewed"),
        ({"needs_second": "x"}, "a_plan_stays_what_was_reviewed"),
        ({"state": "finished"}, "a_plan_moves_only_forward"),
        ({"state": "computing"}, "a_plan_moves_only_forward"),
        ({"state": "stopped"}, "a_plan_moves_only_forward"),
    ],
)
def test_a_plan_stays_what_was_reviewed(engine: Bench, change: dict[str, Any], name: str) -> None:
    plan = planned(engine, held(engine))
    with refused(name):
        move(plan, **change)


@pytest.mark.parametrize(
    "change",
    [{"was": {}}, {"code": "x"}, {"sentence": "x"}, {"case_id": None}, {"terms": {"a": 1}}],
)
def test_an_item_stays_what_was_reviewed(engine: Bench, change: dict[str, Any]) -> None:
    plan = planned(engine, held(engine))
    with refused("an_item_stays_what_was_reviewed"):
        move_item(plan, **change)


def test_nothing_starts_without_a_persons_order_for_this_digest(engine: Bench) -> None:
    plan = planned(engine, held(engine))
    with refused("a_plan_starts_on_the_order_of_a_person"):
        move(plan, state="started", started_by=engine.starter)
    PlanOrder.objects.create(plan=plan, said="start", user=engine.starter, digest="0" * 64)
    with refused("a_plan_starts_on_the_order_of_a_person"):
        move(plan, state="started", started_by=engine.starter)
    PlanOrder.objects.create(plan=plan, said="start", user=engine.starter, digest=plan.digest)
    with refused("a_plan_starts_on_the_order_of_a_person"):
        move(plan, state="started", started_by=engine.approver)
    move(plan, state="started", started_by=engine.starter)
    with refused("a_plan_starts_on_the_order_of_a_person"):
        move(plan, started_by=engine.approver)


def test_an_item_is_carried_out_once_and_only_while_its_plan_is_started(engine: Bench) -> None:
    plan = planned(engine, held(engine))
    with refused("an_item_moves_with_its_plan"):
        move_item(plan, state="done", carried_at="2026-01-01T00Z")
    plan = carried(started(plan, engine.starter))
    with refused("an_item_is_carried_out_once"):
        move_item(plan, state="planned", carried_at=None)
    move_item(plan, state="done")
    with refused("an_item_is_carried_out_once"):
        move_item(plan, state="unproven")


def test_nothing_is_added_to_a_plan_that_is_reviewed(engine: Bench) -> None:
    first, second = held(engine, 2)
    plan = planned(engine, [first])
    with refused("items_are_added_while_a_plan_is_drafted"):
        PlanItem.objects.create(plan=plan, position=9, run=second)


def test_a_plan_begins_at_the_beginning(engine: Bench) -> None:
    with refused("a_plan_begins_at_the_beginning"):
        Plan.objects.create(
            tenant=engine.tenant,
            number=1,
            kind="cancel",
            about="a",
            why="w",
            drafted_by=engine.starter,
            state="started",
            digest="0" * 64,
            started_by=engine.starter,
        )


@pytest.mark.parametrize("model", [Plan, PlanItem, PlanOrder])
def test_nothing_of_a_plan_is_deleted(engine: Bench, model: Any) -> None:
    started(planned(engine, held(engine)), engine.starter)
    with refused("are facts and are only ever added"):
        model.objects.all()._raw_delete("default")


def test_what_a_person_said_of_a_plan_is_only_added(engine: Bench) -> None:
    started(planned(engine, held(engine)), engine.starter)
    with refused("are facts and are only ever added"):
        PlanOrder.objects.update(said="stop")
