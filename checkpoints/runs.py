"""The life of a run: start, suspend, yield, hold, finish, lapse, cancel.

With `leases.acquire` (queued → running), `wakeups.wake` (waiting → queued), `holding.hold_now` and
`revoking.revoke` the only writer of `Run.status`. Releasing verbs are guarded by fence and holder: a stale owner changes nothing.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Case as Choice
from django.db.models import DateTimeField, F, Value, When
from django.db.models.functions import Greatest, Now

from canonical.redaction import Said, ours
from checkpoints import (
    asked,
    cases,
    events,
    knowing,
    recoveries,
    routes,
    startright,
    states,
    wakeups,
)
from checkpoints.asked import Request
from checkpoints.boundaries import boundary
from checkpoints.commits import Lease
from checkpoints.errors import IllegalMoveError, KeyReusedError, LeaseLostError
from checkpoints.leases import back_off
from checkpoints.models import Run
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import Installation, Tenant


@dataclass(frozen=True)
class Outcome:
    """How a run ends: a final status, its stop reason, and one sentence."""

    status: str
    stop_reason: str
    sentence: Said


def start(tenant: Tenant, request: Request, *, actor: Actor) -> tuple[Run, bool]:
    """Start a run, or find the one that this business key already has; True when it is new.

    Raises `UnknownTaskTypeError`, `InputRefusedError`, `KeyReusedError` (same key, other input),
    `StoppedError`.
    """
    given = asked.checked(tenant, request)
    boundary("start:before")
    with transaction.atomic():
        # Its identity is in every idempotency key, so it is committed before any key is made.
        Installation.objects.get_or_create(only=True)
        combo = request.pinned_to or routes.choose(
            tenant, request.task_type, given.key, critical=request.critical
        )
        wanted = asked.run_of(given, combo, actor)
        startright.refuse_if_kept_out(wanted)
        run = _get_or_create(wanted)
        created = run.id == wanted.id
        if created:
            events.append(run.id, "started", actor, channel=hiding.text(request.channel))
            about, key = ours("run %(id)s", id=run.id), hiding.text(run.business_key)
            audit.record(tenant, actor, "started", about, business_key=key)
            transaction.on_commit(lambda: wakeups.ring(run.id))
    boundary("start:after")
    return run, created


def suspend(lease: Lease, reason: str, sentence: Said, *, due_at: datetime | None) -> None:
    """Let go of a run that waits as designed. If it was woken meanwhile it is queued at once."""
    with transaction.atomic():
        _suspend(lease, reason, hiding.said(sentence), due_at)
        if reason in (states.FOR_APPROVAL, states.FOR_STOP):
            # Back where it was to wait for people: their time is not the recovery's.
            recoveries.end(lease.run_id, how="recovered")


def yield_to_others(lease: Lease) -> None:
    """Let go of a run that could go on: others wait, or the worker drains."""
    _release(
        lease,
        status=states.QUEUED,
        reason=states.YIELDED,
        sentence="Made room for others; goes on with the next free worker.",
        due_at=Now(),
    )


def retry_later(lease: Lease, sentence: Said, *, seconds: float, counts: bool = True) -> None:
    """Let go of a run that met a passing trouble; it is tried again after `seconds`.

    With `counts` it is one of the failures that its node may have before a person is called.
    """
    _release(
        lease,
        status=states.WAITING,
        reason=states.FOR_RETRY,
        sentence=hiding.said(sentence),
        due_at=Now() + timedelta(seconds=seconds),
        node_failures=F("node_failures") + int(counts),
    )


def hold(lease: Lease, trouble: cases.Trouble, *, actor: Actor) -> None:
    """Put a run on hold and open its case: one transaction, so held ⇔ an open case."""
    with transaction.atomic():
        said = hiding.said(trouble.sentence)
        _release(lease, status=states.HELD, reason=trouble.kind, sentence=said, due_at=None)
        cases.open_case(lease.tenant_id, lease.run_id, trouble, actor=actor)


def finish(lease: Lease, outcome: Outcome, *, actor: Actor) -> None:
    """End a run. Final is final."""
    boundary("finish:before")
    with transaction.atomic():
        _release(
            lease,
            status=outcome.status,
            reason="",
            sentence=hiding.said(outcome.sentence),
            due_at=None,
            stop_reason=outcome.stop_reason,
            finished_at=Now(),
        )
        cases.close_proven(
            lease.run_id, because=hiding.text(f"the run ended: {outcome.stop_reason}")
        )
        recoveries.end(lease.run_id, how="recovered")
        told = hiding.texts(stop_reason=outcome.stop_reason)
        events.append(lease.run_id, hiding.text(outcome.status), actor, **told)
    boundary("finish:after")


def lapse(run_id: UUID, *, fence: int, why: Said, actor: Actor) -> bool:
    """Take the lease of a dead or silent worker away; False when it is not held any more.

    The run is due again, at once or after a back-off when it keeps being interrupted.
    """
    boundary("lapse:before")
    said = hiding.text(hiding.said(why))
    with transaction.atomic():
        leased = Run.objects.filter(id=run_id, fence=fence, status=states.RUNNING)
        run = leased.select_for_update().first()
        if run is None:
            return False
        Run.objects.filter(id=run_id).update(
            status=states.QUEUED,
            reason=states.INTERRUPTED,
            sentence=f"Interrupted: {said}. Goes on with the next free worker.",
            holder=None,
            lease_until=None,
            due_at=Now() + back_off(run.attempts),
        )
        recoveries.begin(run_id, fence=fence, why=said)
        events.append(run_id, "interrupted", actor, why=said, fence=fence, head=run.head)
        transaction.on_commit(lambda: wakeups.ring(run_id))
    boundary("lapse:after")
    return True


def request_cancel(run_id: UUID, *, why: Said, actor: Actor) -> Run:
    """Ask a run to end at its next boundary; open actions are reconciled first.

    Raises `IllegalMoveError` for a final run. Asking twice is one request.
    """
    with transaction.atomic():
        run = Run.objects.select_for_update().get(id=run_id)
        if run.status in states.FINAL:
            raise IllegalMoveError(f"the run has ended already: {run.status}")
        if run.cancel_requested_at is None:
            Run.objects.filter(id=run_id).update(
                cancel_requested_at=Now(), cancel_requested_by=actor.name
            )
            said, subject = (
                knowing.words(hiding.said(why), of=[run_id]),
                ours("run %(id)s", id=run_id),
            )
            events.append(run_id, "cancel requested", actor, why=said)
            audit.record(run.tenant, actor, "asked to cancel", subject, why=said)
        wakeups.wake(run_id, why=hiding.text(f"{actor.name} asked to cancel"))
    run.refresh_from_db()
    return run


def release_hold(run_id: UUID, *, sentence: Said) -> None:
    """Inside a verdict's transaction, its case decided: the held run is due again."""
    hit = Run.objects.filter(id=run_id, status=states.HELD).update(
        status=states.QUEUED,
        reason=states.WOKEN,
        sentence=hiding.said(sentence),
        due_at=Now(),
        attempts=0,
        node_failures=0,
        wakes=F("wakes") + 1,
    )
    if hit != 1:
        raise IllegalMoveError("the run is not on hold any more; load the page again")
    transaction.on_commit(lambda: wakeups.ring(run_id))


def _get_or_create(wanted: Run) -> Run:
    # Insert, then select in a second statement: the loser of a race would find no row in its
    # first snapshot (rule 21).
    Run.objects.bulk_create([wanted], ignore_conflicts=True)
    run = Run.objects.get(
        tenant=wanted.tenant,
        task_type=wanted.task_type,
        business_key=wanted.business_key,
        forked_from=None,
        mode="live",
    )
    if bytes(run.input) != wanted.input:
        said = f"the business key {wanted.business_key!r} belongs to run {run.id}"
        raise KeyReusedError(f"{said}, which has another input; use another key, or the same input")
    return run


def _suspend(lease: Lease, reason: str, sentence: str, due_at: datetime | None) -> None:
    unwoken = When(wakes=lease.wakes, then=Value(states.WAITING))
    _release(
        lease,
        status=Choice(unwoken, default=Value(states.QUEUED)),
        reason=Choice(When(wakes=lease.wakes, then=Value(reason)), default=Value(states.WOKEN)),
        sentence=sentence,
        due_at=Choice(
            When(wakes=lease.wakes, then=Value(due_at)),
            default=Now(),
            output_field=DateTimeField(),
        ),
    )


def _release(lease: Lease, **changes: Any) -> None:
    # An orderly release gives the attempt back: only crashes count towards a crash loop.
    mine = {"id": lease.run_id, "fence": lease.fence, "holder": lease.holder}
    hit = Run.objects.filter(**mine, status=states.RUNNING).update(
        holder=None,
        lease_until=None,
        attempts=Greatest(F("attempts") - 1, 0),
        **changes,
    )
    if hit != 1:
        raise LeaseLostError(f"run {lease.run_id}: fence {lease.fence} no longer holds it")
