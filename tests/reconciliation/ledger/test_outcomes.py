"""Settling: the end of attempts and of actions."""

import pytest

from approvals.models import ApprovalRequest
from reconciliation import ledger, states
from reconciliation.errors import NotDispatchedError
from reconciliation.models import Attempt
from tests.engine.turns import Bench
from tests.reconciliation.ready import Ready, ready


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


@pytest.mark.parametrize(
    ("outcome", "because", "ended"),
    [
        (states.DID_NOT_HAPPEN, states.VOIDED, "voided"),
        (states.DID_NOT_HAPPEN, states.BY_PERSON, "absent"),
        (states.WRITTEN_OFF, states.BY_PERSON, "written_off"),
    ],
)
def test_settling_ends_the_open_attempt_and_frees_the_run(
    it: Ready, outcome: str, because: str, ended: str
) -> None:
    it.dispatch()
    ledger.settle(it.run.id, it.action.id, outcome, because=because, note="seen")
    action = it.stored()
    assert (action.stands, action.outcome, action.because, action.note) == (
        "settled",
        outcome,
        because,
        "seen",
    )
    assert action.settled_at is not None
    assert Attempt.objects.get().outcome == ended
    assert it.run.effect_in_flight is None


def test_what_is_settled_stays_settled(it: Ready) -> None:
    it.answer(it.dispatch())
    ledger.settle(it.run.id, it.action.id, states.DID_NOT_HAPPEN, because=states.BY_PERSON)
    assert (it.stored().outcome, Attempt.objects.get().outcome) == ("happened", "happened")


def test_nobody_knows_is_said_only_of_what_was_sent(it: Ready) -> None:
    ledger.note_unknown(it.action.id)
    assert it.stored().outcome == ""
    attempt = it.dispatch()
    ledger.note_unknown(it.action.id)
    assert (it.stored().stands, it.stored().outcome) == ("dispatched", "unknown")
    it.answer(attempt)
    ledger.note_unknown(it.action.id)
    assert it.stored().outcome == "happened"


def test_an_ended_attempt_keeps_its_end(it: Ready) -> None:
    attempt = it.dispatch()
    assert it.end(attempt, states.ATTEMPT_NOT_CALLED)
    it.end(attempt, states.ATTEMPT_ABSENT)
    assert Attempt.objects.get().outcome == "not_called"


def test_an_attempt_with_evidence_is_not_ended_as_absent(it: Ready) -> None:
    attempt = it.dispatch()
    it.answer(attempt)
    assert not it.end(attempt, states.ATTEMPT_ABSENT)
    assert Attempt.objects.get().outcome == "happened"


def test_an_ended_attempt_leaves_the_effect_in_flight_until_it_is_settled(it: Ready) -> None:
    """The head must not move past an effect that may still be sent again."""
    it.end(it.dispatch())
    assert it.run.effect_in_flight == it.action.id


def test_a_proposal_given_up_is_withdrawn_settled_and_absorbed(it: Ready) -> None:
    ledger.give_up_proposal(it.action, reason="the world moved")
    action = it.stored()
    assert (action.outcome, action.because, action.note) == (
        "did_not_happen",
        "withdrawn",
        "the world moved",
    )
    assert action.absorbed_seq == it.run.head
    assert ApprovalRequest.objects.get().state == "withdrawn"
    assert ledger.open_action(it.run.id) is None


def test_rule_12_what_was_sent_cannot_be_given_up(it: Ready) -> None:
    it.end(it.dispatch())
    with pytest.raises(NotDispatchedError) as refused:
        ledger.give_up_proposal(it.action, reason="the world moved")
    assert refused.value.code == "unproven"
    assert it.stored().absorbed_seq is None
