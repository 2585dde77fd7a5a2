"""Rules between the question and the effect: what changes after a yes, and what passes by itself."""

from typing import Any
from uuid import uuid4

import pytest

from approvals import requests
from approvals.drift import comparing
from approvals.errors import NotApprovedError
from approvals.models import Approval, ApprovalRequest
from approvals.people import reversibility
from reconciliation import actions, asking
from reconciliation.models import Action
from tenants.actors import Actor
from tests.approvals import using
from tests.engine import registry
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.runs import waiting

OPERATOR = Actor.machine("test")
PERSON = {"who": {"permission": "approve_actions"}, "people": 1, "expires_after_seconds": 3600}
ASK: dict[str, Any] = {"name": "a-person", "tool": "*", "then": "ask", **PERSON}
ALLOW: dict[str, Any] = {
    "name": "harmless",
    "tool": "fake.void",
    "then": "allow",
    "if": {"reversibility": ["reversible"]},
    "expires_after_seconds": 3600,
}
IRREVERSIBLE_TWO: dict[str, Any] = {
    **ASK,
    "name": "two-for-good",
    "if": {"reversibility": ["irreversible"]},
    "people": 2,
}


@pytest.fixture
def ruled(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the rules of the engine's tasks for the combos made from now on."""

    def use(*rules: Any) -> None:
        monkeypatch.setattr(registry, "RULES", {"rules_schema": 2, "rules": list(rules)})

    return use


def say(engine: Bench, reversibility_class: str) -> None:
    reversibility.set_class(
        engine.tenant, "fake.void", reversibility_class, actor=OPERATOR, why="Looked."
    )


def test_what_a_rule_allows_happens_without_a_person_and_names_the_rule(
    engine: Bench, ruled: Any
) -> None:
    ruled(ALLOW)
    say(engine, "reversible")
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    run.refresh_from_db()
    assert (run.status, len(effects())) == ("succeeded", 1)
    assert Approval.objects.get().rule == "harmless"


def test_the_most_dangerous_class_holds_until_the_tenant_says_another(
    engine: Bench, ruled: Any
) -> None:
    ruled(ALLOW)
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.stop_reason, effects()) == ("failed", "forbidden_effect", [])
    assert run.sentence == "No rule allows the tool fake.void."


def test_a_class_that_became_worse_after_the_yes_is_asked_anew(engine: Bench, ruled: Any) -> None:
    ruled(ASK, {**IRREVERSIBLE_TWO, "people": 1, "reauthenticate": True})
    say(engine, "reversible")
    run = waiting(engine)
    engine.decide(run)
    say(engine, "irreversible")
    engine.turn()
    assert effects() == []
    first, second = ApprovalRequest.objects.order_by("revision")
    assert (first.state, second.state) == ("withdrawn", "open")
    assert "Who must decide" in first.closed_because
    assert second.requirement["reauthenticate"]


def test_a_class_that_became_milder_keeps_the_yes(engine: Bench, ruled: Any) -> None:
    ruled(ASK)
    say(engine, "compensable")
    run = waiting(engine)
    engine.decide(run)
    say(engine, "reversible")
    engine.turn()
    assert len(effects()) == 1


def test_a_demand_nobody_can_satisfy_is_denied_and_the_run_hears_which(
    engine: Bench, ruled: Any
) -> None:
    ruled({**ASK, "people": 2})
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.stop_reason) == ("failed", "forbidden_effect")
    assert run.sentence.startswith("The rule “a-person” asks 2 with the right approve_actions")
    assert not ApprovalRequest.objects.exists()


def test_other_rules_between_yes_and_sending_are_refused_and_named(
    engine: Bench, ruled: Any
) -> None:
    ruled(ASK)
    say(engine, "reversible")
    run = waiting(engine)
    engine.decide(run)
    action = Action.objects.select_related("run__combo", "tenant").get()
    request = requests.latest(action.pk)
    assert request is not None
    ruled(ASK, {**ASK, "name": "another"})
    action.run.combo = engine.start(tool="fake.void", what="a").combo
    asked = asking.question(action)
    now = actions.expected_hash(asked, request)
    with pytest.raises(NotApprovedError, match="hash_differs"):
        using.use(action.pk, expected_hash=now, attempt_id=uuid4())
    moved = comparing.since(request, asked.bound, asked.requirement.as_json())
    assert [difference.field for difference in moved] == ["rules_version"]
    anew = requests.ask(asked, actor=OPERATOR, lease=None)
    request.refresh_from_db()
    assert (request.state, anew.state, effects()) == ("withdrawn", "open", [])
    assert "The rules" in request.closed_because
