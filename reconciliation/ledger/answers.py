"""Answers: receipts first, raw; then what they mean. A receipt needs no lease."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models.functions import Now

from canonical import digests
from canonical.redaction import Said, ours
from checkpoints import states, wakeups
from checkpoints.boundaries import boundary
from checkpoints.models import Run
from reconciliation import states as outcomes
from reconciliation.contradictions import note_late_evidence
from reconciliation.ledger.outcomes import close, close_attempt, close_open
from reconciliation.ledger.reads import WORKER
from reconciliation.models import Action, Attempt, LookUp, Receipt
from tenants import audit
from tenants.database import execute
from tenants.keys import hiding
from tenants.models import Tenant

# By primary key, each a statement of its own (rule 4).
LOCK_RUN = "SELECT status, fence FROM checkpoints_run WHERE id = %(run)s FOR UPDATE"
LOCK_ACTION = """
SELECT stands, outcome FROM reconciliation_action WHERE id = %(action)s FOR UPDATE
"""
LATER = """
SELECT 1 FROM reconciliation_attempt WHERE action_id = %(action)s AND number > %(number)s LIMIT 1
"""

# The ordinary case, under both locks: the answer of the newest attempt of an unsettled action.
HAPPENED = """
WITH kept AS (
    INSERT INTO reconciliation_receipt
        (attempt_id, action_id, source, content, digest, wire_digest, fence)
    VALUES (%(attempt)s, %(action)s, %(source)s, %(content)s, %(digest)s, %(wire)s, %(fence)s)
), ended AS (
    UPDATE reconciliation_attempt SET outcome = 'happened', settled_at = clock_timestamp()
     WHERE action_id = %(action)s AND outcome = ''
), settled AS (
    UPDATE reconciliation_action
       SET stands = 'settled', outcome = 'happened', because = %(because)s, note = %(note)s,
           settled_at = clock_timestamp(), evidence_at = clock_timestamp()
     WHERE id = %(action)s
    RETURNING settled_at
), landed AS (
    UPDATE checkpoints_run SET effect_in_flight = NULL, attempts = 0 WHERE id = %(run)s
), told AS (
    INSERT INTO checkpoints_event (run_id, what, actor, detail)
    VALUES (%(run)s, 'settled', %(actor)s, jsonb_build_object(
        'action', %(action)s::text, 'outcome', 'happened', 'because', %(because)s::text))
)
SELECT settled_at FROM settled
"""


@dataclass(frozen=True)
class Answer:
    """What was learnt of an attempt: its source (`Receipt.SOURCES`), raw bytes, what it means."""

    source: str
    content: bytes
    outcome: str
    wire_digest: str = ""
    note: Said = ""

    @property
    def because(self) -> str:
        """How we know."""
        known = {"look_up": outcomes.LOOKED_UP, "void": outcomes.LOOKED_UP}
        return (
            outcomes.BY_PERSON
            if self.source == "person"
            else known.get(self.source, outcomes.ANSWERED)
        )


def record_answer(attempt: Attempt, answer: Answer, *, fence: int) -> Action:
    """Keep what was learnt, raw and first; settle the action if that is what it means.

    Needs no lease: a receipt is a fact whoever brings it. One that contradicts what was settled,
    or comes after a later intent, opens a case and blocks dispatch (rule 3).
    """
    run_id = attempt.action.run_id
    boundary("receipt:before")
    with transaction.atomic():
        status, lease_fence = execute(LOCK_RUN, {"run": run_id})[0]
        stands, _ = execute(LOCK_ACTION, {"action": attempt.action_id})[0]
        later = execute(LATER, {"action": attempt.action_id, "number": attempt.number})
        if answer.outcome == outcomes.HAPPENED and stands != outcomes.SETTLED and not later:
            settled_at = _happened(attempt, answer, fence)
        else:
            settled_at = None
            _out_of_order(attempt, answer, fence)
        if (status, lease_fence) != (states.RUNNING, fence):
            wakeups.wake(run_id, why="An answer arrived.")
    boundary("receipt:after")
    action = attempt.action
    if settled_at is None:
        action.refresh_from_db(fields=["stands", "outcome", "because", "note", "settled_at"])
        return action
    action.stands, action.outcome = outcomes.SETTLED, outcomes.HAPPENED
    action.because, action.settled_at = answer.because, settled_at
    action.note = hiding.said(answer.note)
    return action


def record_look_up(
    attempt: Attempt, answer: str, *, detail: Said, clock: tuple[str, float]
) -> None:
    """Keep one look-up: found, absent, voided, unanswered, or the first sight of an attempt."""
    boot, seconds = clock
    LookUp.objects.create(
        attempt=attempt,
        answer=answer,
        detail=hiding.said(detail)[:2000],
        boot_id=boot,
        boot_seconds=seconds,
    )
    Run.objects.filter(pk=attempt.action.run_id).update(attempts=0)


def _happened(attempt: Attempt, answer: Answer, fence: int) -> datetime:
    """Settle it; returns when, by the database's clock."""
    values = {
        "run": attempt.action.run_id,
        "action": attempt.action_id,
        "attempt": attempt.id,
        "source": answer.source,
        "content": answer.content,
        "digest": bytes.fromhex(digests.sha256_hex(answer.content)),
        "wire": answer.wire_digest,
        "fence": fence,
        "because": answer.because,
        "note": hiding.said(answer.note),
        "actor": WORKER.name,
    }
    settled_at: datetime = execute(HAPPENED, values)[0][0]
    audit.record(
        Tenant(pk=attempt.action.tenant_id),
        WORKER,
        "settled",
        ours("action %(id)s", id=attempt.action_id),
        outcome=ours(outcomes.HAPPENED),
        because=hiding.text(answer.because),
    )
    return settled_at


def _out_of_order(attempt: Attempt, answer: Answer, fence: int) -> None:
    """Everything but the ordinary case: a refusal, a late receipt, one beside a later intent."""
    run = Run.objects.get(id=attempt.action.run_id)
    action = Action.objects.get(id=attempt.action_id)
    _keep(action, attempt, answer, fence)
    open_still = action.stands != outcomes.SETTLED
    if answer.outcome == outcomes.HAPPENED:
        Action.objects.filter(pk=action.pk, evidence_at=None).update(evidence_at=Now())
        if open_still:  # and a later attempt is out or was
            note_late_evidence(run, action, later_intent=True)
            close_attempt(attempt, outcomes.ATTEMPT_HAPPENED)
            close_open(action, outcomes.ATTEMPT_HAPPENED)
            close(
                run,
                action,
                outcomes.HAPPENED,
                because=answer.because,
                note=hiding.text(hiding.said(answer.note)),
            )
        elif action.outcome != outcomes.HAPPENED:
            note_late_evidence(run, action, later_intent=False)
    elif answer.outcome == outcomes.REFUSED and open_still and _is_out(attempt):
        close_attempt(attempt, outcomes.ATTEMPT_REFUSED)
        close(
            run,
            action,
            outcomes.REFUSED,
            because=outcomes.ANSWERED,
            note=hiding.text(hiding.said(answer.note)),
        )


def _is_out(attempt: Attempt) -> bool:
    """Whether nothing is known of it yet. A refusal says nothing about an attempt after it."""
    return Attempt.objects.filter(pk=attempt.pk, outcome=outcomes.ATTEMPT_OPEN).exists()


def _keep(action: Action, attempt: Attempt, answer: Answer, fence: int) -> None:
    Receipt.objects.create(
        attempt=attempt,
        action=action,
        source=answer.source,
        content=answer.content,
        digest=bytes.fromhex(digests.sha256_hex(answer.content)),
        wire_digest=answer.wire_digest,
        fence=fence,
    )
