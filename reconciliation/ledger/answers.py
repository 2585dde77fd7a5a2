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
from reconciliation.doors import noting
from reconciliation.ledger.outcomes import close, close_attempt, close_open
from reconciliation.ledger.reads import WORKER
from reconciliation.models import Action, Attempt, LookUp, Receipt
from tenants import audit
from tenants.database import together
from tenants.keys import hiding

# By primary key, each a statement of its own (rule 4).
LOCK_RUN = "SELECT status, fence FROM checkpoints_run WHERE id = %(run)s FOR UPDATE"
LOCK_ACTION = "SELECT stands FROM reconciliation_action WHERE id = %(action)s FOR UPDATE"

# What came from the tool as the answer to a call: it does effects, so its row of silences is over.
HEARD = ("answer", "refusal")

# The ordinary case, judged under both locks: the answer of the newest attempt of an unsettled
# action, to the worker that holds its run. No row: it is no ordinary case, and nothing is changed.
HAPPENED = f"""
WITH settled AS (
    UPDATE reconciliation_action
       SET stands = 'settled', outcome = 'happened', because = %(because)s, note = %(note)s,
           settled_at = clock_timestamp(), evidence_at = clock_timestamp()
     WHERE id = %(action)s AND stands <> 'settled'
       AND EXISTS (
           SELECT 1 FROM checkpoints_run
            WHERE id = %(run)s AND status = 'running' AND fence = %(fence)s)
       AND NOT EXISTS (
           SELECT 1 FROM reconciliation_attempt
            WHERE action_id = %(action)s AND number > %(number)s)
    RETURNING id, settled_at
), kept AS (
    INSERT INTO reconciliation_receipt
        (attempt_id, action_id, source, content, digest, wire_digest, fence)
    SELECT %(attempt)s, id, %(source)s, %(content)s, %(digest)s, %(wire)s, %(fence)s FROM settled
), ended AS (
    UPDATE reconciliation_attempt SET outcome = 'happened', settled_at = clock_timestamp()
      FROM settled WHERE action_id = settled.id AND reconciliation_attempt.outcome = ''
), landed AS (
    UPDATE checkpoints_run SET effect_in_flight = NULL, attempts = 0
      FROM settled WHERE checkpoints_run.id = %(run)s
), heard AS (
    UPDATE reconciliation_door SET silent = '[]', answered_at = clock_timestamp()
      FROM settled
     WHERE tenant_id = %(tenant)s AND tool = %(tool)s AND silent <> '[]'
       AND %(source)s = 'answer'
), told AS (
    INSERT INTO checkpoints_event (run_id, what, actor, detail)
    SELECT %(run)s, 'settled', %(actor)s, jsonb_build_object(
        'action', %(action)s::text, 'outcome', 'happened', 'because', %(because)s::text)
      FROM settled
), audited AS ({audit.RIDE} FROM settled)
SELECT settled_at FROM settled
"""  # noqa: S608 - words of ours


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
    boundary("receipt:before")
    settled_at = _happened(attempt, answer, fence) if answer.outcome == outcomes.HAPPENED else None
    if settled_at is None:
        _out_of_order(attempt, answer, fence)
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


def _happened(attempt: Attempt, answer: Answer, fence: int) -> datetime | None:
    """Settle it in one round trip; when, by the database's clock. None: it is no ordinary case."""
    values = {
        "run": attempt.action.run_id,
        "action": attempt.action_id,
        "tenant": attempt.action.tenant_id,
        "tool": attempt.action.tool,
        "attempt": attempt.id,
        "number": attempt.number,
        "source": answer.source,
        "content": answer.content,
        "digest": bytes.fromhex(digests.sha256_hex(answer.content)),
        "wire": answer.wire_digest,
        "fence": fence,
        "because": answer.because,
        "note": hiding.said(answer.note),
        "actor": WORKER.name,
    }
    told = audit.told_of(
        attempt.action.tenant_id,
        WORKER,
        "settled",
        ours("action %(id)s", id=attempt.action_id),
        outcome=ours(outcomes.HAPPENED),
        because=hiding.text(answer.because),
    )
    _, _, settled = together([(LOCK_RUN, values), (LOCK_ACTION, values), (HAPPENED, values | told)])
    return settled[0][0] if settled else None


def _out_of_order(attempt: Attempt, answer: Answer, fence: int) -> None:
    """Everything else: a refusal, a late receipt, one beside a later intent, or without a lease."""
    with transaction.atomic():
        run = Run.objects.select_for_update().get(id=attempt.action.run_id)
        action = Action.objects.select_for_update().get(id=attempt.action_id)
        _keep(action, attempt, answer, fence)
        if answer.outcome == outcomes.HAPPENED:
            _settle_evidence(run, action, attempt, answer)
        elif answer.outcome == outcomes.REFUSED and _is_out(action, attempt):
            close_attempt(attempt, outcomes.ATTEMPT_REFUSED)
            note = hiding.text(hiding.said(answer.note))
            close(run, action, outcomes.REFUSED, because=outcomes.ANSWERED, note=note)
        if answer.source in HEARD:
            noting.answered(action)
        if (run.status, run.fence) != (states.RUNNING, fence):
            wakeups.wake(run.id, why="An answer arrived.")


def _settle_evidence(run: Run, action: Action, attempt: Attempt, answer: Answer) -> None:
    Action.objects.filter(pk=action.pk, evidence_at=None).update(evidence_at=Now())
    if action.stands == outcomes.SETTLED:
        if action.outcome != outcomes.HAPPENED:
            note_late_evidence(run, action, later_intent=False)
        return
    if Attempt.objects.filter(action=action, number__gt=attempt.number).exists():
        note_late_evidence(run, action, later_intent=True)
    close_attempt(attempt, outcomes.ATTEMPT_HAPPENED)
    close_open(action, outcomes.ATTEMPT_HAPPENED)
    note = hiding.text(hiding.said(answer.note))
    close(run, action, outcomes.HAPPENED, because=answer.because, note=note)


def _is_out(action: Action, attempt: Attempt) -> bool:
    """Whether nothing is known of it yet. A refusal says nothing about an attempt after it."""
    is_open = Attempt.objects.filter(pk=attempt.pk, outcome=outcomes.ATTEMPT_OPEN)
    return action.stands != outcomes.SETTLED and is_open.exists()


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
