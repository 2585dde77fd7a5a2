"""While a case waits for somebody outside its age stands still: who it is, since when, and why."""

from collections.abc import Iterable
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


def current_of(cases: Iterable[UUID]) -> dict[UUID, OutsideWait]:
    """The same of several cases, in one query."""
    found = OutsideWait.objects.filter(case__in=list(cases), ended_at=None)
    return {each.case_id: each for each in found.select_related("begun_by")}


def _open(case: Case) -> QuerySet[OutsideWait]:
    return OutsideWait.objects.filter(case=case, ended_at=None)
