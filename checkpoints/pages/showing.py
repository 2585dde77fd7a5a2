"""Turns what the list of runs read into what its template prints: rows, pills, links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone

from checkpoints import states
from checkpoints.models import Run
from checkpoints.pages.forms import title_of
from checkpoints.pages.runlist import Listing, RunFilter
from tenants.models import Tenant

# Those that need a person first, then what moves, then what is over.
ORDER = (
    states.HELD,
    states.WAITING,
    states.RUNNING,
    states.QUEUED,
    states.SUCCEEDED,
    states.FAILED,
    states.CANCELLED,
)


@dataclass(frozen=True)
class Row:
    """One run in a list. `node` is where it stands, "" when it is over."""

    run: Run
    task: str
    reason: str
    node: str
    moved_at: datetime
    due_at: datetime | None


def rows(runs: Sequence[Run]) -> list[Row]:
    """The runs as rows, in the same order."""
    return [_row(run) for run in runs]


def filters(query: QueryDict, wanted: RunFilter, counted: Mapping[str, int]) -> dict[str, Any]:
    """A pill per status with its count and address, and the count that is the title."""
    shown = [wanted.status] if wanted.status else list(counted)
    total = sum(counted.get(status, 0) for status in shown)
    cut = any(counted.get(status, 0) > wanted.counted_to for status in shown)
    pills = [
        {
            "status": status,
            "tally": counted.get(status, 0),
            "counted_to": wanted.counted_to,
            "url": changed(query, status="" if wanted.status == status else status),
            "here": wanted.status == status,
        }
        for status in ORDER
    ]
    at_most = wanted.counted_to if cut else None
    return {
        "filters": pills,
        "total": wanted.counted_to + 1 if cut else total,
        "counted_to": at_most,
        "every_url": changed(query, status=""),
    }


def page_links(query: QueryDict, found: Listing) -> dict[str, Any]:
    """The foot of the list, and the address under which a poll asks for newer runs."""
    first = str(found.runs[0].id) if found.runs else ""
    last = str(found.runs[-1].id) if found.runs else ""
    pager = {
        "shown": len(found.runs),
        "newer_url": changed(query, after=first) if found.newer and first else "",
        "older_url": changed(query, before=last) if found.older and last else "",
        "total": None,
        "counted_to": None,
        "at": timezone.now(),
    }
    asked = changed(query, newest=first) if first and not found.newer else ""
    live = any(run.status in states.LIVE for run in found.runs)
    ids = "&".join(f"id={run.id}" for run in found.runs)
    return {"pager": pager, "newest_query": asked, "visible_query": f"?{ids}" if live else ""}


def plan_query(query: QueryDict, wanted: RunFilter) -> str:
    """The address of a plan for all that matches; "" without a filter: that is never a plan."""
    if not wanted.status and not wanted.looks_closely:
        return ""
    given = query.copy()
    given["from"] = "filter"
    return changed(given)


def newest_page(tenant: Tenant, query: QueryDict) -> str:
    """The address of the list under the same filter, from its newest run on."""
    return reverse("runs", args=[tenant.slug]) + changed(query)


def changed(query: QueryDict, **changes: str) -> str:
    """The same address with some fields changed, and back on its first page."""
    given = query.copy()
    for name in ("before", "after", "newest"):
        given.pop(name, None)
    for name, value in changes.items():
        given[name] = value
    return "?" + given.urlencode()


def _row(run: Run) -> Row:
    over = run.status in states.FINAL
    due = None if over or run.status == states.RUNNING else run.due_at
    return Row(
        run=run,
        task=title_of(run.task_type),
        reason=run.stop_reason if over else run.reason,
        node="" if over else run.next_node,
        moved_at=run.finished_at or run.progressed_at or run.created_at,
        due_at=due,
    )
