"""The cases of a tenant by how people work on them: mine, unclaimed, overdue, waiting, unproven."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext_lazy as _

from checkpoints import claims
from checkpoints.claims import CASE
from checkpoints.desk import ages, pauses
from checkpoints.desk.ages import Age
from checkpoints.models import Case, Claim, OutsideWait
from tenants import clock
from tenants.clock import ClockTimestamp
from tenants.models import Tenant, User
from tenants.pills import Pill

MINE: Final = "mine"
UNCLAIMED: Final = "unclaimed"
OVERDUE: Final = "overdue"
OUTSIDE: Final = "outside"
UNPROVEN: Final = "unproven"
PILLS: Final[dict[str, Pill]] = {
    MINE: Pill(_("Claimed by you"), "working", "person", final=False),
    UNCLAIMED: Pill(_("Unclaimed"), "person", "empty", final=False),
    OVERDUE: Pill(_("Overdue"), "person", "clock", final=False),
    OUTSIDE: Pill(_("Waits for outside"), "waiting", "pause", final=False),
    UNPROVEN: Pill(_("Sent, not yet proven"), "itself", "loop", final=False),
}
COUNTED_TO: Final = 1_000


@dataclass(frozen=True)
class Worked:
    """What a row of the queue says of the people at a case: who, how old, for whom it waits."""

    claim: Claim | None
    age: Age
    outside: OutsideWait | None


def cases(tenant: Tenant, user: User, work: str) -> QuerySet[Any]:
    """The cases of one of these filters, with their ages: what passes its target first comes first.

    Raises KeyError for another word.
    """
    undecided = {"closed_at": None, "decided_at__isnull": work != UNPROVEN}
    at_it = claims.live(tenant, CASE).filter(key=Cast(OuterRef("pk"), TextField()))
    only = {
        MINE: Q(Exists(at_it.filter(holder=user))),
        UNCLAIMED: ~Q(Exists(at_it)),
        OVERDUE: Q(due_at__lt=ClockTimestamp()),
        OUTSIDE: Q(stands_still=True),
        UNPROVEN: Q(),
    }[work]
    found = ages.aged(Case.objects.filter(tenant=tenant, **undecided)).filter(only)
    return found.order_by("due_at", "pk")


def page(tenant: Tenant, user: User, work: str, *, after: UUID | None, limit: int) -> list[Case]:
    """So many of them after the case named, with their runs."""
    found = cases(tenant, user, work).select_related("run", "tenant").defer("run__input")
    last = None
    if after is not None:
        last = ages.aged(Case.objects.filter(tenant=tenant, pk=after)).first()
    if last is not None:
        found = found.filter(Q(due_at__gt=last.due_at) | Q(due_at=last.due_at, pk__gt=last.pk))
    return list(found[:limit])


def counts(tenant: Tenant, user: User) -> dict[str, int]:
    """How many cases each filter has, counted to `COUNTED_TO`."""
    return {work: cases(tenant, user, work).order_by()[:COUNTED_TO].count() for work in PILLS}


def worked(tenant: Tenant, found: Iterable[Case]) -> Mapping[UUID, Worked]:
    """Who is at each of these and how old it is, in a constant number of queries."""
    ids = [case.pk for case in found]
    if not ids:
        return {}
    now: datetime = clock.now()
    held = claims.standing(tenant, CASE, [str(pk) for pk in ids])
    waits = pauses.current_of(ids)
    return {
        case.pk: Worked(held.get(str(case.pk)), ages.of(case, now=now), waits.get(case.pk))
        for case in ages.aged(Case.objects.filter(pk__in=ids))
    }
