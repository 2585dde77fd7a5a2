"""Dispatch: what an intent says. What refuses it stands in tests/concurrency."""

from datetime import timedelta

import pytest

from approvals import clock
from checkpoints import stops
from checkpoints.errors import StoppedError
from checkpoints.models import Run
from reconciliation.errors import NotDispatchedError
from reconciliation.models import Attempt
from tenants.actors import Actor
from tests.engine.turns import Bench
from tests.reconciliation.ready import LIMITS, Ready, ready


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def test_an_intent_says_under_what_it_goes_and_until_when(it: Ready) -> None:
    seen = it.hash()
    made = it.dispatch(seen)
    attempt = Attempt.objects.get()
    assert attempt.approval is not None
    assert (made.deadline_at, made.dispatched_at) == (attempt.deadline_at, attempt.dispatched_at)
    assert (attempt.number, attempt.action_hash, attempt.approval.request) == (1, seen, it.request)
    assert (attempt.fence, attempt.holder) == (it.lease.fence, it.lease.holder)
    assert (attempt.mode, attempt.outcome, attempt.margin_seconds) == ("live", "", LIMITS[1])
    window = attempt.deadline_at - attempt.dispatched_at
    assert abs(window - timedelta(seconds=LIMITS[0])) < timedelta(milliseconds=100)
    assert abs(clock.now() - attempt.dispatched_at) < timedelta(seconds=30)


def test_an_intent_forgets_the_crashes_before_it(it: Ready) -> None:
    Run.objects.update(attempts=4)
    it.dispatch()
    assert it.run.attempts == 0


def test_another_hash_than_the_approved_one_sends_nothing(it: Ready) -> None:
    with pytest.raises(NotDispatchedError) as refused:
        it.dispatch("0" * 64)
    assert refused.value.code == "hash_differs"
    assert not Attempt.objects.exists()


def test_a_settled_action_is_not_sent(it: Ready) -> None:
    it.answer(it.dispatch())
    with pytest.raises(NotDispatchedError) as refused:
        it.dispatch()
    assert refused.value.code == "settled"


def test_the_action_of_another_run_is_not_sent(it: Ready, engine: Bench) -> None:
    other = ready(engine)
    with pytest.raises(NotDispatchedError) as refused:
        Ready(other.lease, it.action).dispatch(it.hash())
    assert refused.value.code == "lease_lost"


def test_stopped_effects_are_not_sent(it: Ready) -> None:
    seen = it.hash()
    stops.stop(None, "effects", why="incident", actor=Actor.machine("Ada"))
    with pytest.raises(StoppedError, match="incident"):
        it.dispatch(seen)
    assert not Attempt.objects.exists()
