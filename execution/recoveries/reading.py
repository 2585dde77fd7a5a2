"""Recoveries of a tenant in buckets of time, and those behind one bucket; every read is bounded."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet

from checkpoints.models import Recovery
from execution.recoveries.defining import (
    BEGUN,
    BY_PERSON,
    RECOVERED,
    SECONDS,
    TAKEOVER_SECONDS,
    UNDER_WAY,
)
from execution.recoveries.wanted import PERS, Wanted
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


BUCKETS: Final = f"""
SELECT date_trunc(%(per)s, noticed_at, 'UTC'), count(*),
       count(*) FILTER (WHERE {RECOVERED}),
       count(*) FILTER (WHERE {BY_PERSON}),
       count(*) FILTER (WHERE {UNDER_WAY}),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY waited) FILTER (WHERE {RECOVERED}),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE {RECOVERED}),
       percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE {RECOVERED})
  FROM (
    SELECT run_id, ended, noticed_at, {SECONDS} AS seconds, {TAKEOVER_SECONDS} AS waited
      FROM checkpoints_recovery ORDER BY id DESC LIMIT %(looked_at)s
  ) AS newest
  JOIN checkpoints_run AS run ON run.id = newest.run_id
  JOIN checkpoints_combo AS combo ON combo.id = run.combo_id
 WHERE run.tenant_id = %(tenant)s AND run.mode = 'live' AND {BEGUN}
   AND noticed_at >= %(since)s AND noticed_at < %(until)s
   AND (%(task_type)s::text = '' OR run.task_type = %(task_type)s::text)
   AND starts_with(encode(combo.digest, 'hex'), %(combo)s::text)
 GROUP BY 1
"""  # noqa: S608 - names of ours


def buckets(tenant: Tenant, wanted: Wanted, *, now: datetime) -> list[Bucket]:
    """Every stretch of the window, oldest first, also those in which nothing was interrupted."""
    starts = _starts(wanted, now)
    values = _values(tenant, wanted) | {"since": starts[0], "until": now + timedelta(days=1)}
    found = {row[0]: Bucket(*row) for row in execute(BUCKETS, values)}
    return [found.get(at, Bucket(at)) for at in starts]


def total(tenant: Tenant, wanted: Wanted, *, now: datetime) -> Bucket:
    """The same over the whole window: percentiles of percentiles would be wrong."""
    since = _starts(wanted, now)[0]
    values = _values(tenant, wanted) | {"since": since, "until": now + timedelta(days=1)}
    whole = execute(
        BUCKETS.replace("GROUP BY 1", "").replace(
            "date_trunc(%(per)s, noticed_at, 'UTC')", "%(since)s::timestamptz"
        ),
        values,
    )
    return Bucket(*whole[0])


def behind(tenant: Tenant, wanted: Wanted, *, now: datetime) -> Sequence[Recovery]:
    """The newest recoveries of the bucket that is asked for, else of the whole window."""
    _hours, step = PERS[wanted.per]
    starts = _starts(wanted, now)
    since = wanted.at or starts[0]
    until = since + step if wanted.at else now + timedelta(days=1)
    found: QuerySet[Recovery] = Recovery.objects.filter(
        run__tenant=tenant, run__mode="live", noticed_at__gte=since, noticed_at__lt=until
    ).exclude(ended="interrupted")
    if wanted.task_type:
        found = found.filter(run__task_type=wanted.task_type)
    newest = found.select_related("run__combo").defer("run__input").order_by("-id")
    shown = [each for each in newest[: ROWS * 4] if _is_of(each, wanted.combo)]
    return shown[:ROWS]


def _is_of(recovery: Recovery, combo: str) -> bool:
    return recovery.run.combo.hex.startswith(combo)


def _starts(wanted: Wanted, now: datetime) -> list[datetime]:
    count, step = PERS[wanted.per]
    last = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    if wanted.per == "day":
        last = last.replace(hour=0)
    return [last - step * back for back in range(count - 1, -1, -1)]


def _values(tenant: Tenant, wanted: Wanted) -> dict[str, Any]:
    return {
        "tenant": tenant.pk,
        "per": wanted.per,
        "task_type": wanted.task_type,
        "combo": wanted.combo,
        "looked_at": LOOKED_AT,
    }
