"""What a person does about a problem: put it off, take that back, call it resolved, reopen it.

Nothing is sent and no run is touched by any of these. A problem comes back by itself: `reading`.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from canonical.redaction import Said, ours
from checkpoints import claims
from checkpoints.claims import PROBLEM, Subject
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Combo
from execution.problems import models, reading, sorting
from execution.problems.models import Problem, ProblemChange
from tenants import access, audit
from tenants.actors import Actor
from tenants.clock import now
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import User

RIGHT: Final = "operate_runs"
LONGEST_SNOOZE: Final = timedelta(days=30)


@dataclass(frozen=True)
class Snooze:
    """How long a problem is put off: until a time, until more than `rate` runs in an hour, or both."""

    until: datetime | None = None
    rate: int | None = None


def snooze(problem: Problem, how: Snooze, *, reason: Said, user: User) -> ProblemChange:
    """Put a problem off. It stays counted, and comes back by itself.

    Raises `IllegalMoveError` without a time or a rate, for a time that is over or too far.
    """
    with transaction.atomic():
        at = _locked(problem, user)
        if how.until is None and how.rate is None:
            raise IllegalMoveError("say until when, or up to which rate")
        if how.until is not None and not at < how.until <= at + LONGEST_SNOOZE:
            raise IllegalMoveError("put it off for at most 30 days, until a time to come")
        told = ProblemChange(what=models.SNOOZED, until=how.until, rate=how.rate)
        return _say(problem, told, reason=reason, user=user)


def wake(problem: Problem, *, reason: Said, user: User) -> ProblemChange:
    """End the snooze of a problem now. Raises `IllegalMoveError` if there is none."""
    with transaction.atomic():
        at = _locked(problem, user)
        if not reading.standing(problem, problem.tenant).is_snoozed(at):
            raise IllegalMoveError("this problem is not put off any more; load the page again")
        return _say(problem, ProblemChange(what=models.WOKEN), reason=reason, user=user)


def resolve(problem: Problem, combo: Combo, *, reason: Said, user: User) -> ProblemChange:
    """Call a problem resolved in one combo: it covers the runs there that have failed by now.

    Raises `IllegalMoveError` while a run of that combo needs a person, is not proven, is asked for
    or is tried again: those are closed by what becomes of them, never by a word.
    """
    with transaction.atomic():
        _locked(problem, user)
        sorting.sort_all(problem.tenant_id)
        there = reading.standing(problem, problem.tenant).by_combo.get(combo.pk)
        if there is None:
            raise IllegalMoveError("nothing of this combo counts to this problem any more")
        left = there.runs - there.failed
        if left:
            raise IllegalMoveError(
                f"{left} runs of this combo are not over: they need a verdict, a proof or an answer"
            )
        told = ProblemChange(what=models.RESOLVED, combo=combo)
        return _say(problem, told, reason=reason, user=user)


def reopen(problem: Problem, combo: Combo, *, reason: Said, user: User) -> ProblemChange:
    """Take a resolution back: what it covered counts again. Raises `IllegalMoveError` if none."""
    with transaction.atomic():
        _locked(problem, user)
        said = problem.changes.filter(combo=combo).order_by("-id").first()
        if said is None or said.what != models.RESOLVED:
            raise IllegalMoveError(
                "this problem is not resolved in this combo; load the page again"
            )
        told = ProblemChange(what=models.REOPENED, combo=combo)
        return _say(problem, told, reason=reason, user=user)


def kept(problem: Problem) -> Problem:
    """Its row; made now for one that is only derived (*stuck*) or not sorted in yet."""
    names = ("kind", "task_type", "node", "tool", "error")
    found, _ = Problem.objects.get_or_create(
        tenant_id=problem.tenant_id,
        fingerprint=problem.fingerprint,
        defaults={name: getattr(problem, name) for name in names},
    )
    return found


def claimed(problem: Problem) -> Subject:
    """The problem as something to be claimed."""
    return Subject(problem.tenant, PROBLEM, problem.fingerprint)


def _locked(problem: Problem, user: User) -> datetime:
    """The problem's row, locked; the time under the lock. The right is judged after the wait.

    Raises `HeldByAnotherError` while somebody else is at it.
    """
    Problem.objects.select_for_update(no_key=True).get(pk=problem.pk, tenant=problem.tenant_id)
    claims.refuse_if_anothers(claimed(problem), user=user)
    if user.pk not in access.who_may(problem.tenant_id, RIGHT, [user.pk]):
        raise Denied(problem.tenant_id, RIGHT)
    return now()


def _say(problem: Problem, told: ProblemChange, *, reason: Said, user: User) -> ProblemChange:
    why = hiding.said(reason).strip()
    if not why:
        raise IllegalMoveError("say why: it stands in the audit trail")
    told.tenant_id, told.problem, told.by, told.reason = problem.tenant_id, problem, user, why
    told.save(force_insert=True)
    audit.record(
        problem.tenant,
        Actor.person(user),
        hiding.text(f"{VERBS[told.what]} problem"),
        ours("problem %(id)s", id=problem.pk),
        kind=hiding.text(problem.kind),
        task_type=hiding.text(problem.task_type),
        reason=hiding.text(why),
        combo=hiding.text(str(told.combo or "")),
        until=told.until,
        rate=told.rate,
    )
    return told


VERBS: Final = {
    models.SNOOZED: "snoozed",
    models.WOKEN: "woke",
    models.RESOLVED: "resolved",
    models.REOPENED: "reopened",
}
