"""What the rules demand is judged under the locks of the dispatch, not only before them."""

from functools import partial
from typing import Any

import pytest
from django.db import transaction

from approvals.models import Approval, ToolClass
from approvals.people import reversibility
from reconciliation.errors import NotDispatchedError
from reconciliation.models import Attempt
from tenants.actors import Actor
from tests.approvals.racing import beside, run_locked
from tests.engine import registry
from tests.engine.turns import Bench
from tests.reconciliation.ready import Ready, ready

pytestmark = pytest.mark.django_db(transaction=True)

PERSON = {"who": {"permission": "approve_actions"}, "people": 1, "expires_after_seconds": 3600}
ASK: dict[str, Any] = {"name": "a-person", "tool": "*", "then": "ask", **PERSON}
FOR_GOOD = {
    **ASK,
    "name": "for-good",
    "if": {"reversibility": ["irreversible"]},
    "reauthenticate": True,
}
SECOND_IN_AN_HOUR = {
    **ASK,
    "name": "second-in-an-hour",
    "if": {"sums": [{"of": "effects", "seconds": 3600, "over": 1}]},
    "reauthenticate": True,
}


def ruled(engine: Bench, patch: pytest.MonkeyPatch, *rules: Any) -> Ready:
    patch.setattr(registry, "RULES", {"rules_schema": 2, "rules": list(rules)})
    say(engine, "reversible")
    return ready(engine)


def say(engine: Bench, reversibility_class: str) -> ToolClass:
    return reversibility.set_class(
        engine.tenant, "fake.void", reversibility_class, actor=Actor.machine("test"), why="Looked."
    )


def nothing_was_sent() -> None:
    assert not Attempt.objects.exists()
    assert Approval.objects.get().state == "unused"


def test_a_class_that_changed_between_check_and_intent_refuses_it(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = ruled(engine, monkeypatch, ASK, FOR_GOOD)
    seen = it.hash()
    say(engine, "irreversible")
    with pytest.raises(NotDispatchedError) as refused:
        it.dispatch(seen)
    assert refused.value.code == "more_demanded"
    nothing_was_sent()


def test_a_dispatch_that_waited_for_a_change_of_class_is_refused(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = ruled(engine, monkeypatch, ASK, FOR_GOOD)
    seen = it.hash()
    with beside() as side:
        with transaction.atomic():
            say(engine, "irreversible")
            dispatching = side.start_and_block(partial(it.dispatch, seen))
        with pytest.raises(NotDispatchedError) as refused:
            dispatching.result()
    assert refused.value.code == "more_demanded"
    nothing_was_sent()


def test_a_change_of_class_waits_for_the_dispatch_under_way(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it has answered nothing goes any more under what people said of the milder class."""
    it = ruled(engine, monkeypatch, ASK, FOR_GOOD)
    seen = it.hash()
    with beside() as side:
        with run_locked(it.run.id):
            dispatching = side.start_and_block(partial(it.dispatch, seen))
            changing = side.start_and_block(partial(say, engine, "irreversible"), blocked=2)
        assert dispatching.result().number == 1
        changing.result()
    assert reversibility.class_of(engine.tenant.pk, "fake.void") == "irreversible"


def test_a_class_that_became_milder_refuses_nothing(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = ruled(engine, monkeypatch, ASK, FOR_GOOD)
    seen = it.hash()
    with beside() as side:
        with transaction.atomic():
            say(engine, "reversible")
            dispatching = side.start_and_block(partial(it.dispatch, seen))
        assert dispatching.result().number == 1


def test_a_sum_that_grew_between_check_and_intent_refuses_it(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = ruled(engine, monkeypatch, ASK, SECOND_IN_AN_HOUR)
    seen = it.hash()
    with beside() as side:
        with run_locked(it.run.id):
            dispatching = side.start_and_block(partial(it.dispatch, seen))
            engine.start(tool="fake.void", what="b")
            engine.turn()  # its proposal counts from its commit on
        with pytest.raises(NotDispatchedError) as refused:
            dispatching.result()
    assert refused.value.code == "more_demanded"
    nothing_was_sent()
