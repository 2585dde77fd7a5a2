"""While a case waits for somebody outside its age stands still: who it is, since when, and why."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from canonical.redaction import Said
from checkpoints import events
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, OutsideWait
from tenants.actors import Actor
from tenants.clock import ClockTimestamp
from tenants.keys import hiding
from tenants.models import User

MOST: Final = 200


def begin(case: Case, *, party: Said, why: Said, user: User) -> OutsideWait:
    """Note on a locked, open case that it waits for somebody outside, from now on.

    Raises `IllegalMoveError` when it waits already, or when it is not said for whom and why.
    """
    whom, said = hiding.said(party).strip(), hiding.said(why).strip()
    if not whom or not said:
        raise IllegalMoveError("say for whom it waits, and why")
    known = current(case)
    if known is not None:
        raise IllegalMoveError(f"it waits for {known.party} already; end that first")
    made = OutsideWait.objects.create(
        tenant=case.tenant, case=case, party=whom, why=said, begun_by=user
    )
    told = {"party": hiding.text(whom), "why": hiding.text(said)}
    events.append(case.run_id, "waits for outside", Actor.person(user), case=case.pk, **told)
    return made


def end(case: Case, *, user: User) -> OutsideWait:
    """Note on a locked case that it waits no more. Raises `IllegalMoveError` when it does not."""
    known = current(case)
    if known is None:
        raise IllegalMoveError("it waits for nobody outside")
    end_all(case, user=user)
    return known


def end_all(case: Case, *, user: User) -> int:
    """Inside a verb's transaction, the case locked: it waits for nobody outside any more."""
    known = current(case)
    if known is None:
        return 0
    hit = _open(case).update(ended_at=ClockTimestamp(), ended_by=user)
    told = {"party": hiding.text(known.party)}
    events.append(
        case.run_id, "waits for outside no more", Actor.person(user), case=case.pk, **told
    )
    return hit


def current(case: Case) -> OutsideWait | None:
    """For whom a case waits now."""
    return _open(case).select_related("begun_by").first()


def of(cases: Iterable[UUID]) -> dict[UUID, list[OutsideWait]]:
    """The intervals of these cases, oldest first, at most `MOST` of each page of cases."""
    found = OutsideWait.objects.filter(case__in=list(cases)).select_related("begun_by", "ended_by")
    by_case: dict[UUID, list[OutsideWait]] = {}
    for each in found.order_by("id")[:MOST]:
        by_case.setdefault(each.case_id, []).append(each)
    return by_case


def total(waits: Iterable[OutsideWait], *, now: datetime) -> timedelta:
    """How long these intervals took together; one that has not ended lasts until now."""
    return sum(((each.ended_at or now) - each.begun_at for each in waits), timedelta())


def _open(case: Case) -> QuerySet[OutsideWait]:
    return OutsideWait.objects.filter(case=case, ended_at=None)
