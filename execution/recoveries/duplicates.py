"""Duplicate submissions in buckets of time: stopped, and arrived; and those behind one bucket.

Both are counted where they became known: what was stopped when the effect was found, what arrived
when its case was opened. Every read is bounded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from checkpoints.models import Case
from execution.recoveries.defining import CHECKED, DUPLICATE, HAPPENED, STOPPED
from execution.recoveries.wanted import OF_RUN, Wanted
from reconciliation.models import Action
from tenants.database import execute
from tenants.models import Tenant

# The newest effects and the newest cases of one tenant.
LOOKED_AT: Final = 5_000
ROWS: Final = 50


@dataclass(frozen=True)
class Stretch:
    """What one stretch of time, or all of them, held. `checked` of the `happened` were looked up."""

    at: datetime
    happened: int = 0
    checked: int = 0
    stopped: int = 0
    arrived: int = 0

    @property
    def submissions(self) -> int:
        """Those stopped and those that arrived."""
        return self.stopped + self.arrived


@dataclass(frozen=True)
class Behind:
    """What stands behind a point. `stopped`: effects with their runs; `arrived`: cases with theirs."""

    stopped: Sequence[Action]
    arrived: Sequence[Case]


# Relies on actions_by_tenant_newest.
OF_EFFECTS: Final = f"""
  FROM (
    SELECT id, run_id, outcome, because, settled_at FROM reconciliation_action
     WHERE tenant_id = %(tenant)s ORDER BY proposed_at DESC LIMIT %(looked_at)s
  ) AS newest
  JOIN checkpoints_run AS run ON run.id = newest.run_id
  JOIN checkpoints_combo AS combo ON combo.id = run.combo_id
 WHERE {HAPPENED} AND {OF_RUN} AND settled_at >= %(since)s AND settled_at < %(until)s
"""  # noqa: S608 - names of ours
# Relies on the index of cases by tenant.
OF_CASES: Final = f"""
  FROM (
    SELECT id, run_id, kind, opened_at FROM checkpoints_case
     WHERE tenant_id = %(tenant)s ORDER BY id DESC LIMIT %(looked_at)s
  ) AS newest
  JOIN checkpoints_run AS run ON run.id = newest.run_id
  JOIN checkpoints_combo AS combo ON combo.id = run.combo_id
 WHERE {DUPLICATE} AND {OF_RUN} AND opened_at >= %(since)s AND opened_at < %(until)s
"""  # noqa: S608 - names of ours
EFFECTS: Final = f"""
SELECT date_trunc(%(per)s, settled_at, 'UTC'), count(*), count(*) FILTER (WHERE {CHECKED}),
       count(*) FILTER (WHERE {STOPPED})
{OF_EFFECTS} GROUP BY 1
"""
ARRIVED: Final = f"""
SELECT date_trunc(%(per)s, opened_at, 'UTC'), count(*) {OF_CASES} GROUP BY 1
"""
STOPPED_BEHIND: Final = f"""
SELECT newest.id {OF_EFFECTS} AND {STOPPED} ORDER BY settled_at DESC LIMIT {ROWS}
"""
ARRIVED_BEHIND: Final = f"SELECT newest.id {OF_CASES} ORDER BY newest.id DESC LIMIT {ROWS}"


def buckets(tenant: Tenant, wanted: Wanted, *, now: datetime) -> list[Stretch]:
    """Every stretch of the window, oldest first, also those in which nothing was found."""
    values = _of(tenant) | wanted.values(now)
    arrived: dict[datetime, int] = dict(execute(ARRIVED, values))
    counted = {row[0]: row[1:] for row in execute(EFFECTS, values)}
    series = []
    for at in wanted.starts(now):
        happened, checked, stopped = counted.get(at, (0, 0, 0))
        series.append(Stretch(at, happened, checked, stopped, arrived.get(at, 0)))
    return series


def total(series: Sequence[Stretch]) -> Stretch:
    """All stretches of a series, which must not be empty, as one."""
    return Stretch(
        series[0].at,
        happened=sum(each.happened for each in series),
        checked=sum(each.checked for each in series),
        stopped=sum(each.stopped for each in series),
        arrived=sum(each.arrived for each in series),
    )


def behind(tenant: Tenant, wanted: Wanted, *, now: datetime) -> Behind:
    """The newest of those counted in the stretch that is asked for, else in the whole window."""
    values = _of(tenant) | wanted.values_listed(now)
    effects = [row[0] for row in execute(STOPPED_BEHIND, values)]
    cases = [row[0] for row in execute(ARRIVED_BEHIND, values)]
    stopped = Action.objects.filter(pk__in=effects).defer("parameters", "run__input")
    arrived = Case.objects.filter(pk__in=cases).defer("run__input")
    return Behind(
        list(stopped.select_related("run__combo").order_by("-settled_at")),
        list(arrived.select_related("run__combo").order_by("-id")),
    )


def _of(tenant: Tenant) -> dict[str, Any]:
    return {"tenant": tenant.pk, "looked_at": LOOKED_AT}
