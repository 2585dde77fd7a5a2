"""One page of effects with what they sum to and who allowed them; every read is bounded.

The newest effects of the tenant are looked at, at most so many; the page says where that ends.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from approvals import totals
from approvals.models import Approval, Decision
from approvals.pages import wording
from approvals.totals import Totals
from canonical import money
from reconciliation import undone
from reconciliation.models import Action, Attempt
from reconciliation.overview.filtering import WINDOWS, Wanted
from tenants.models import Tenant

ROWS: Final = 50
NAMES: Final = {
    "recipients": _("recipients"),
    "files": _("files"),
    "lines": _("lines"),
    "deletions": _("deletions"),
}
LOOKED_AT: Final = 20_000
COUNTED_TO: Final = 5_000


@dataclass(frozen=True)
class Row:
    """One effect: who allowed it (people, else the rule), and when it was sent first."""

    action: Action
    people: tuple[str, ...]
    rule: str
    sent_at: object

    @property
    def standing(self) -> str:
        """The code of its pill."""
        return undone.code_of(self.action)

    @property
    def size(self) -> str:
        """How much it touches, in words."""
        return wording.magnitude(self.action.magnitude)


@dataclass(frozen=True)
class Found:
    """A page; `number` counts to `COUNTED_TO` + 1, and the totals are of those counted."""

    rows: Sequence[Row]
    more: bool
    number: int
    totals: Totals
    ended_early: bool

    @property
    def money(self) -> list[tuple[str, str]]:
        """Each currency with its sum."""
        return [(name, money.text(minor, name)) for name, minor in self.totals.money.items()]

    @property
    def counts(self) -> list[tuple[str, int]]:
        """What else they touch together."""
        return [(str(NAMES[kind]), n) for kind, n in self.totals.counts.items()]


def found(tenant: Tenant, wanted: Wanted) -> Found:
    """The effects of one page, newest first, with the totals of all that match."""
    every = list(matching(tenant, wanted).values_list("pk", "magnitude")[: COUNTED_TO + 1])
    counted = [(magnitude, "") for _pk, magnitude in every[:COUNTED_TO]]
    page = _after(tenant, wanted)
    return Found(
        rows=_rows(page[:ROWS]),
        more=len(page) > ROWS,
        number=len(every),
        totals=totals.of(counted),
        ended_early=_looked_at(tenant, wanted).count() >= LOOKED_AT,
    )


def matching(tenant: Tenant, wanted: Wanted) -> QuerySet[Action]:
    """All that match, newest first, of the newest looked at."""
    looked = Action.objects.filter(pk__in=_looked_at(tenant, wanted).values("pk"))
    return wanted.of(looked.filter(tenant=tenant)).order_by("-proposed_at", "-pk")


def _looked_at(tenant: Tenant, wanted: Wanted) -> QuerySet[Action]:
    # Index: actions_by_tenant_newest.
    newest = Action.objects.filter(tenant=tenant, mode="live")
    window = WINDOWS[wanted.window]
    if window is not None:
        newest = newest.filter(proposed_at__gte=timezone.now() - window)
    return newest.order_by("-proposed_at")[:LOOKED_AT]


def _after(tenant: Tenant, wanted: Wanted) -> list[Action]:
    page = matching(tenant, wanted)
    last = Action.objects.filter(tenant=tenant, pk=wanted.before).first() if wanted.before else None
    if last is not None:
        older = Q(proposed_at__lt=last.proposed_at)
        page = page.filter(older | Q(proposed_at=last.proposed_at, pk__lt=last.pk))
    page = page.select_related("run__combo").defer("parameters", "run__input")
    return list(undone.mark(page)[: ROWS + 1])


def _rows(actions: Sequence[Action]) -> list[Row]:
    ids = [action.pk for action in actions]
    people: defaultdict[UUID, list[str]] = defaultdict(list)
    said_yes = Decision.objects.filter(
        request__action_id__in=ids, verdict="approve", taken_back=None
    ).select_related("user", "request")
    for decision in said_yes.defer("request__diff", "request__parameters").order_by("pk"):
        people[decision.request.action_id].append(str(decision.user))
    passed = Approval.objects.filter(request__action_id__in=ids).exclude(rule="")
    rules = dict(passed.values_list("request__action_id", "rule"))
    sent = dict(
        Attempt.objects.filter(action_id__in=ids, number=1).values_list(
            "action_id", "dispatched_at"
        )
    )
    return [
        Row(
            action,
            tuple(dict.fromkeys(people[action.pk])),
            rules.get(action.pk, ""),
            sent.get(action.pk),
        )
        for action in actions
    ]
