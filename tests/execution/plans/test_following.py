"""One plan that tells whom effects concern: a run of its own each, and nothing sent before a yes."""

import pytest
from django.db import transaction
from django.http import QueryDict

from canonical import json as canonical
from checkpoints.models import Run
from execution.plans import drafting, sources
from execution.plans.drafting import Draft
from execution.plans.errors import PlanRefusedError
from execution.plans.kinds import following
from execution.plans.kinds.contract import Carrying
from execution.plans.models import Plan, PlanItem
from execution.plans.subjects import Subject
from reconciliation.models import Action
from reconciliation.tools import FollowUp
from tenants import access
from tenants.errors import Denied
from tests.engine import registry
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.plans.held import carried, started, totals
from tests.people import bob

pytestmark = pytest.mark.django_db(transaction=True)


def done(engine: Bench, **content: str) -> Action:
    run = engine.start(**{"tool": "fake.void", "what": "a", **content})
    engine.turn()
    engine.decide(run)
    engine.turn()
    return Action.objects.get(run=run)


def draft(engine: Bench, *actions: Action, say: str = "We are sorry.") -> Draft:
    query = QueryDict("&".join(["from=actions", *(f"id={each.pk}" for each in actions)]))
    chosen = sources.chosen(engine.tenant, query)
    assert "follow_up" in chosen.kinds
    why = "the prompt was wrong"
    return Draft("follow_up", why, chosen.about, chosen.targets, {"say": say}, 6_000)


def planned(engine: Bench, *actions: Action, say: str = "We are sorry.") -> Plan:
    return drafting.draft(engine.tenant, draft(engine, *actions, say=say), user=engine.starter)


def telling() -> list[Run]:
    return list(Run.objects.filter(task_type="tell").order_by("pk"))


def codes(plan: Plan) -> list[str]:
    return sorted(PlanItem.objects.filter(plan=plan).values_list("code", flat=True))


def test_each_effect_gets_a_run_that_asks_before_it_sends(engine: Bench) -> None:
    actions = [done(engine, whom="ann"), done(engine, whom="ben")]
    before = effects()
    plan = carried(started(planned(engine, *actions), engine.starter))
    assert totals(plan) == {"done": 2}
    told = [canonical.loads_object(bytes(run.input)) for run in telling()]
    assert sorted((each["about"], each["say"]) for each in told) == [
        ("ann", "We are sorry."),
        ("ben", "We are sorry."),
    ]
    for _run in telling():
        engine.turn()
    assert {run.reason for run in telling()} == {"for_approval"}
    assert effects() == before
    for run in telling():
        engine.decide(run)
        engine.turn()
    assert {run.status for run in telling()} == {"succeeded"}
    assert len(effects()) == len(before) + 2


def test_the_same_words_are_said_once_and_other_words_again(engine: Bench) -> None:
    action = done(engine)
    carried(started(planned(engine, action), engine.starter))
    again = planned(engine, action)
    assert codes(again) == ["followed_up"]
    carried(started(planned(engine, action, say="And a voucher."), engine.starter))
    assert len(telling()) == 2


@pytest.mark.parametrize("is_over", [False, True])
def test_what_began_since_the_review_is_not_said_twice(engine: Bench, is_over: bool) -> None:
    action = done(engine)
    plan = started(planned(engine, action), engine.starter)
    with transaction.atomic():
        begun = Carrying(Subject(action.run, None, action), plan.terms, plan.why, engine.starter)
        following.carry_out(begun)
    (told,) = telling()
    if is_over:
        engine.turn()
        engine.decide(told)
        engine.turn()
    carried(plan)
    assert totals(plan) == {"failed": 1}
    assert "already" in PlanItem.objects.get(plan=plan).said
    assert len(telling()) == 1


def test_what_cannot_be_followed_is_left_out_and_says_why(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(registry.FOLLOW_UPS, "fake.keyed")
    waits = engine.start(tool="fake.void", what="b")
    engine.turn()
    actions = [
        done(engine, tool="fake.keyed"),
        done(engine, whom="nobody"),
        Action.objects.get(run=waits),
    ]
    plan = planned(engine, *actions)
    assert codes(plan) == ["cannot_be_followed", "changed", "no_follow_up"]
    assert PlanItem.objects.get(plan=plan, code="cannot_be_followed").sentence == (
        "There is nobody to tell."
    )
    assert telling() == []


def test_an_input_that_its_task_type_refuses_is_left_out(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = FollowUp("tell", lambda _followed: {"about": 7})
    monkeypatch.setitem(registry.FOLLOW_UPS, "fake.void", how)
    assert codes(planned(engine, done(engine))) == ["cannot_be_followed"]


def test_nothing_to_say_is_no_plan(engine: Bench) -> None:
    with pytest.raises(PlanRefusedError, match="what is to be said"):
        planned(engine, done(engine), say=" ")
    with pytest.raises(PlanRefusedError, match="at most 2000"):
        planned(engine, done(engine), say="x" * 2_001)


def test_who_may_not_operate_plans_no_follow_up(engine: Bench) -> None:
    action, watcher = done(engine), bob(engine.tenant)
    access.grant(engine.tenant, watcher, "reconcile_actions")
    with pytest.raises(Denied):
        drafting.draft(engine.tenant, draft(engine, action), user=watcher)
