"""Which step follows an unknown outcome: the table of what tools can do."""

import pytest

from reconciliation import states
from reconciliation.states import Ages, first_step
from reconciliation.tools import Capabilities, Keyed

YOUNG = Ages(since_first_intent=5, window_closed=False, budget=10, margin=60)
CLOSED = Ages(since_first_intent=100, window_closed=True, budget=10, margin=60)
LOCKING = Keyed(remembers_seconds=3600, locks_in_flight=True)
FORGETFUL = Keyed(remembers_seconds=3600, locks_in_flight=False)


@pytest.mark.parametrize("ages", [YOUNG, CLOSED])
@pytest.mark.parametrize(
    "can",
    [
        Capabilities(look_up=True),
        Capabilities(void=True),
        Capabilities(void=True, look_up=True),
        Capabilities(look_up=True, keyed=LOCKING),
    ],
)
def test_what_can_be_asked_is_asked_first(can: Capabilities, ages: Ages) -> None:
    assert first_step(can, ages) == states.LOOK_UP


@pytest.mark.parametrize("ages", [YOUNG, CLOSED])
def test_what_can_do_nothing_needs_a_person(ages: Ages) -> None:
    assert first_step(Capabilities(), ages) == states.ASK_A_PERSON


def test_a_key_that_locks_in_flight_is_sent_again_at_once() -> None:
    assert first_step(Capabilities(keyed=LOCKING), YOUNG) == states.SEND_AGAIN_WITH_KEY


def test_rule_10_a_key_that_does_not_lock_waits_for_the_window() -> None:
    """Many receivers remember only finished calls: two in flight would both execute."""
    assert first_step(Capabilities(keyed=FORGETFUL), YOUNG) == states.WAIT
    assert first_step(Capabilities(keyed=FORGETFUL), CLOSED) == states.SEND_AGAIN_WITH_KEY


@pytest.mark.parametrize(("since", "step"), [(3529, states.SEND_AGAIN_WITH_KEY), (3530, "person")])
def test_rule_10_a_key_must_outlive_the_call_and_its_late_arrival(since: int, step: str) -> None:
    ages = Ages(since_first_intent=since, window_closed=True, budget=10, margin=60)
    expected = states.ASK_A_PERSON if step == "person" else step
    for keyed in (LOCKING, FORGETFUL):
        assert first_step(Capabilities(keyed=keyed), ages) == expected


def test_only_proven_attempts_may_be_followed() -> None:
    assert set(states.PROVEN_WITHOUT_EFFECT) < set(states.ATTEMPTS)
    for outcome in (
        states.ATTEMPT_OPEN,
        states.ATTEMPT_HAPPENED,
        states.ATTEMPT_REFUSED,
        states.ATTEMPT_WRITTEN_OFF,
    ):
        assert outcome not in states.PROVEN_WITHOUT_EFFECT
