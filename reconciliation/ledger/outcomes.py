"""Settling: the end of attempts and of actions, under the locks of run and action."""

from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from approvals import requests
from canonical.redaction import Redacted, Said, ours
from checkpoints import events
from checkpoints.models import Run
from reconciliation import states as outcomes
from reconciliation.errors import NotDispatchedError
from reconciliation.ledger.reads import WORKER
from reconciliation.models import Action, Attempt
from tenants import audit
from tenants.keys import hiding

ENDS = {
    outcomes.WRITTEN_OFF: outcomes.ATTEMPT_WRITTEN_OFF,
    outcomes.DID_NOT_HAPPEN: outcomes.ATTEMPT_ABSENT,
}


def settle(run_id: UUID, action_id: UUID, outcome: str, *, because: str, note: Said = "") -> None:
    """Settle an action that did not happen or is written off; its open attempt ends with it.

    The caller has made it true (void), proved it, never sent it, or a person decided it.
    """
    with transaction.atomic():
        run = Run.objects.select_for_update().get(id=run_id)
        action = Action.objects.select_for_update().get(id=action_id)
        if action.stands == outcomes.SETTLED or action.evidence_at is not None:
            return
        ended = outcomes.ATTEMPT_VOIDED if because == outcomes.VOIDED else ENDS[outcome]
        close_open(action, ended)
        close(run, action, outcome, because=because, note=hiding.text(hiding.said(note)))


def give_up_proposal(action: Action, *, reason: Said) -> None:
    """Settle and absorb a proposal that was never sent: the run goes back to before it.

    One that is settled already keeps its outcome, for whoever proposes the same again.
    """
    said = hiding.text(hiding.said(reason))
    requests.withdraw(action.id, actor=WORKER, reason=said)
    with transaction.atomic():
        run = Run.objects.select_for_update().get(id=action.run_id)
        locked = Action.objects.select_for_update().get(id=action.id)
        if locked.stands != outcomes.SETTLED:
            if locked.attempts.exists():
                raise NotDispatchedError("unproven", action.id)
            close(run, locked, outcomes.DID_NOT_HAPPEN, because=outcomes.WITHDRAWN, note=said)
        Action.objects.filter(pk=action.pk).update(absorbed_seq=run.head)


def note_unknown(action_id: UUID) -> None:
    """Say that nobody knows: dispatched, and no answer that counts."""
    Action.objects.filter(pk=action_id, stands=outcomes.DISPATCHED).update(outcome=outcomes.UNKNOWN)


def end_attempt(attempt: Attempt, outcome: str) -> bool:
    """End an open attempt as proven without effect; False when evidence came in between.

    `not_called` may be said only by the process that opened the attempt and never called.
    """
    with transaction.atomic():
        Run.objects.select_for_update().get(id=attempt.action.run_id)
        action = Action.objects.select_for_update().get(id=attempt.action_id)
        if action.evidence_at is not None:
            return False
        close_attempt(attempt, outcome)
        return True


def reopen_attempt(attempt: Attempt) -> None:
    """Nobody knows again: the newest attempt was taken for absent, or was to be sent again.

    Changes nothing once the action is settled.
    """
    with transaction.atomic():
        Run.objects.select_for_update().get(id=attempt.action.run_id)
        action = Action.objects.select_for_update().get(id=attempt.action_id)
        if action.stands != outcomes.SETTLED:
            doubtful = [outcomes.ATTEMPT_RESENT, outcomes.ATTEMPT_ABSENT]
            Attempt.objects.filter(pk=attempt.pk, outcome__in=doubtful).update(
                outcome=outcomes.ATTEMPT_OPEN, settled_at=None
            )


def close_attempt(attempt: Attempt, outcome: str) -> None:
    """Inside a transaction that holds the action: end one attempt if it is open."""
    Attempt.objects.filter(pk=attempt.pk, outcome=outcomes.ATTEMPT_OPEN).update(
        outcome=outcome, settled_at=Now()
    )


def close_open(action: Action, outcome: str) -> None:
    """Inside a transaction that holds the action: end whichever attempt is open."""
    action.attempts.filter(outcome=outcomes.ATTEMPT_OPEN).update(outcome=outcome, settled_at=Now())


def close(run: Run, action: Action, outcome: str, *, because: str, note: Redacted) -> None:
    """Inside a transaction that holds both: the action's outcome is settled, nothing is out."""
    Action.objects.filter(pk=action.pk).update(
        stands=outcomes.SETTLED, outcome=outcome, because=because, note=str(note), settled_at=Now()
    )
    Run.objects.filter(pk=run.pk).update(effect_in_flight=None, attempts=0)
    how = {"outcome": hiding.text(outcome), "because": hiding.text(because)}
    events.append(run.id, "settled", WORKER, action=action.id, **how)
    audit.record(action.tenant, WORKER, "settled", ours("action %(id)s", id=action.id), **how)
