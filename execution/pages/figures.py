"""The three numbers, each with what it was counted from: recovered, how fast, duplicates."""

from dataclasses import dataclass
from typing import Final

from execution.recoveries.defining import (
    BEGUN,
    BY_PERSON,
    CHECKED,
    DUPLICATE,
    HAPPENED,
    RECOVERED,
    SECONDS,
    STOPPED,
    UNDER_WAY,
)
from tenants.database import execute
from tenants.models import Tenant

# The newest recoveries of all tenants, and the newest effects and cases of one.
LOOKED_AT: Final = 5_000
DAYS: Final = 30


@dataclass(frozen=True)
class Figures:
    """Of the last `DAYS` days: recoveries begun, effects that happened, duplicates found.

    Durations are seconds, None of nothing. `duplicates` arrived; of the `happened` effects
    `checked` were looked up in the world, and `stopped` were found there and not sent again.
    """

    begun: int
    recovered: int
    by_person: int
    under_way: int
    p50: float | None
    p95: float | None
    happened: int
    checked: int
    stopped: int
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
SELECT count(*), count(*) FILTER (WHERE {CHECKED}), count(*) FILTER (WHERE {STOPPED})
  FROM (
    SELECT id, outcome, because, settled_at FROM reconciliation_action
     WHERE tenant_id = %(tenant)s ORDER BY proposed_at DESC LIMIT %(looked_at)s
  ) AS newest
 WHERE {HAPPENED} AND settled_at >= now() - make_interval(days => %(days)s)
"""  # noqa: S608 - names of ours

# Relies on the index of cases by tenant.
DUPLICATES = f"""
SELECT count(*)
  FROM (
    SELECT kind, opened_at FROM checkpoints_case
     WHERE tenant_id = %(tenant)s ORDER BY id DESC LIMIT %(looked_at)s
  ) AS newest
 WHERE {DUPLICATE} AND opened_at >= now() - make_interval(days => %(days)s)
"""  # noqa: S608 - names of ours


def figures(tenant: Tenant) -> Figures:
    """The three numbers of one tenant. A recovery that was itself interrupted goes on as the next."""
    values = {"tenant": tenant.pk, "looked_at": LOOKED_AT, "days": DAYS}
    begun, recovered, by_person, under_way, p50, p95 = execute(RECOVERIES, values)[0]
    happened, checked, stopped = execute(EFFECTS, values)[0]
    return Figures(
        begun=begun,
        recovered=recovered,
        by_person=by_person,
        under_way=under_way,
        p50=p50,
        p95=p95,
        happened=happened,
        checked=checked,
        stopped=stopped,
        duplicates=execute(DUPLICATES, values)[0][0],
    )
