"""The three numbers, each with what it was counted from: recovered, how fast, duplicates."""

from dataclasses import dataclass
from typing import Final

from checkpoints import states
from checkpoints.models import Case
from execution.recoveries.defining import (
    BEGUN,
    BY_PERSON,
    CHECKED,
    HAPPENED,
    RECOVERED,
    SECONDS,
    UNDER_WAY,
)
from tenants.database import execute
from tenants.models import Tenant

# The newest recoveries of all tenants, and the newest effects and cases of one.
LOOKED_AT: Final = 5_000
DAYS: Final = 30


@dataclass(frozen=True)
class Figures:
    """Of the recoveries of the last `DAYS` days, and of the newest effects.

    Durations are seconds, None of nothing. `duplicates` arrived; of the `happened` effects
    `checked` were looked up in the world.
    """

    begun: int
    recovered: int
    by_person: int
    under_way: int
    p50: float | None
    p95: float | None
    happened: int
    checked: int
    duplicates: int

    @property
    def rate_words(self) -> str:
        """The share of those begun."""
        return rate(self.recovered, self.begun)


def rate(recovered: int, begun: int) -> str:
    """A share in percent, cut not rounded: 99.96 % is not all of them."""
    return f"{recovered * 1000 // begun / 10:g} %" if begun else "\u2013"


# Relies on the primary key of recoveries: the newest of all tenants, then those of this one.
RECOVERIES = f"""
SELECT count(*),
       count(*) FILTER (WHERE {RECOVERED}),
       count(*) FILTER (WHERE {BY_PERSON}),
       count(*) FILTER (WHERE {UNDER_WAY}),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE {RECOVERED}),
       percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE {RECOVERED})
  FROM (
    SELECT run_id, ended, noticed_at, {SECONDS} AS seconds
      FROM checkpoints_recovery ORDER BY id DESC LIMIT %(looked_at)s
  ) AS newest
  JOIN checkpoints_run AS run ON run.id = newest.run_id
 WHERE run.tenant_id = %(tenant)s AND run.mode = 'live' AND {BEGUN}
   AND noticed_at >= now() - make_interval(days => %(days)s)
"""  # noqa: S608 - names of ours

# Relies on actions_by_tenant_newest.
EFFECTS = f"""
SELECT count(*), count(*) FILTER (WHERE {CHECKED})
  FROM (
    SELECT id, outcome FROM reconciliation_action
     WHERE tenant_id = %(tenant)s ORDER BY proposed_at DESC LIMIT %(looked_at)s
  ) AS newest
 WHERE {HAPPENED}
"""  # noqa: S608 - names of ours


def figures(tenant: Tenant) -> Figures:
    """The three numbers of one tenant. A recovery that was itself interrupted goes on as the next."""
    values = {"tenant": tenant.pk, "looked_at": LOOKED_AT, "days": DAYS}
    begun, recovered, by_person, under_way, p50, p95 = execute(RECOVERIES, values)[0]
    happened, checked = execute(EFFECTS, values)[0]
    return Figures(
        begun=begun,
        recovered=recovered,
        by_person=by_person,
        under_way=under_way,
        p50=p50,
        p95=p95,
        happened=happened,
        checked=checked,
        duplicates=_duplicates(tenant),
    )


def _duplicates(tenant: Tenant) -> int:
    newest = Case.objects.filter(tenant=tenant).order_by("-id").values("pk")[:LOOKED_AT]
    return Case.objects.filter(pk__in=newest, kind=states.DUPLICATE_EFFECT).count()
