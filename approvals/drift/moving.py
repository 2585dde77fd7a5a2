"""Drift: what moved while a request waits, what that forbids, and asking anew because of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals import clock, judging, locks, requests, states
from approvals.drift import comparing, looks, terms
from approvals.drift.terms import Row
from approvals.errors import MovedError, NotPermittedError
from approvals.hashing import Difference
from approvals.models import ApprovalRequest
from approvals.models.freshness import MOVED, Freshness
from checkpoints import states as runs
from checkpoints import wakeups
from tenants import access
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import User

# Deciding, or operating the run: either may want to see what would happen now.
MAY_ASK_ANEW: Final = frozenset({"approve_actions", "operate_runs"})
# A look that is overdue by this much did not happen: the sweeper or the tool is not there.
OVERDUE: Final = timedelta(seconds=60)
# How long a page waits for the question that takes the place of its own.
SOON: Final = timedelta(minutes=5)
MANY_MINUTES: Final = 120
MANY_HOURS: Final = 48


@dataclass(frozen=True)
class Told:
    """What a page says of the newest look. `unseen_for`: minutes nobody could look, 0 when all is well.

    `rows` say what moved, in words; empty when nothing did. `error` is the tool's own word.
    """

    seen_at: datetime
    moved: bool
    rows: list[Row]
    unseen_for: int
    error: str

    @property
    def unseen_long(self) -> str:
        """How long nobody could look, in the largest unit that still says something."""
        minutes = self.unseen_for
        if minutes < MANY_MINUTES:
            return ngettext("%(n)s minute", "%(n)s minutes", minutes) % {"n": minutes}
        hours = minutes // 60
        if hours < MANY_HOURS:
            return _("%(n)s hours") % {"n": hours}
        return _("%(n)s days") % {"n": hours // 24}

    @property
    def verdict(self) -> str:
        """Which of its two faces the page must show."""
        return "moved" if self.moved else "equal"


def told(request: ApprovalRequest) -> Told | None:
    """What the newest look found; None for a closed request, and one that is not looked at."""
    row = _row(request.pk) if request.state == states.OPEN else None
    if row is None:
        return None
    now = clock.now()
    is_late = row.due_at is not None and row.due_at + OVERDUE < now
    minutes = int((now - row.seen_at).total_seconds() // 60)
    return Told(
        seen_at=row.seen_at,
        moved=row.verdict == MOVED,
        rows=terms.rows(_differences(row), row.files),
        unseen_for=max(1, minutes) if row.error or is_late else 0,
        error=row.error,
    )


def is_asked_anew(request: ApprovalRequest) -> bool:
    """True for a while after people closed what moved: its run is about to put another question.

    The caller knows that there is none yet.
    """
    if request.state != states.WITHDRAWN or request.closed_at is None:
        return False
    if request.closed_at + SOON <= clock.now() or request.run.status not in runs.LIVE:
        return False
    row = _row(request.pk)
    return row is not None and row.verdict == MOVED


def may_ask_anew(rights: frozenset[str]) -> bool:
    """True for those who decide here and those who operate runs."""
    return bool(rights & MAY_ASK_ANEW)


def refuse_if_moved(request: ApprovalRequest) -> None:
    """Refuse a yes to what is not so any more. The caller holds the request. Raises `MovedError`."""
    row = _row(request.pk)
    if row is not None and row.verdict == MOVED:
        raise MovedError(request.pk, _differences(row), row.files)


def dry_run_again(request_id: UUID, *, actor: Actor, user: User) -> ApprovalRequest:
    """Ask anew because the base moved; when nothing moved, let the world be looked at once more.

    A moved question is closed, and its run woken: the worker makes the dry run again and puts a
    new question with a new hash, linked to this one. Returns the request as it stands now.
    Raises `NotPermittedError`, and `AlreadyDecidedError` when it is closed.
    """
    with transaction.atomic():
        request = locks.request(request_id)
        _admit(request, actor, user)
        if request.state != states.OPEN:
            raise judging.already(request)
        if request.expires_at <= clock.now():
            raise judging.past_expiry(request)
        row = _row(request_id)
        if row is None or row.verdict != MOVED:
            looks.due_now(request_id)
            return request
        moved = _differences(row)
        why = comparing.sentence(moved)
        requests.close(request, states.WITHDRAWN, by=actor.name, because=hiding.text(why))
        told = hiding.texts(reason=why, moved=comparing.fields(moved))
        requests.record(request, actor, "dry_run_again", **told)
        wakeups.wake(request.run_id, why=hiding.text(f"{actor.name} asked for another dry run."))
    return request


def _row(request_id: UUID) -> Freshness | None:
    return Freshness.objects.filter(pk=request_id).first()


def _differences(row: Freshness) -> list[Difference]:
    return [Difference(**each) for each in row.differences]


def _admit(request: ApprovalRequest, actor: Actor, user: User) -> None:
    """A machine is refused before any right is read."""
    if (actor.kind, actor.user_id, user.kind) != ("person", user.pk, User.Kind.PERSON):
        raise NotPermittedError("machine", request.pk)
    rights = access.of(user).rights.get(request.tenant_id, frozenset())
    if not may_ask_anew(rights):
        raise NotPermittedError("no_right", request.pk)
