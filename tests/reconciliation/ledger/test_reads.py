"""What the ledger says of a run."""

from reconciliation import ledger
from tests.engine.turns import Bench
from tests.reconciliation.ready import ready


def test_rule_12_the_open_action_is_found_and_not_derived(engine: Bench) -> None:
    it = ready(engine)
    found = ledger.open_action(it.run.id)
    assert found == it.action
    assert ledger.open_action(engine.start().id) is None


def test_a_run_is_in_the_world_from_its_first_intent_on(engine: Bench) -> None:
    it = ready(engine)
    assert not ledger.in_world(it.run.id)
    it.dispatch()
    assert ledger.in_world(it.run.id)


def test_only_what_happened_stands(engine: Bench) -> None:
    it = ready(engine)
    attempt = it.dispatch()
    assert ledger.effects_that_stand(it.run.id) == []
    it.answer(attempt)
    assert ledger.effects_that_stand(it.run.id) == [it.action]
