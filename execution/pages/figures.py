"""The three numbers, each with what it was counted from: recovered, how fast, duplicates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import quantiles
from typing import Final

from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from checkpoints import states
from checkpoints.models import Case, Recovery
from execution.pages import takeovers
from reconciliation import states as world
from reconciliation.models import Action, LookUp
from tenants.models import Tenant

LOOKED_AT: Final = 10_000
DAYS: Final = 30


@dataclass(frozen=True)
class Figures:
    """Of the recoveries of the last `DAYS` days and the newest effects.

    `rate` is a share from 0 to 1, None when nothing was begun. Durations are seconds. `duplicates`
    arrived, of `happened` effects of which `checked` were looked up in the world.
    """

    begun: int
    recovered: int
    by_person: int
    under_way: int
    rate: float | None
    p50: float | None
    p95: float | None
    happened: int
    checked: int
    duplicates: int

    @property
    def rate_words(self) -> str:
        """The share in percent, cut not rounded: 99.96 % is not all of them."""
        return "\u2013" if self.rate is None else f"{int(self.rate * 1000) / 10:g} %"


def figures(tenant: Tenant, found: Sequence[Recovery]) -> Figures:
    """The three numbers of one tenant, from its recent recoveries."""
    by_itself = [each for each in found if each.ended == takeovers.RECOVERED]
    took = [seconds for each in by_itself if (seconds := takeovers.seconds(each)) is not None]
    happened, checked = _effects(tenant)
    return Figures(
        begun=len(found),
        recovered=len(by_itself),
        by_person=sum(each.ended == takeovers.BY_PERSON for each in found),
        under_way=sum(not each.ended for each in found),
        rate=len(by_itself) / len(found) if found else None,
        p50=percentile(took, 50),
        p95=percentile(took, 95),
        happened=happened,
        checked=checked,
        duplicates=_duplicates(tenant),
    )


def recent(tenant: Tenant) -> list[Recovery]:
    """The recoveries of the last days, newest first, among the newest of the installation."""
    newest = Recovery.objects.order_by("-id").values("pk")[:LOOKED_AT]
    since = Now() - timedelta(days=DAYS)
    found = Recovery.objects.filter(pk__in=newest, run__tenant=tenant, noticed_at__gte=since)
    # One that was itself interrupted goes on as the next one.
    return list(
        found.exclude(ended="interrupted").select_related("run").defer("run__input").order_by("-id")
    )


def percentile(values: Sequence[float], percent: int) -> float | None:
    """The value below which so many percent lie; None of nothing."""
    if len(values) < 2:  # noqa: PLR2004 - quantiles need two
        return values[0] if values else None
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def _duplicates(tenant: Tenant) -> int:
    # open_cases_by_tenant covers the open ones; of closed ones the newest are looked at.
    newest = Case.objects.filter(tenant=tenant).order_by("-id").values("pk")[:LOOKED_AT]
    return Case.objects.filter(pk__in=newest, kind=states.DUPLICATE_EFFECT).count()


def _effects(tenant: Tenant) -> tuple[int, int]:
    newest = Action.objects.filter(tenant=tenant).order_by("-proposed_at").values("pk")
    happened = Action.objects.filter(pk__in=newest[:LOOKED_AT], outcome=world.HAPPENED)
    found = LookUp.objects.filter(attempt__action=OuterRef("pk"), answer="found")
    checked = happened.annotate(seen=Exists(found)).values_list("seen", flat=True)
    seen = list(checked)
    return len(seen), sum(seen)
