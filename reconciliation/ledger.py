"""The action ledger: the only writer of actions, attempts, receipts and look-ups.

Lock order: run, then action, then request. What must be judged under a lock is locked first by a
statement of its own, then judged (rule 4). Outside calls happen only between these verbs.
"""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models.functions import Now

from approvals import requests, uses
from approvals import states as permission
from approvals.clock import ClockTimestamp
from approvals.errors import NotApprovedError
from canonical import digests
from checkpoints import commits, events, states, stops, wakeups
from checkpoints.boundaries import boundary
from checkpoints.commits import Committed, Lease
from checkpoints.errors import LeaseLostError
from checkpoints.headers import ActionMark, Ancestry, Step
from checkpoints.models import Run
from reconciliation import states as outcomes
from reconciliation.contradictions import note_late_evidence
from reconciliation.errors import NotDispatchedError
from reconciliation.models import Action, Attempt, LookUp, Receipt
from tenants import audit
from tenants.actors import Actor
from tenants.models import Installation

WORKER = Actor.machine("worker")


@dataclass(frozen=True)
class Answer:
    """What was learnt of an attempt: its source (`Receipt.SOURCES`), raw bytes, what it means."""

    source: str
    content: bytes
    outcome: str
    wire_digest: str = ""
    note: str = ""


def ledger_key(run: Run, *, node: str, ordinal: int, generation: int = 1) -> str:
    """The idempotency key (hex) of an effect: the same for every attempt, fork and re-proposal."""
    installation, _ = Installation.objects.get_or_create(only=True)
    parts = [str(installation.installation_id), run.tenant_id, str(run.effect_scope)]
    return digests.tagged("ledger-key", [*parts, node, ordinal, generation])


def open_action(run_id: UUID) -> Action | None:
    """The one action of a run that is not absorbed yet: found by its index, never derived."""
    return (
        Action.objects.select_related("run", "tenant")
        .filter(run_id=run_id, absorbed_seq=None)
        .first()
    )


def in_world(run_id: UUID) -> bool:
    """Whether anything of this run has reached the world, or may have."""
    return Attempt.objects.filter(action__run_id=run_id).exists()


def effects_that_stand(run_id: UUID) -> list[Action]:
    """What this run did to the world, oldest first."""
    happened = Action.objects.filter(run_id=run_id, outcome=outcomes.HAPPENED)
    return list(happened.order_by("proposed_seq"))


def mark(action: Action, outcome: str, receipt_digest: str = "") -> ActionMark:
    """What a checkpoint's header says of an action."""
    return ActionMark(
        str(action.id), bytes(action.parameters_digest).hex(), outcome, receipt_digest
    )


def propose(lease: Lease, before: Ancestry, step: Step, action: Action) -> Committed:
    """Freeze an effect and commit that it was proposed: checkpoint and action in one transaction.

    The step must carry the action's mark. Raises `LeaseLostError`.
    """
    boundary("propose:before")
    with transaction.atomic():
        committed = commits.commit(lease, before, step)
        action.proposed_seq = committed.seq
        action.save(force_insert=True)
        events.append(
            lease.run_id, "proposed", WORKER, action=str(action.id), describe=action.describe
        )
    boundary("propose:after")
    return committed


def repropose(lease: Lease, before: Ancestry, step: Step, action: Action) -> Committed:
    """A run that went back proposes the same effect again: the same action stands for it."""
    with transaction.atomic():
        committed = commits.commit(lease, before, step)
        Action.objects.filter(pk=action.pk).update(absorbed_seq=None, proposed_seq=committed.seq)
        events.append(lease.run_id, "proposed again", WORKER, action=str(action.id))
    return committed


def dispatch(
    lease: Lease, action_id: UUID, *, expected_hash: str, limits: tuple[int, int]
) -> Attempt:
    """Commit the intent to send: the last check, under all locks. `limits`: budget and margin, s.

    Uses the approval up (or, for a further attempt, shows it again). Raises `NotDispatchedError`
    or `StoppedError`; then there is no attempt and nothing may be sent.
    """
    budget, margin = limits
    attempt_id = uuid4()
    boundary("dispatch:before")
    with transaction.atomic(durable=True):
        stops.refuse_if_stopped(lease.tenant_id, "effects")
        run = Run.objects.select_for_update().get(id=lease.run_id)
        action = Action.objects.select_for_update().get(id=action_id)
        _judge_lease(run, lease, action)
        earlier = list(action.attempts.order_by("number"))
        if any(each.outcome not in outcomes.PROVEN_WITHOUT_EFFECT for each in earlier):
            raise NotDispatchedError("unproven", action_id)
        try:
            # A used request means a further attempt under the same approval (rule 6).
            newest = requests.latest(action_id)
            again = newest is not None and newest.state == permission.USED
            give = uses.use_again if again else uses.use
            approval = give(action_id, expected_hash=expected_hash, attempt_id=attempt_id)
        except NotApprovedError as error:
            raise NotDispatchedError(error.code, action_id) from error
        attempt = Attempt.objects.create(
            id=attempt_id,
            action=action,
            mode=action.mode,
            number=len(earlier) + 1,
            approval=approval,
            action_hash=expected_hash,
            fence=lease.fence,
            holder=lease.holder,
            deadline_at=ClockTimestamp() + timedelta(seconds=budget),
            margin_seconds=margin,
        )
        Action.objects.filter(pk=action_id).update(
            stands=outcomes.DISPATCHED, outcome=outcomes.OPEN
        )
        Run.objects.filter(pk=run.pk).update(effect_in_flight=action_id, attempts=0)
        audit.record(
            action.tenant,
            WORKER,
            "intends",
            f"action {action_id}",
            attempt=str(attempt_id),
            number=attempt.number,
            tool=action.tool,
            target=action.target,
            hash=expected_hash,
        )
    boundary("dispatch:after")
    attempt.refresh_from_db()
    return attempt


def record_answer(attempt: Attempt, answer: Answer, *, fence: int) -> Action:
    """Keep what was learnt, raw and first; settle the action if that is what it means.

    Needs no lease: a receipt is a fact whoever brings it. One that contradicts what was settled,
    or comes after a later intent, opens a case and blocks dispatch (rule 3).
    """
    boundary("receipt:before")
    with transaction.atomic():
        run = Run.objects.select_for_update().get(id=attempt.action.run_id)
        action = Action.objects.select_for_update().get(id=attempt.action_id)
        _keep(action, attempt, answer, fence)
        if answer.outcome == outcomes.HAPPENED:
            Action.objects.filter(pk=action.pk, evidence_at=None).update(evidence_at=Now())
            if action.stands == outcomes.SETTLED and action.outcome != outcomes.HAPPENED:
                note_late_evidence(run, action, later_intent=False)
            elif action.stands != outcomes.SETTLED:
                if action.attempts.filter(number__gt=attempt.number).exists():
                    note_late_evidence(run, action, later_intent=True)
                _close_attempt(attempt, outcomes.ATTEMPT_HAPPENED)
                _close_open(action, outcomes.ATTEMPT_HAPPENED)
                because = outcomes.LOOKED_UP if answer.source == "look_up" else outcomes.ANSWERED
                because = outcomes.BY_PERSON if answer.source == "person" else because
                _settle(run, action, outcomes.HAPPENED, because, answer.note)
        elif answer.outcome == outcomes.REFUSED and action.stands != outcomes.SETTLED:
            _close_attempt(attempt, outcomes.ATTEMPT_REFUSED)
            _settle(run, action, outcomes.REFUSED, outcomes.ANSWERED, answer.note)
        if (run.status, run.fence) != (states.RUNNING, fence):
            wakeups.wake(run.id, why="An answer arrived.")
    boundary("receipt:after")
    action.refresh_from_db()
    return action


def settle(run_id: UUID, action_id: UUID, outcome: str, *, because: str, note: str = "") -> None:
    """Settle an action that did not happen or is written off; its open attempt ends with it.

    The caller has made it true (void), proved it, never sent it, or a person decided it.
    """
    ends = {
        outcomes.WRITTEN_OFF: outcomes.ATTEMPT_WRITTEN_OFF,
        outcomes.DID_NOT_HAPPEN: outcomes.ATTEMPT_ABSENT,
    }
    with transaction.atomic():
        run = Run.objects.select_for_update().get(id=run_id)
        action = Action.objects.select_for_update().get(id=action_id)
        if action.stands == outcomes.SETTLED or action.evidence_at is not None:
            return
        ended = outcomes.ATTEMPT_VOIDED if because == outcomes.VOIDED else ends[outcome]
        _close_open(action, ended)
        _settle(run, action, outcome, because, note)


def give_up_proposal(action: Action, *, reason: str) -> None:
    """Settle and absorb a proposal that was never sent: the run goes back to before it."""
    requests.withdraw(action.id, actor=WORKER, reason=reason)
    with transaction.atomic():
        run = Run.objects.select_for_update().get(id=action.run_id)
        locked = Action.objects.select_for_update().get(id=action.id)
        if locked.attempts.exists():
            raise NotDispatchedError("unproven", action.id)
        if locked.stands != outcomes.SETTLED:
            _settle(run, locked, outcomes.DID_NOT_HAPPEN, outcomes.WITHDRAWN, reason)
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
        _close_attempt(attempt, outcome)
        return True


def record_look_up(attempt: Attempt, answer: str, *, detail: str, clock: tuple[str, float]) -> None:
    """Keep one look-up: found, absent, voided, unanswered, or the first sight of an attempt."""
    boot, seconds = clock
    LookUp.objects.create(
        attempt=attempt, answer=answer, detail=detail[:2000], boot_id=boot, boot_seconds=seconds
    )
    Run.objects.filter(pk=attempt.action.run_id).update(attempts=0)


def absorb(lease: Lease, before: Ancestry, step: Step, action: Action) -> Committed:
    """Commit what the node made of a settled action: checkpoint and action in one transaction."""
    boundary("absorb:before")
    with transaction.atomic():
        committed = commits.commit(lease, before, step)
        hit = Action.objects.filter(
            pk=action.pk, stands=outcomes.SETTLED, absorbed_seq=None
        ).update(absorbed_seq=committed.seq)
        if hit != 1:
            raise LeaseLostError(f"action {action.id} was absorbed by another worker")
    boundary("absorb:after")
    return committed


def _judge_lease(run: Run, lease: Lease, action: Action) -> None:
    held = (
        run.status == states.RUNNING
        and (run.fence, run.holder, run.head) == (lease.fence, lease.holder, lease.head)
        and Run.objects.filter(pk=run.pk, lease_until__gt=ClockTimestamp()).exists()
    )
    if not held or action.run_id != run.id:
        raise NotDispatchedError("lease_lost", action.id)
    if run.cancel_requested_at is not None:
        raise NotDispatchedError("cancelled", action.id)
    if action.stands == outcomes.SETTLED or action.evidence_at is not None:
        raise NotDispatchedError("settled", action.id)


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


def _close_attempt(attempt: Attempt, outcome: str) -> None:
    Attempt.objects.filter(pk=attempt.pk, outcome=outcomes.ATTEMPT_OPEN).update(
        outcome=outcome, settled_at=Now()
    )


def _close_open(action: Action, outcome: str) -> None:
    action.attempts.filter(outcome=outcomes.ATTEMPT_OPEN).update(outcome=outcome, settled_at=Now())


def _settle(run: Run, action: Action, outcome: str, because: str, note: str) -> None:
    Action.objects.filter(pk=action.pk).update(
        stands=outcomes.SETTLED, outcome=outcome, because=because, note=note, settled_at=Now()
    )
    Run.objects.filter(pk=run.pk).update(effect_in_flight=None, attempts=0)
    events.append(
        run.id, "settled", WORKER, action=str(action.id), outcome=outcome, because=because
    )
    audit.record(
        action.tenant, WORKER, "settled", f"action {action.id}", outcome=outcome, because=because
    )
