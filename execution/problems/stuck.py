"""*Stuck* is derived, never stored: runs that are where they are for longer than expected.

Runs on hold are not among them: each has a case, counts to its problem, and that has a target.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from checkpoints import fingerprints, ids, states
from checkpoints.desk import ages as desk
from checkpoints.models import Run
from checkpoints.registry import agents
from execution.problems import ages
from execution.problems.models import Problem
from execution.problems.standing import Standing, Tally
from tenants import clock
from tenants.database import Rows, execute
from tenants.models import Tenant

STUCK: Final = "stuck"
MOST: Final = 10_000
MOST_SHOWN: Final = 100
# Seconds below which nothing is looked at.
LEAST: Final = 60

# Due for too long (index runs_due_by_tenant), at work without a commit (runs_leased), waiting
# without a date (runs_by_tenant_and_status, oldest first by id). Each part is bounded.
LATE: Final = """
WITH age AS MATERIALIZED (
    SELECT * FROM unnest(%(reasons)s::text[], %(seconds)s::float[]) AS age(reason, seconds)
), declared AS MATERIALIZED (
    SELECT * FROM unnest(%(tasks)s::text[], %(nodes)s::text[], %(why)s::text[], %(may)s::float[])
        AS declared(task_type, node, reason, seconds)
), there AS (
    (SELECT id, task_type, next_node, combo_id, reason,
            CASE status WHEN 'waiting' THEN 'due' ELSE reason END AS aged, due_at AS since
       FROM checkpoints_run
      WHERE tenant_id = %(tenant)s AND status IN ('queued', 'waiting') AND mode = 'live'
        AND due_at < clock_timestamp() - make_interval(secs => %(least)s)
      ORDER BY due_at LIMIT %(most)s)
    UNION ALL
    (SELECT id, task_type, next_node, combo_id, reason, reason,
            greatest(created_at, progressed_at, woken_at)
       FROM checkpoints_run
      WHERE tenant_id = %(tenant)s AND status = 'running' AND mode = 'live' LIMIT %(most)s)
    UNION ALL
    (SELECT id, task_type, next_node, combo_id, reason, reason,
            greatest(created_at, progressed_at, woken_at)
       FROM checkpoints_run
      WHERE tenant_id = %(tenant)s AND status = 'waiting' AND mode = 'live' AND due_at IS NULL
        AND id < %(older)s
      ORDER BY id LIMIT %(most)s)
), late AS (
    SELECT there.* FROM there
      LEFT JOIN age ON age.reason = there.aged
      LEFT JOIN declared ON declared.task_type = there.task_type
           AND declared.node = there.next_node AND declared.reason = there.aged
     WHERE since < clock_timestamp()
           - make_interval(secs => coalesce(declared.seconds, age.seconds, %(otherwise)s))
)
"""
GROUPS: Final = f"""{LATE}
SELECT late.task_type, late.next_node, late.reason, late.combo_id, action.magnitude ->> 'currency',
       count(*), min(since), max(since),
       sum(CASE WHEN action.magnitude ->> 'amount' ~ '^-?[0-9]{{1,18}}$'
                THEN (action.magnitude ->> 'amount')::bigint END)::bigint,
       sum(CASE WHEN action.magnitude ->> 'recipients' ~ '^[0-9]{{1,18}}$'
                THEN (action.magnitude ->> 'recipients')::bigint END)::bigint
  FROM late
  LEFT JOIN reconciliation_action AS action ON action.run_id = late.id AND absorbed_seq IS NULL
 GROUP BY 1, 2, 3, 4, 5
 ORDER BY count(*) DESC LIMIT 500
"""  # noqa: S608 - words of ours
MEMBERS: Final = f"""{LATE}
SELECT id, since FROM late
 WHERE task_type = %(task)s AND next_node = %(node)s AND reason = %(reason)s
   AND combo_id = coalesce(%(combo)s::bigint, combo_id)
 ORDER BY since, id LIMIT %(shown)s
"""  # noqa: S608 - words of ours


@dataclass(frozen=True)
class Late:
    """Since when a run is where it is, and for how many seconds it may be."""

    since: datetime
    expected: int
    at: datetime

    @property
    def is_stuck(self) -> bool:
        return (self.at - self.since).total_seconds() > self.expected


def standings(tenant: Tenant) -> list[Standing]:
    """What is stuck now, as problems of their own; each by task type, node and reason."""
    found: dict[str, Standing] = {}
    for row in execute(GROUPS, _asked(tenant)):
        problem = _problem(tenant, *row[:3])
        there = found.setdefault(problem.fingerprint, Standing(problem))
        _add(there, row)
    return list(found.values())


def members(problem: Problem) -> list[tuple[Run, datetime]]:
    """The runs of a stuck problem, the longest stuck first, at most `MOST_SHOWN`."""
    rows = _members(problem, None, MOST_SHOWN)
    runs = Run.objects.defer("input").in_bulk([row[0] for row in rows])
    return [(runs[run_id], since) for run_id, since in rows if run_id in runs]


def run_ids(problem: Problem, *, combo_id: int | None = None, most: int) -> list[UUID]:
    """The runs of a stuck problem, of one combo if that is named, the longest stuck first."""
    return [run_id for run_id, _since in _members(problem, combo_id, most)]


def late(run: Run) -> Late | None:
    """How this run's age compares with what is expected; None for one that has ended."""
    if run.status in states.FINAL:
        return None
    now = clock.now()
    since = _since(run)
    if run.status == states.HELD:
        return Late(since, int(desk.target_of(run.reason).total_seconds()), now)
    is_due = run.status == states.WAITING and run.due_at is not None
    at = ages.At(run.task_type, run.next_node, ages.DUE if is_due else run.reason)
    expected = ages.expected(at, nodes=_of_nodes(), own=settings.KEDGE_EXPECTED_AGES)
    return Late(since, expected, now)


def _members(problem: Problem, combo_id: int | None, most: int) -> Rows:
    of = {"task": problem.task_type, "node": problem.node, "reason": problem.error}
    asked = {**_asked(problem.tenant), **of, "combo": combo_id, "shown": most}
    return execute(MEMBERS, asked)


def _since(run: Run) -> datetime:
    if run.status in (states.QUEUED, states.WAITING) and run.due_at is not None:
        return run.due_at
    moved = [run.created_at, run.progressed_at]
    if run.status != states.HELD:
        moved.append(run.woken_at)
    return max(each for each in moved if each is not None)


def _problem(tenant: Tenant, task_type: str, node: str, reason: str) -> Problem:
    """The reason stands where other problems keep their error, as it is no text of anybody's."""
    fingerprint = fingerprints.of(STUCK, task_type=task_type, node=node, error=reason)
    return Problem(
        tenant=tenant,
        fingerprint=fingerprint,
        kind=STUCK,
        task_type=task_type,
        node=node,
        error=reason,
    )


def _add(to: Standing, row: Sequence[Any]) -> None:
    combo, currency, runs, first, last, amount, recipients = row[3:]
    for tally in (to.all, to.by_combo.setdefault(combo, Tally())):
        tally.runs += runs
        tally.stuck += runs
        tally.recipients += recipients or 0
        tally.money[currency or ""] += amount or 0
        tally.span(first, last)


def _asked(tenant: Tenant) -> dict[str, Any]:
    usual = {**ages.USUAL, **settings.KEDGE_EXPECTED_AGES}
    nodes = _of_nodes()
    least = min(LEAST, *usual.values())
    older = clock.now() - timedelta(seconds=least)
    return {
        "tenant": tenant.pk,
        "reasons": list(usual),
        "seconds": [float(each) for each in usual.values()],
        "tasks": [at.task_type for at in nodes],
        "nodes": [at.node for at in nodes],
        "why": [at.reason for at in nodes],
        "may": [float(seconds) for seconds in nodes.values()],
        "otherwise": float(ages.OTHERWISE),
        "least": float(least),
        "older": ids.lowest_id_at(int(older.timestamp() * 1000)),
        "most": MOST,
    }


def _of_nodes() -> dict[ages.At, int]:
    deadlines = {
        (task_type, node.name): node.deadline_seconds
        for task_type, graph in agents().GRAPHS.items()
        for node in graph.nodes.values()
        if node.deadline_seconds is not None
    }
    return ages.of_nodes(deadlines, settings.KEDGE_EXPECTED_AGES)
