"""Keeps up which runs count to which problem: from what triggers noted, by what the record says now.

It decides nothing and remembers nothing: killed at any moment, the next round does the same again.
The sweeper calls it, and verbs that judge by it; whoever comes second leaves it to the first.
Pages only read, and count what is not sorted in yet themselves (`pending`).
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from execution.problems.models import Problem, ProblemRun
from execution.problems.pending import AT_ONCE, Move, look, moves, noted
from execution.problems.seen import Seen
from tenants.database import execute

MOST_OVER: Final = 2_000
MOST_ROUNDS: Final = 20
LOCK: Final = 4_012_733_001  # of sorters; any number that nothing else locks

TRY: Final = "SELECT pg_try_advisory_xact_lock(%(lock)s)"
FORGET: Final = "DELETE FROM execution_unsorted WHERE id = ANY(%(ids)s)"
END: Final = """
UPDATE execution_problemrun SET over_at = clock_timestamp()
 WHERE id = ANY(%(ids)s) AND over_at IS NULL
"""
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
    """Sort what was noted since, of one tenant or of all; returns how many notes were worked off."""
    with transaction.atomic():
        if not execute(TRY, {"lock": LOCK})[0][0]:
            return 0
        notes = noted(tenant_id)
        if notes:
            # Looked at after the notes were read: what changes later is noted anew.
            _keep(moves(look(notes)))
            execute(FORGET, {"ids": [each for each, _ in notes]})
        past = {"tenant": tenant_id, "most": MOST_OVER, "days": settings.KEDGE_FAILURE_DAYS}
        execute(PAST, past)
    return len(notes)


def sort_all(tenant_id: int) -> None:
    """Sort what was noted of a tenant before now, before somebody judges by it. Bounded."""
    for _ in range(MOST_ROUNDS):
        if sort(tenant_id=tenant_id) < AT_ONCE:
            return


def _keep(moved: Sequence[Move]) -> None:
    over = [move.before.pk for move in moved if move.before is not None]
    execute(END, {"ids": over})
    # Numbered in the order in which they were seen: pages go by it.
    found = sorted((move.now for move in moved if move.now.what), key=lambda one: one.since)
    problems = _problems(found)
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


def _problems(found: Sequence[Seen]) -> dict[tuple[int, str], UUID]:
    """The problem of each, made if there is none yet."""
    new = {(one.tenant_id, one.fingerprint): one.problem() for one in found}
    Problem.objects.bulk_create(new.values(), ignore_conflicts=True)
    prints = {fingerprint for _, fingerprint in new}
    rows = Problem.objects.filter(fingerprint__in=prints)
    kept = rows.values_list("pk", "tenant", "fingerprint")
    return {(tenant, fingerprint): pk for pk, tenant, fingerprint in kept}
