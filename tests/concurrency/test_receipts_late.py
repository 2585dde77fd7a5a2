"""Rule 3: a receipt is a fact whoever brings it, and no second attempt goes out beside it."""

from functools import partial

import pytest
from django.db import transaction
from django.db.models.functions import Now

from canonical.redaction import ours
from checkpoints import holding, runs
from checkpoints.cases import Trouble
from checkpoints.errors import LeaseLostError
from checkpoints.models import Case, Event
from reconciliation import ledger, states
from reconciliation.errors import NotDispatchedError
from reconciliation.models import Action, Attempt, Receipt
from tests.approvals.racing import beside, run_locked
from tests.checkpoints.records import commit, refused
from tests.engine.turns import Bench
from tests.reconciliation.ready import HAPPENED, REFUSED, Ready, ready

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def test_rule_3_a_receipt_that_arrives_while_a_second_dispatch_waits_stops_it(it: Ready) -> None:
    first = it.dispatch()
    it.end(first)
    seen = it.hash()
    with beside() as side:
        with transaction.atomic():
            it.answer(first)
            second = side.start_and_block(partial(it.dispatch, seen))
        with pytest.raises(NotDispatchedError) as stopped:
            second.result()
    assert stopped.value.code == "settled"
    assert Attempt.objects.get() == first
    assert it.stored().outcome == "happened"


def test_rule_3_evidence_on_a_locked_action_is_waited_for(it: Ready) -> None:
    """Whoever writes it: dispatch waits for the action's own row, and reads it afterwards."""
    first = it.dispatch()
    it.end(first)
    seen = it.hash()
    with beside() as side:
        with transaction.atomic():
            Action.objects.update(evidence_at="2026-01-01T00Z")
            second = side.start_and_block(partial(it.dispatch, seen))
        with pytest.raises(NotDispatchedError) as stopped:
            second.result()
    assert stopped.value.code == "settled"
    assert Attempt.objects.get() == first


def test_rule_3_a_receipt_reads_the_action_after_it_has_locked_it(it: Ready) -> None:
    attempt = it.dispatch()
    with beside() as side:
        with transaction.atomic():
            Action.objects.update(stands="settled", outcome="did_not_happen", settled_at=Now())
            answering = side.start_and_block(partial(it.answer, attempt))
        answering.result()
    assert it.stored().outcome == "did_not_happen"
    assert Case.objects.get().kind == "contradicted"


def test_rule_3_a_receipt_that_waits_for_a_second_dispatch_is_a_duplicate_effect(
    it: Ready,
) -> None:
    first = it.dispatch()
    it.end(first)
    seen = it.hash()
    with beside() as side:
        with run_locked(it.run.id):
            second = side.start_and_block(partial(it.dispatch, seen))
            late = side.start_and_block(partial(it.answer, first), blocked=2)
        assert second.result().number == 2
        late.result()
    case = Case.objects.get()
    assert (case.kind, case.action_id, case.decided_at) == (
        "duplicate_effect",
        it.action.id,
        None,
    )
    assert it.stored().outcome == "happened"
    assert Event.objects.filter(what="late evidence").count() == 1
    with pytest.raises(NotDispatchedError):
        it.dispatch()


def test_rule_3_a_receipt_of_a_lost_lease_is_kept_and_wakes_the_run(it: Ready) -> None:
    attempt = it.dispatch()
    runs.lapse(it.run.id, fence=it.lease.fence, why="silent", actor=ledger.WORKER)
    wakes = it.run.wakes
    it.answer(attempt)
    assert it.stored().outcome == "happened"
    assert (it.run.effect_in_flight, it.run.wakes) == (None, wakes + 1)
    receipt = Receipt.objects.get()
    assert (bytes(receipt.content), receipt.source) == (HAPPENED.content, "answer")


@pytest.mark.parametrize("outcome", [states.DID_NOT_HAPPEN, states.WRITTEN_OFF])
def test_rule_3_evidence_against_a_settlement_opens_a_case(it: Ready, outcome: str) -> None:
    attempt = it.dispatch()
    ledger.settle(it.run.id, it.action.id, outcome, because=states.BY_PERSON)
    it.answer(attempt)
    case = Case.objects.get()
    assert (case.kind, it.stored().outcome) == ("contradicted", outcome)
    assert it.stored().evidence_at is not None
    assert Receipt.objects.count() == 1
    it.answer(attempt)
    assert Case.objects.count() == 1


def late(it: Ready) -> Attempt:
    """An attempt whose action was settled against it, with nothing in flight."""
    attempt = it.dispatch()
    ledger.settle(it.run.id, it.action.id, states.WRITTEN_OFF, because=states.BY_PERSON)
    return attempt


def test_rule_3_a_commit_that_waited_for_late_evidence_is_refused(it: Ready) -> None:
    attempt, head = late(it), it.run.head
    with beside() as side:
        with transaction.atomic():
            it.answer(attempt)
            committing = side.start_and_block(partial(commit, it.lease))
        with pytest.raises(LeaseLostError):
            committing.result()
    assert (it.run.head, it.run.status, it.run.reason) == (head, "held", "contradicted")
    assert Case.objects.get().kind == "contradicted"


def test_rule_3_late_evidence_that_waited_for_a_commit_holds_the_run_behind_it(it: Ready) -> None:
    attempt, head = late(it), it.run.head
    with beside() as side:
        with transaction.atomic():
            lease = commit(it.lease)
            answering = side.start_and_block(partial(it.answer, attempt))
        answering.result()
    assert (it.run.head, it.run.status) == (head + 1, "held")
    with pytest.raises(LeaseLostError):
        commit(lease)


def test_rule_3_a_run_that_ended_while_late_evidence_waited_stays_as_it_ended(it: Ready) -> None:
    attempt = late(it)
    outcome = runs.Outcome("cancelled", "cancelled_by_person", "Cancelled.")
    with beside() as side:
        with transaction.atomic():
            runs.finish(it.lease, outcome, actor=ledger.WORKER)
            answering = side.start_and_block(partial(it.answer, attempt))
        answering.result()
    assert (it.run.status, Case.objects.get().kind) == ("cancelled", "contradicted")


def test_rule_3_a_run_cannot_end_once_late_evidence_holds_it(it: Ready) -> None:
    attempt = late(it)
    outcome = runs.Outcome("cancelled", "cancelled_by_person", "Cancelled.")
    finish = partial(runs.finish, it.lease, outcome, actor=ledger.WORKER)
    with beside() as side:
        with transaction.atomic():
            it.answer(attempt)
            finishing = side.start_and_block(finish)
        with pytest.raises(LeaseLostError):
            finishing.result()
    assert (it.run.status, it.run.finished_at) == ("held", None)


def test_rule_3_a_yes_that_waits_is_used_for_nothing_once_the_run_is_held(it: Ready) -> None:
    """The intent waits for the run's lock, and finds no lease of its own behind it."""
    seen = it.hash()
    trouble = Trouble(
        "contradicted", "Found after all.", {"error": ours("contradicted")}, it.action.id
    )
    with beside() as side:
        with run_locked(it.run.id):
            sending = side.start_and_block(partial(it.dispatch, seen))
            holding.hold_now(it.run, trouble, actor=ledger.WORKER)
        with pytest.raises(NotDispatchedError):
            sending.result()
    assert not Attempt.objects.exists()


def test_rule_3_evidence_blocks_every_further_intent_in_the_database_too(it: Ready) -> None:
    first = it.dispatch()
    it.end(first)
    Action.objects.update(evidence_at="2026-01-01T00Z")
    with pytest.raises(NotDispatchedError) as stopped:
        it.dispatch()
    assert stopped.value.code == "settled"
    with refused("an earlier one is not proven without effect"):
        Attempt.objects.create(
            **{**Attempt.objects.values().get(), "id": it.action.id, "number": 2, "outcome": ""}
        )


def test_rule_3_no_attempt_is_proven_without_effect_once_there_is_evidence(it: Ready) -> None:
    attempt = it.dispatch()
    with beside() as side:
        with transaction.atomic():
            it.answer(attempt)
            ending = side.start_and_block(partial(it.end, attempt))
        assert ending.result() is False
    assert Attempt.objects.get().outcome == "happened"


def test_rule_3_settling_otherwise_waits_for_a_receipt_and_gives_way(it: Ready) -> None:
    attempt = it.dispatch()
    settle = partial(
        ledger.settle, it.run.id, it.action.id, states.DID_NOT_HAPPEN, because=states.VOIDED
    )
    with beside() as side:
        with transaction.atomic():
            it.answer(attempt)
            settling = side.start_and_block(settle)
        settling.result()
    assert it.stored().outcome == "happened"


def test_rule_2_a_refusal_that_comes_beside_a_later_attempt_settles_nothing(it: Ready) -> None:
    """Attempt 2 is out: what attempt 1 heard says nothing about it."""
    first = it.dispatch()
    it.end(first)
    it.dispatch()
    it.answer(first, REFUSED)
    assert (it.stored().stands, it.run.effect_in_flight) == ("dispatched", it.action.id)
    assert Attempt.objects.get(number=2).outcome == ""
    assert Receipt.objects.get().source == "refusal"


def test_a_refusal_of_the_only_attempt_settles_the_action(it: Ready) -> None:
    it.answer(it.dispatch(), REFUSED)
    action = it.stored()
    assert (action.outcome, action.because, action.note) == ("refused", "answered", "no")
    assert (Attempt.objects.get().outcome, it.run.effect_in_flight) == ("refused", None)


def test_the_same_receipt_twice_changes_nothing_more(it: Ready) -> None:
    attempt = it.dispatch()
    settled_at = it.answer(attempt).settled_at
    it.answer(attempt)
    assert it.stored().settled_at == settled_at
    assert not Case.objects.exists()
    assert Receipt.objects.count() == 2
