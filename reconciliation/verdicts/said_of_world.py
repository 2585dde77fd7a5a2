"""What follows when a person says what became of an effect of which nobody knew."""

from approvals import clock
from canonical import json as canonical
from canonical.redaction import Redacted
from checkpoints.models import Case
from reconciliation import ledger, outcomes
from reconciliation import states as world
from reconciliation.errors import VerdictRefusedError
from reconciliation.ledger import Answer
from reconciliation.models import Attempt
from reconciliation.verdicts.going_on import cancel
from reconciliation.verdicts.terms import Desk, effect_of
from tenants.keys import hiding


def it_happened(desk: Desk) -> None:
    """Keep the person's word as a receipt; the run absorbs it as an answer."""
    attempt = open_attempt(desk.case)
    seen: dict[str, object] = {"said_by": desk.user.email, "evidence": desk.given.evidence}
    if desk.given.seen.as_json():
        seen["seen"] = desk.given.seen.as_json()
    answer = Answer("person", canonical.dumps(seen), world.HAPPENED, note=_reason(desk))
    ledger.record_answer(attempt, answer, fence=desk.run.fence)


def send_again(desk: Desk) -> None:
    """End the attempt as absent: what comes next is a question to people, never a call."""
    attempt = open_attempt(desk.case)
    _refuse_before_window_ends(attempt)
    ledger.end_attempt(attempt, world.ATTEMPT_ABSENT)


def it_did_not(desk: Desk) -> None:
    """Settle that it did not happen, once even a late arrival is over."""
    attempt = open_attempt(desk.case)
    _refuse_before_window_ends(attempt)
    _settle(desk, attempt, world.DID_NOT_HAPPEN)


def write_off(desk: Desk) -> None:
    """Settle that nobody can know."""
    _settle(desk, open_attempt(desk.case), world.WRITTEN_OFF)


def write_off_and_stop(desk: Desk) -> None:
    """The same, and the run ends at its next boundary."""
    write_off(desk)
    cancel(desk)


def open_attempt(case: Case) -> Attempt:
    """The attempt whose outcome the case is about, while nobody knows it."""
    attempt = (
        Attempt.objects.select_related("action__tenant")
        .filter(action_id=effect_of(case), outcome="")
        .first()
    )
    if attempt is None or attempt.action.stands == world.SETTLED:
        raise VerdictRefusedError("the outcome is known by now; load the page again")
    return attempt


def _settle(desk: Desk, attempt: Attempt, outcome: str) -> None:
    ledger.settle(
        desk.run.id,
        attempt.action_id,
        outcome,
        because=world.BY_PERSON,
        note=_reason(desk),
    )


def _reason(desk: Desk) -> Redacted:
    return hiding.text(desk.given.reason)


def _refuse_before_window_ends(attempt: Attempt) -> None:
    """*It did not* can be said only when even a late arrival is over (rule 6)."""
    ends = outcomes.window_end(attempt)
    if clock.now() <= ends:
        raise VerdictRefusedError(
            f"it may still arrive until {ends:%H:%M:%S} UTC; this can be said only after that"
        )
