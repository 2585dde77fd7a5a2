"""The three numbers as metrics, and takeovers: counted from the rows that the pages count."""

from dataclasses import dataclass
from typing import Final

from config.metrics.combos import Labels, Names
from config.metrics.tally import Tally
from execution.pages.figures import DAYS, LOOKED_AT
from execution.recoveries.defining import (
    BEGUN,
    BY_PERSON,
    CHECKED,
    DUPLICATE,
    HAPPENED,
    RECOVERED,
    SECONDS,
    TAKEOVER_SECONDS,
    UNDER_WAY,
)
from tenants.database import execute

# As execution.pages.figures, of all tenants at once: the newest, row by row.
RECOVERIES: Final = f"""
SELECT run.tenant_id, run.combo_id,
       CASE WHEN NOT ({BEGUN}) THEN '' WHEN {RECOVERED} THEN 'recovered'
            WHEN {BY_PERSON} THEN 'by_person' WHEN {UNDER_WAY} THEN 'open' END,
       {SECONDS}, {TAKEOVER_SECONDS},
       extract(epoch FROM clock_timestamp() - noticed_at)::float8
  FROM (
    SELECT * FROM checkpoints_recovery ORDER BY id DESC LIMIT %(looked_at)s
  ) AS newest
  JOIN checkpoints_run AS run ON run.id = newest.run_id
 WHERE run.mode = 'live' AND noticed_at >= now() - make_interval(days => %(days)s)
"""  # noqa: S608 - names of ours

# Relies on actions_by_tenant_newest.
EFFECTS: Final = f"""
SELECT tenant.id, run.combo_id, count(*), count(*) FILTER (WHERE {CHECKED})
  FROM tenants_tenant AS tenant
 CROSS JOIN LATERAL (
    SELECT id, run_id, outcome, settled_at FROM reconciliation_action
     WHERE tenant_id = tenant.id ORDER BY proposed_at DESC LIMIT %(looked_at)s
 ) AS newest
  JOIN checkpoints_run AS run ON run.id = newest.run_id
 WHERE {HAPPENED} AND settled_at >= now() - make_interval(days => %(days)s)
 GROUP BY 1, 2
"""  # noqa: S608 - names of ours

DUPLICATES: Final = f"""
SELECT tenant.id, run.combo_id, count(*)
  FROM tenants_tenant AS tenant
 CROSS JOIN LATERAL (
    SELECT run_id, kind, opened_at FROM checkpoints_case
     WHERE tenant_id = tenant.id ORDER BY id DESC LIMIT %(looked_at)s
 ) AS newest
  JOIN checkpoints_run AS run ON run.id = newest.run_id
 WHERE {DUPLICATE} AND opened_at >= now() - make_interval(days => %(days)s)
 GROUP BY 1, 2
"""  # noqa: S608 - names of ours

ENDS: Final = ("recovered", "by_person", "open")


@dataclass(frozen=True)
class _Recovery:
    """One row: durations in seconds, None of what did not happen; `ended` "" was interrupted."""

    tenant: int
    combo: int
    ended: str
    seconds: float | None
    waited: float | None
    age: float


def recoveries(tally: Tally) -> None:
    """How recoveries ended, how long they took, how long others have lasted, and takeovers."""
    for ended in ENDS:
        tally.nothing("kedge_recoveries", ended=ended)
    for name in ("kedge_recovery_open_oldest_seconds", "kedge_lease_takeovers"):
        tally.nothing(name)
    for name in ("recovery_duration", "recovery_open_age", "lease_takeover_duration"):
        tally.nothing(f"kedge_{name}_seconds")
    rows = execute(RECOVERIES, {"looked_at": LOOKED_AT, "days": DAYS})
    found = [_Recovery(*row) for row in rows]
    names = Names(each.combo for each in found)
    for each in found:
        _count(tally, each, names.of(each.combo))


def effects(tally: Tally) -> None:
    """Duplicates, and of how many effects that is said."""
    for name in ("effects_happened", "effects_checked", "duplicates_found"):
        tally.nothing(f"kedge_{name}")
    values = {"looked_at": LOOKED_AT, "days": DAYS}
    counted, twice = (execute(each, values) for each in (EFFECTS, DUPLICATES))
    names = Names(row[1] for row in [*counted, *twice])
    for tenant, combo, happened, checked in counted:
        _both(tally, "effects_happened", happened, tenant, names.of(combo))
        _both(tally, "effects_checked", checked, tenant, names.of(combo))
        _both(tally, "duplicates_found", 0, tenant, names.of(combo))
    for tenant, combo, n in twice:
        _both(tally, "duplicates_found", n, tenant, names.of(combo))


def _both(tally: Tally, name: str, n: int, tenant: int, combo: Labels) -> None:
    tally.add(f"kedge_{name}", n, tenant)
    tally.add(f"kedge_combo_{name}", n, tenant, **combo)


def _count(tally: Tally, each: _Recovery, combo: Labels) -> None:
    tenant = each.tenant
    if each.ended:
        tally.add("kedge_recoveries", 1, tenant, ended=each.ended)
        tally.add("kedge_combo_recoveries", 1, tenant, **combo, ended=each.ended)
    if each.ended == "recovered" and each.seconds is not None:
        tally.measure("kedge_recovery_duration_seconds", each.seconds, tenant)
        tally.measure("kedge_combo_recovery_duration_seconds", each.seconds, tenant, **combo)
    if each.ended == "open":
        tally.measure("kedge_recovery_open_age_seconds", each.age, tenant)
        tally.add("kedge_recovery_open_oldest_seconds", each.age, tenant)
    if each.waited is not None:
        tally.add("kedge_lease_takeovers", 1, tenant)
        tally.measure("kedge_lease_takeover_duration_seconds", each.waited, tenant)
