"""Recoveries of a tenant in buckets of time, and those behind one bucket; every read is bounded."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from checkpoints.models import Recovery
from execution.recoveries.defining import (
    BEGUN,
    BY_PERSON,
    RECOVERED,
    SECONDS,
    TAKEOVER_SECONDS,
    UNDER_WAY,
)
from execution.recoveries.wanted import OF_RUN, Wanted
from tenants.database import execute
from tenants.models import Tenant

# The newest recoveries of all tenants: there is no index by tenant, and an incident is new.
LOOKED_AT: Final = 20_000
ROWS: Final = 50


@dataclass(frozen=True)
class Bucket:
    """What began in one stretch of time, and what became of it. Durations in seconds.

    `taken_over` is the median from the interruption to the next worker, `p50` and `p95` on to the
    next checkpoint; None where nothing recovered.
    """

    at: datetime
    begun: int = 0
    recovered: int = 0
    by_person: int = 0
    under_way: int = 0
    taken_over: float | None = None
    p50: float | None = None
    p95: float | None = None


# Relies on the primary key of recoveries.
NEWEST: Final = f"""
  FROM (
    SELECT id, run_id, ended, noticed_at, {SECONDS} AS seconds, {TAKEOVER_SECONDS} AS waited
      FROM checkpoints_recovery ORDER BY id DESC LIMIT %(looked_at)s
  ) AS newest
  JOIN checkpoints_run AS run ON run.id = newest.run_id
  JOIN checkpoints_combo AS combo ON combo.id = run.combo_id
 WHERE run.tenant_id = %(tenant)s AND {BEGUN} AND {OF_RUN}
   AND noticed_at >= %(since)s AND noticed_at < %(until)s
"""  # noqa: S608 - names of ours
BUCKETS: Final = f"""
SELECT date_trunc(%(per)s, noticed_at, 'UTC'), count(*),
       count(*) FILTER (WHERE {RECOVERED}),
       count(*) FILTER (WHERE {BY_PERSON}),
       count(*) FILTER (WHERE {UNDER_WAY}),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY waited) FILTER (WHERE {RECOVERED}),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE {RECOVERED}),
       percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE {RECOVERED})
{NEWEST}
 GROUP BY 1
"""
BEHIND: Final = f"SELECT newest.id {NEWEST} ORDER BY newest.id DESC LIMIT {ROWS}"


def buckets(tenant: Tenant, wanted: Wanted, *, now: datetime) -> list[Bucket]:
    """Every stretch of the window, oldest first, also those in which nothing was interrupted."""
    found = {row[0]: Bucket(*row) for row in execute(BUCKETS, _of(tenant) | wanted.values(now))}
    return [found.get(at, Bucket(at)) for at in wanted.starts(now)]


def total(tenant: Tenant, wanted: Wanted, *, now: datetime) -> Bucket:
    """The same over the whole window: percentiles of percentiles would be wrong."""
    whole = BUCKETS.replace("GROUP BY 1", "").replace(
        "date_trunc(%(per)s, noticed_at, 'UTC')", "%(since)s::timestamptz"
    )
    return Bucket(*execute(whole, _of(tenant) | wanted.values(now))[0])


def behind(tenant: Tenant, wanted: Wanted, *, now: datetime) -> Sequence[Recovery]:
    """The newest of those counted in the bucket that is asked for, else in the whole window."""
    rows = execute(BEHIND, _of(tenant) | wanted.values_listed(now))
    found = Recovery.objects.filter(pk__in=[row[0] for row in rows])
    return list(found.select_related("run__combo").defer("run__input").order_by("-id"))


def _of(tenant: Tenant) -> dict[str, Any]:
    return {"tenant": tenant.pk, "looked_at": LOOKED_AT}
