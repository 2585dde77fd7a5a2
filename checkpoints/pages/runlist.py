"""What the list of runs reads: which runs, how many of each status, what a filter hides.

Every read is bounded: runs are taken newest first from one index per status, at most so many of
each, and only those are looked at. The page says so. Shadow runs are on the pages of their release.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.db import OperationalError

from checkpoints import states
from checkpoints.ids import lowest_id_at
from checkpoints.models import Run
from tenants.database import execute
from tenants.models import Tenant

ROWS: Final = 40
COUNTED_TO: Final = 10_000
# With a filter on task type or key every run has to be looked at: so many of each status.
LOOKED_AT: Final = 2_000
MOST_NEW: Final = 99
DAY: Final = 24 * 3600
WINDOWS: Final = {"24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY, "all": 0}
USUAL_WINDOW: Final = "30d"
NEEDS_A_PERSON: Final = (states.HELD,)


@dataclass(frozen=True)
class RunFilter:
    """Which runs a person wants to see: all fields live in the address of the page.

    `text` is the beginning of a business key; `before` and `after` are the run ids next to the
    page; `window` is a key of `WINDOWS`.
    """

    status: str = ""
    task_type: str = ""
    text: str = ""
    window: str = USUAL_WINDOW
    before: UUID | None = None
    after: UUID | None = None

    @property
    def looks_closely(self) -> bool:
        """Whether runs are looked at one by one, so that counting stops earlier."""
        return bool(self.task_type or self.text)

    @property
    def narrows(self) -> bool:
        """Whether any run of the tenant may be hidden by it."""
        return self.looks_closely or bool(self.status) or self.window != "all"

    @property
    def counted_to(self) -> int:
        """Where counting stops, per status."""
        return LOOKED_AT if self.looks_closely else COUNTED_TO


@dataclass(frozen=True)
class Listing:
    """One page of runs. `failed` says that they could not be read in time."""

    runs: Sequence[Run] = ()
    newer: bool = False
    older: bool = False
    failed: bool = False


# Relies on runs_by_tenant_and_status: per status a scan that stops at its limit. Written as a range
# of one status, and ordered by it: with "=" the planner takes the primary key's order instead and
# walks past every run of other statuses and tenants (seen on a million runs).
NEWEST = """
SELECT looked.id
  FROM unnest(%(statuses)s::text[]) AS wanted(status)
 CROSS JOIN LATERAL (
    SELECT id, task_type, business_key FROM checkpoints_run
     WHERE tenant_id = %(tenant)s AND status >= wanted.status AND status <= wanted.status
       AND mode = 'live' AND id >= %(since)s AND id < %(before)s AND id > %(after)s
     ORDER BY status, id DESC LIMIT %(most)s
 ) AS looked
 WHERE (%(task_type)s::text = '' OR looked.task_type = %(task_type)s::text)
   AND starts_with(looked.business_key, %(text)s::text)
 ORDER BY looked.id DESC LIMIT %(rows)s
"""

# The page above a run: the same rows, nearest to it first.
NEXT_NEWER = NEWEST.replace("ORDER BY status, id DESC", "ORDER BY status DESC, id").replace(
    "looked.id DESC", "looked.id"
)

# Relies on runs_by_tenant_and_status, like NEWEST; reads nothing but the index.
TALLIES = """
SELECT wanted.status, (
    SELECT count(*) FROM (
        SELECT 1 FROM checkpoints_run
         WHERE tenant_id = %(tenant)s AND status >= wanted.status AND status <= wanted.status
           AND mode = 'live' AND id >= %(since)s
         ORDER BY status, id DESC LIMIT %(most)s
    ) AS counted
)
  FROM unnest(%(statuses)s::text[]) AS wanted(status)
"""

# The same where each run has to be looked at.
CLOSE_TALLIES = TALLIES.replace("SELECT 1", "SELECT task_type, business_key").replace(
    ") AS counted",
    """) AS looked
     WHERE (%(task_type)s::text = '' OR looked.task_type = %(task_type)s::text)
       AND starts_with(looked.business_key, %(text)s::text)""",
)

HIGHEST: Final = UUID(int=2**128 - 1)
LOWEST: Final = UUID(int=0)


def listing(tenant: Tenant, wanted: RunFilter) -> Listing:
    """The runs of one page, newest first, and whether there are newer or older ones."""
    try:
        upwards = wanted.after is not None
        found = _ids(tenant, wanted, NEXT_NEWER if upwards else NEWEST, rows=ROWS + 1)
        ids = sorted(found[:ROWS], reverse=True)
        more = len(found) > ROWS
        newer = more if upwards else wanted.before is not None
        return Listing(in_order(tenant, ids), newer, upwards or more)
    except OperationalError:
        return Listing(failed=True)


def in_order(tenant: Tenant, ids: Sequence[UUID]) -> list[Run]:
    """These runs of the tenant, in this order, without their inputs."""
    found = Run.objects.filter(tenant=tenant, pk__in=ids).defer("input").in_bulk()
    return [found[id_] for id_ in ids if id_ in found]


def matching(tenant: Tenant, wanted: RunFilter, *, most: int) -> list[UUID]:
    """Ids of every run that matches, oldest first; without a status wanted, of those not over.

    Exact where the list looks at the newest only; `most` bounds what is read. Relies on
    runs_by_tenant_and_status.
    """
    statuses = [wanted.status] if wanted.status else list(states.LIVE)
    since = _values(tenant, wanted)["since"]
    found = Run.objects.filter(
        tenant=tenant, status__in=statuses, pk__gte=since, mode=states.LIVE_MODE
    )
    if wanted.task_type:
        found = found.filter(task_type=wanted.task_type)
    found = found.filter(business_key__startswith=wanted.text)
    return list(found.order_by("pk").values_list("pk", flat=True)[:most])


def new_since(tenant: Tenant, wanted: RunFilter, newest: UUID) -> int:
    """How many runs that match are newer than the newest one shown, counted to `MOST_NEW` + 1."""
    since = replace(wanted, after=newest, before=None)
    return len(_ids(tenant, since, NEXT_NEWER, rows=MOST_NEW + 1))


def tallies(tenant: Tenant, wanted: RunFilter) -> dict[str, int]:
    """How many runs of each status match, whichever status is wanted; each to `counted_to` + 1."""
    values = {**_values(tenant, wanted), "statuses": list(states.STATUSES)}
    values["most"] = wanted.counted_to + 1
    return dict(execute(CLOSE_TALLIES if wanted.looks_closely else TALLIES, values))


def hidden(tenant: Tenant, wanted: RunFilter, shown: dict[str, int]) -> dict[str, int]:
    """How many runs the filter hides, and how many of them need a person.

    `shown` are the tallies under the filter. Empty when nothing is hidden.
    """
    if not wanted.narrows:
        return {}
    every = tallies(tenant, RunFilter(window="all"))
    seen = {wanted.status} if wanted.status else set(every)
    behind = {
        status: count - (shown.get(status, 0) if status in seen else 0)
        for status, count in every.items()
    }
    runs = sum(behind.values())
    need = sum(behind[status] for status in NEEDS_A_PERSON)
    return {"runs": runs, "need": need} if runs > 0 else {}


# Relies on runs_by_tenant_and_status: one short scan per tenant and status.
LIVE_COUNTS = """
SELECT tenant.id, wanted.status, (
    SELECT count(*) FROM (
        SELECT 1 FROM checkpoints_run
         WHERE tenant_id = tenant.id AND status >= wanted.status AND status <= wanted.status
         ORDER BY status, checkpoints_run.id DESC LIMIT %(most)s
    ) AS counted
)
  FROM unnest(%(tenants)s::bigint[]) AS tenant(id)
 CROSS JOIN unnest(%(statuses)s::text[]) AS wanted(status)
"""


def live_counts(tenant_ids: Sequence[int]) -> dict[tuple[int, str], int]:
    """How many runs of each tenant stand in each status that is not final, to `COUNTED_TO` + 1."""
    values = {"tenants": list(tenant_ids), "statuses": list(states.LIVE), "most": COUNTED_TO + 1}
    return {(tenant, status): n for tenant, status, n in execute(LIVE_COUNTS, values)}


def _ids(tenant: Tenant, wanted: RunFilter, statement: str, *, rows: int) -> list[UUID]:
    statuses = [wanted.status] if wanted.status else list(states.STATUSES)
    most = LOOKED_AT if wanted.looks_closely else rows
    values = {
        **_values(tenant, wanted),
        "statuses": statuses,
        "before": wanted.before or HIGHEST,
        "after": wanted.after or LOWEST,
        "most": most,
        "rows": rows,
    }
    return [row[0] for row in execute(statement, values)]


def _values(tenant: Tenant, wanted: RunFilter) -> dict[str, Any]:
    seconds = WINDOWS[wanted.window]
    since = lowest_id_at(int((time.time() - seconds) * 1000)) if seconds else LOWEST
    return {
        "tenant": tenant.pk,
        "since": since,
        "task_type": wanted.task_type,
        "text": wanted.text,
    }
