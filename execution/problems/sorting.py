"""Keeps up which runs count to which problem: from what triggers noted, by what the record says now.

It decides nothing and remembers nothing: killed at any moment, the next round does the same again.
The sweeper and every page that shows problems call it; whoever comes second leaves it to the first.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from checkpoints import fingerprints
from execution.problems.models import RETRY, UNKNOWN, Problem, ProblemRun
from execution.problems.seen import LOOK, Seen, seen
from tenants.database import execute
from tenants.keys import hiding

AT_ONCE: Final = 500
MOST_OVER: Final = 2_000
LOCK: Final = 4_012_733_001  # of sorters; any number that nothing else locks

TRY: Final = "SELECT pg_try_advisory_xact_lock(%(lock)s)"
# Index: unsorted_by_tenant, or the primary key.
NOTED: Final = """
SELECT id, run_id FROM execution_unsorted
 WHERE %(tenant)s::bigint IS NULL OR tenant_id = %(tenant)s
 ORDER BY id LIMIT %(most)s
"""
FORGET: Final = "DELETE FROM execution_unsorted WHERE id = ANY(%(ids)s)"
# Over once the run has committed past the trouble or has ended, once its outcome is known, or when it
# is old history. Index: problem_runs_that_may_be_over.
PAST: Final = """
WITH past AS (
    SELECT counted.id FROM execution_problemrun AS counted
      JOIN checkpoints_run AS run ON run.id = counted.run_id
      LEFT JOIN reconciliation_action AS action ON action.id = counted.action_id
     WHERE counted.over_at IS NULL AND counted.what IN ('unknown', 'retry')
       AND (%(tenant)s::bigint IS NULL OR counted.tenant_id = %(tenant)s)
       AND (run.head > counted.head OR run.finished_at IS NOT NULL
            OR counted.what = 'unknown' AND action.outcome <> 'unknown')
     LIMIT %(most)s
), old AS (
    SELECT id FROM execution_problemrun
     WHERE over_at IS NULL AND what = 'failure'
       AND (%(tenant)s::bigint IS NULL OR tenant_id = %(tenant)s)
       AND since < clock_timestamp() - make_interval(days => %(days)s)
     LIMIT %(most)s
)
UPDATE execution_problemrun SET over_at = clock_timestamp()
 WHERE id IN (SELECT id FROM past UNION ALL SELECT id FROM old)
RETURNING id
"""


def sort(*, tenant_id: int | None = None) -> int:
    """Sort what was noted since, of one tenant or of all; returns how many runs were looked at."""
    with transaction.atomic():
        if not execute(TRY, {"lock": LOCK})[0][0]:
            return 0
        noted = execute(NOTED, {"tenant": tenant_id, "most": AT_ONCE})
        if noted:
            # Looked at after what was noted was read: what changes later is noted anew.
            _count(seen(execute(LOOK, {"runs": list({run for _, run in noted})})))
            execute(FORGET, {"ids": [each for each, _ in noted]})
        past = {"tenant": tenant_id, "most": MOST_OVER, "days": settings.KEDGE_FAILURE_DAYS}
        execute(PAST, past)
    return len(noted)


def _count(found: Sequence[Seen]) -> None:
    """Let each run count to the problem it has now, and to no other."""
    open_now = {
        each.run_id: each
        for each in ProblemRun.objects.filter(
            ProblemRun.OPEN, run__in=[one.run_id for one in found]
        ).select_related("problem")
    }
    over, moved = [], []
    for one in found:
        before = open_now.get(one.run_id)
        if before is not None and not _same(before, one):
            over.append(before.pk)
        elif before is not None and before.decided_at != one.decided_at:
            before.decided_at = one.decided_at
            moved.append(before)
    _end(over)
    ProblemRun.objects.bulk_update(moved, ["decided_at"])
    left = {run for run, each in open_now.items() if each.pk not in set(over)}
    _begin([one for one in found if one.what and one.run_id not in left])


def _same(before: ProblemRun, one: Seen) -> bool:
    if one.what == "":
        # Between two tries it works: that is no end of the trouble until it commits past it.
        return before.what in (RETRY, UNKNOWN) and one.is_live and one.head <= before.head
    return (before.problem.fingerprint, before.what, before.case_id, before.action_id) == (
        one.fingerprint,
        one.what,
        one.case_id,
        one.action_id,
    )


def _end(ids: Sequence[int]) -> None:
    execute(
        "UPDATE execution_problemrun SET over_at = clock_timestamp()"
        " WHERE id = ANY(%(ids)s) AND over_at IS NULL",
        {"ids": list(ids)},
    )


def _begin(found: Sequence[Seen]) -> None:
    problems = _problems({(one.tenant_id, one.fingerprint): one for one in found})
    ProblemRun.objects.bulk_create(
        [
            ProblemRun(
                tenant_id=one.tenant_id,
                problem_id=problems[(one.tenant_id, one.fingerprint)],
                **one.counted(),
            )
            for one in found
        ]
    )


def _problems(wanted: Mapping[tuple[int, str], Seen]) -> dict[tuple[int, str], UUID]:
    """The problem of each fingerprint, made if there is none yet."""
    new: list[Any] = [
        Problem(
            tenant_id=tenant,
            fingerprint=fingerprint,
            kind=one.kind,
            task_type=one.task_type,
            node=one.node,
            tool=one.tool,
            error=hiding.said(hiding.text(fingerprints.normalised(one.error))),
            first_seen_at=one.since,
        )
        for (tenant, fingerprint), one in wanted.items()
    ]
    Problem.objects.bulk_create(new, ignore_conflicts=True)
    prints = {fingerprint for _, fingerprint in wanted}
    rows = Problem.objects.filter(fingerprint__in=prints)
    return {
        (tenant, name): pk for pk, tenant, name in rows.values_list("pk", "tenant", "fingerprint")
    }
