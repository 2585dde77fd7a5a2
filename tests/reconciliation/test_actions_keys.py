"""Rule 10: a key is judged once more when the deadline of the call is armed."""

from datetime import timedelta

import pytest

from approvals import clock
from checkpoints.models import Case
from checkpoints.timers import SelfStop
from reconciliation import actions, states
from reconciliation.errors import NotDispatchedError
from reconciliation.models import Attempt
from reconciliation.tools import Call, DryRun
from tests.engine import registry
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.runs import full, waiting
from tests.reconciliation.oddtools import Odd, lost, put
from tests.reconciliation.ready import ready


class Slow(Odd):
    """While it makes its dry run for the second call, the provider's memory comes to its end."""

    def dry_run(self, call: Call) -> DryRun:
        if "perform" in self.asked:
            come_to_its_end()
        return super().dry_run(call)


def come_to_its_end() -> None:
    Attempt.objects.update(dispatched_at=clock.now() - timedelta(hours=2))


def test_a_key_that_grew_too_old_since_it_was_judged_sends_nothing(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = put(monkeypatch, "fake.keyed")
    it = ready(engine, "fake.keyed")
    it.end(it.dispatch(), states.ATTEMPT_RESENT)
    seen, demand = it.look()
    come_to_its_end()
    with SelfStop() as self_stop, pytest.raises(NotDispatchedError) as caught:
        actions.send(it.lease, demand, seen, self_stop)
    assert caught.value.code == "key_too_old"
    assert tool.asked == []
    assert Attempt.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_run_whose_key_grows_too_old_in_mid_turn_needs_a_person(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = Slow("fake.keyed", registry.TOOLS["fake.keyed"].capabilities)
    monkeypatch.setitem(registry.TOOLS.by_name, "fake.keyed", tool)
    run = waiting(engine, "fake.keyed")
    tool.performing = lost
    engine.decide(run)
    engine.turn()
    assert (full(run).status, full(run).reason) == ("held", "outcome_unknown")
    assert (tool.asked, effects()) == (["perform"], [])
    assert Attempt.objects.values_list("number", "outcome").get() == (1, "")
    assert Case.objects.get().action_id == full(run).effect_in_flight
