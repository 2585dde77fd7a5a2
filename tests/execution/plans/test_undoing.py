"""One plan that begins to undo many effects: a run of its own each, and nothing sent before a yes."""

import pytest
from django.db import transaction
from django.http import QueryDict

from checkpoints.models import Run
from execution.plans import drafting, sources
from execution.plans.drafting import Draft
from execution.plans.models import Plan, PlanItem
from reconciliation.models import Action
from reconciliation.verdicts import compensating
from tests.engine import registry
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.plans.held import carried, started, totals

pytestmark = pytest.mark.django_db(transaction=True)
TOOL = "fake.void"


def done(engine: Bench, tool: str = TOOL) -> Action:
    run = engine.start(tool=tool, what="a")
    engine.turn()
    engine.decide(run)
    engine.turn()
    return Action.objects.get(run=run)


def planned(engine: Bench, *actions: Action) -> Plan:
    query = QueryDict("&".join(["from=actions", *(f"id={each.pk}" for each in actions)]))
    chosen = sources.chosen(engine.tenant, query)
    draft = Draft("compensate", "the prompt was wrong", chosen.about, chosen.targets, {}, 6_000)
    return drafting.draft(engine.tenant, draft, user=engine.starter)


def undoing() -> list[Run]:
    return list(Run.objects.filter(business_key__startswith="undo ").order_by("pk"))


def test_each_effect_gets_a_run_that_asks_before_it_sends(engine: Bench) -> None:
    actions = [done(engine), done(engine)]
    before = effects()
    plan = carried(started(planned(engine, *actions), engine.starter))
    assert totals(plan) == {"done": 2}
    assert [run.status for run in undoing()] == ["queued", "queued"]
    assert effects() == before
    for _run in undoing():
        engine.turn()
    assert {run.reason for run in undoing()} == {"for_approval"}
    assert effects() == before


def test_what_is_being_undone_is_left_out(engine: Bench) -> None:
    action = done(engine)
    carried(started(planned(engine, action), engine.starter))
    again = planned(engine, action)
    assert totals(again) == {"left_out": 1}
    assert PlanItem.objects.get(plan=again).code == "undone"


def test_what_nobody_can_undo_or_did_not_happen_is_left_out(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(registry.COMPENSATIONS, "fake.keyed")
    waits = engine.start(tool=TOOL, what="b")
    engine.turn()
    plan = planned(engine, done(engine, "fake.keyed"), Action.objects.get(run=waits))
    codes = PlanItem.objects.filter(plan=plan).values_list("code", flat=True)
    assert sorted(codes) == ["cannot_be_undone", "changed"]
    assert undoing() == []


def test_an_undoing_that_began_since_the_review_is_the_only_one(engine: Bench) -> None:
    action = done(engine)
    plan = started(planned(engine, action), engine.starter)
    with transaction.atomic():
        compensating.undo(action, why=f"{plan.why} ({plan})", channel="page", user=engine.starter)
    carried(plan)
    assert totals(plan) == {"failed": 1}
    assert "is at it already" in PlanItem.objects.get(plan=plan).said
    assert len(undoing()) == 1
