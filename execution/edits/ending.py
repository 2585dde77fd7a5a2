"""How an edit ends: the one way to close it, taking it away, and what the clock or others ended."""

from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from approvals import clock, states
from approvals.errors import AlreadyDecidedError, ReasonMissingError
from approvals.models import EditRequest
from canonical.redaction import Fact, Said, ours
from checkpoints import events, knowing
from checkpoints.models import Case, Run
from execution.edits import judging, notices
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User

SWEEPER: Final = Actor.machine("sweeper")
OVERTAKEN: Final = "The case went on in another way."

# Each verb as the audit trail names it, and as the run's history tells it.
WORDS: Final = {
    "propose": "edit proposed",
    states.APPROVE: "edit approved",
    states.REJECT: "edit rejected",
    states.SEND_BACK: "edit sent back",
    "withdraw": "edit withdrawn",
    "expire": "edit expired",
}


def withdraw(edit_id: UUID, *, reason: str, actor: Actor, user: User) -> EditRequest:
    """Take an edit away before it became a checkpoint.

    Raises `NotPermittedError`, `ReasonMissingError`, `AlreadyDecidedError` (used or gone: by whom).
    A run that was let go on for it is held again, by its own turn.
    """
    if not reason.strip():
        raise ReasonMissingError(f"edit {edit_id}")
    with transaction.atomic():
        desk = judging.locked(edit_id)
        judging.admit_withdrawal(desk.edit, actor=actor, user=user)
        said = knowing.words(reason, of=[desk.run.pk], also=[bytes(desk.edit.content)])
        close(desk.edit, states.WITHDRAWN, by=actor.name, because=said)
        record(desk.edit, actor, "withdraw", reason=said)
    return desk.edit


def end_due(limit: int) -> int:
    """The sweeper's duty: close what ran out, and what others overtook; returns how many."""
    gone = Case.objects.filter(pk=OuterRef("case"), closed_at__isnull=False)
    decided = Case.objects.filter(pk=OuterRef("case"), decided_at__isnull=False)
    due = EditRequest.objects.filter(state__in=states.LIVE).filter(
        Q(expires_at__lte=clock.ClockTimestamp())
        | Q(Exists(gone))
        | Q(Exists(decided), state=states.OPEN)
    )
    ids = list(due.order_by("expires_at").values_list("pk", flat=True)[:limit])
    return sum(_end(edit_id) for edit_id in ids)


def close(edit: EditRequest, state: str, *, by: str, because: Said = "") -> None:
    """Move a locked edit that is live; one that is not is left as it is. Raises `AlreadyDecidedError`."""
    old = edit.state
    if not states.may_move(states.REQUEST_MOVES, old, state):
        raise AlreadyDecidedError(edit.pk, state=old, by=edit.closed_by, at=edit.closed_at)
    at: datetime = clock.now()
    values = {"closed_at": at, "closed_by": by, "closed_because": hiding.said(because)}
    hit = EditRequest.objects.filter(pk=edit.pk, state=old).update(state=state, **values)
    if hit != 1:
        raise AlreadyDecidedError(edit.pk, state=old, by=edit.closed_by, at=edit.closed_at)
    edit.refresh_from_db(fields=["state", "closed_at", "closed_by", "closed_because"])
    notices.settled(edit)


def record(edit: EditRequest, actor: Actor, verb: str, **detail: Fact) -> None:
    """One event and one audit row about an edit, in the caller's transaction."""
    facts: dict[str, Fact] = {
        "edit": edit.pk,
        "kind": hiding.text(edit.kind),
        "case": edit.case_id,
        "hash": hiding.text(edit.edit_hash),
        "author": hiding.text(str(edit.author)),
        **detail,
    }
    events.append(edit.run_id, hiding.text(WORDS[verb]), actor, **facts)
    subject = ours("run %(id)s", id=edit.run_id)
    audit.record(edit.tenant, actor, hiding.text(f"{verb}_edit"), subject, **facts)


def _end(edit_id: UUID) -> bool:
    with transaction.atomic():
        run_id = EditRequest.objects.values_list("run_id", flat=True).get(pk=edit_id)
        if Run.objects.select_for_update(skip_locked=True).filter(pk=run_id).first() is None:
            return False  # somebody works on it: it comes round again
        desk = judging.locked(edit_id)
        if desk.edit.state not in states.LIVE:
            return False
        if desk.edit.expires_at <= clock.now():
            close(desk.edit, states.EXPIRED, by="")
            record(desk.edit, SWEEPER, "expire")
        else:
            close(desk.edit, states.WITHDRAWN, by=SWEEPER.name, because=ours(OVERTAKEN))
            record(desk.edit, SWEEPER, "withdraw", reason=ours(OVERTAKEN))
    return True
