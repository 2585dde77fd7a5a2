"""What stands now, as metrics: runs, what waits for people, doors, stops, combos."""

import time
from typing import Final

from django.db.models import Case, CharField, Count, Min, Value, When
from django.db.models.functions import Now

from approvals import clock
from approvals.models import ApprovalRequest
from approvals.queries import STILL_ASKED
from checkpoints import models as record
from checkpoints import states
from checkpoints.ids import lowest_id_at
from config.metrics import catalog
from config.metrics.combos import Names
from config.metrics.tally import Tally
from execution.pages import machine
from reconciliation import states as world
from reconciliation.doors.models import Door
from reconciliation.models import Attempt
from tenants.database import execute

# Relies on runs_by_tenant_and_status, as checkpoints.pages.runlist.LIVE_COUNTS does.
LIVE: Final = """
SELECT tenant.id, wanted.status, newest.reason, count(*)
  FROM tenants_tenant AS tenant
 CROSS JOIN unnest(%(statuses)s::text[]) AS wanted(status)
 CROSS JOIN LATERAL (
    SELECT reason FROM checkpoints_run
     WHERE tenant_id = tenant.id AND status >= wanted.status AND status <= wanted.status
       AND mode = 'live'
     ORDER BY status, checkpoints_run.id DESC LIMIT %(most)s
 ) AS newest
 GROUP BY 1, 2, 3
"""

# Relies on the primary key of runs, which begins with the time of the start.
COMBOS: Final = """
SELECT tenant_id, combo_id, status, count(*)
  FROM (
    SELECT tenant_id, combo_id, status FROM checkpoints_run
     WHERE id >= %(since)s AND mode = 'live' ORDER BY id DESC LIMIT %(most)s
  ) AS newest
 GROUP BY 1, 2, 3
"""

# The upper end of each age, in seconds; the last has none.
AGES: Final = (("under_5m", 300), ("5m_to_1h", 3_600), ("1h_to_1d", 86_400), ("over_1d", None))


def queue(tally: Tally) -> None:
    """How much is due, since when, and how much is being worked on."""
    found = machine.load()
    oldest = found["oldest_due"]
    tally.add("kedge_runs_due", found["due"])
    tally.add("kedge_runs_leased", found["leased"])
    waited = (clock.now() - oldest).total_seconds() if oldest else 0.0
    tally.add("kedge_runs_due_oldest_seconds", max(0.0, waited))


def runs(tally: Tally) -> None:
    """Runs that have not ended; those that are held by kind of case."""
    for status, reasons in states.REASONS.items():
        for reason in reasons:
            tally.nothing("kedge_runs", status=status, reason=reason)
    for kind in states.CASE_KINDS:
        tally.nothing("kedge_held_runs", kind=kind)
    values = {"statuses": list(states.LIVE), "most": machine.COUNTED_TO + 1}
    for tenant, status, reason, n in execute(LIVE, values):
        tally.add("kedge_runs", n, tenant, status=status, reason=reason)
        if status == states.HELD:
            tally.add("kedge_held_runs", n, tenant, kind=reason)


def combos(tally: Tally) -> None:
    """Runs of the newest combos by what became of them."""
    since = lowest_id_at(int((time.time() - catalog.COMBO_DAYS * 86_400) * 1000))
    rows = execute(COMBOS, {"since": since, "most": catalog.COMBO_RUNS})
    names = Names(row[1] for row in rows)
    for tenant, combo, status, n in rows:
        tally.add("kedge_combo_runs", n, tenant, **names.of(combo), status=status)


def cases(tally: Tally) -> None:
    """How long the oldest open case has waited, by open_cases_by_tenant."""
    name = "kedge_held_oldest_seconds"
    tally.nothing(name)
    waiting = record.Case.objects.filter(closed_at=None, decided_at=None)
    oldest = waiting.values("tenant_id").annotate(since=Min("opened_at"), now=Now())
    for row in oldest.order_by():
        tally.add(name, (row["now"] - row["since"]).total_seconds(), row["tenant_id"])


def approvals(tally: Tally) -> None:
    """Questions that people still can answer, by how long they have waited."""
    for age, _ in AGES:
        tally.nothing("kedge_approvals_pending", age=age)
    tally.nothing("kedge_approvals_pending_oldest_seconds")
    asked = ApprovalRequest.objects.filter(STILL_ASKED).order_by("-id")
    newest = asked.values_list("tenant_id", "asked_at", Now())[: machine.COUNTED_TO]
    for tenant, since, now in newest:
        waited = (now - since).total_seconds()
        tally.add("kedge_approvals_pending", 1, tenant, age=_age(waited))
        tally.add("kedge_approvals_pending_oldest_seconds", waited, tenant)


def effects_unknown(tally: Tally) -> None:
    """Effects of which nobody knows, by one_open_attempt_per_action."""
    tally.nothing("kedge_outcomes_unknown")
    unknown = Attempt.objects.filter(
        outcome=world.ATTEMPT_OPEN, action__stands=world.DISPATCHED, action__outcome=world.UNKNOWN
    )
    counts = unknown.values_list("action__tenant_id").annotate(n=Count("pk")).order_by()
    for tenant, n in counts:
        tally.add("kedge_outcomes_unknown", n, tenant)


def doors(tally: Tally) -> None:
    """Doors that are closed, by a person or by the silence of the tool."""
    for by in ("hand", "itself"):
        tally.nothing("kedge_doors_closed", by=by)
    who = Case(
        When(by_hand=True, then=Value("hand")),
        default=Value("itself"),
        output_field=CharField(),
    )
    shut = Door.objects.filter(closed_at__isnull=False).annotate(who=who)
    for tenant, by, n in shut.values_list("tenant_id", "who").annotate(n=Count("pk")).order_by():
        tally.add("kedge_doors_closed", n, tenant, by=by)


def stops(tally: Tally) -> None:
    """Stops that nobody lifted yet; one of everything is of no tenant."""
    for lock in ("new_runs", "effects"):
        tally.nothing("kedge_stops_in_force", lock=lock)
    standing = record.Stop.objects.filter(lifted_at=None)
    for tenant, lock, n in (
        standing.values_list("tenant_id", "lock").annotate(n=Count("pk")).order_by()
    ):
        tally.add("kedge_stops_in_force", n, tenant, lock=lock)


def _age(seconds: float) -> str:
    return next(name for name, end in AGES if end is None or seconds < end)
