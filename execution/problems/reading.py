"""What problems stand at a tenant, counted: by combo, with magnitudes, and in which state each is.

Everything is aggregated by PostgreSQL in a constant number of statements, and bounded.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from execution.problems import models
from execution.problems.models import Problem, ProblemChange, ProblemRun
from execution.problems.pending import Move, pending
from execution.problems.standing import Standing, Tally
from tenants.database import execute
from tenants.models import Tenant

MOST_GROUPS: Final = 2_000
LATELY: Final = timedelta(hours=1)

# A failure that somebody resolved in its combo, and that was seen before, is covered. Index:
# problems_counted, alone as long as the table is vacuumed.
COUNTS: Final = """
WITH resolved AS (
    SELECT * FROM (
        SELECT DISTINCT ON (problem_id, combo_id) problem_id, combo_id, what, at
          FROM execution_problemchange
         WHERE tenant_id = %(tenant)s AND combo_id IS NOT NULL
           AND (%(problem)s::uuid IS NULL OR problem_id = %(problem)s)
         ORDER BY problem_id, combo_id, id DESC) AS newest
     WHERE what = 'resolved'
), counted AS (
    SELECT own.*, own.what = 'failure' AND own.since <= coalesce(resolved.at, '-infinity') AS covered
      FROM execution_problemrun AS own
      LEFT JOIN resolved USING (problem_id, combo_id)
     WHERE own.tenant_id = %(tenant)s AND own.over_at IS NULL
       AND (%(problem)s::uuid IS NULL OR own.problem_id = %(problem)s)
)
SELECT problem_id, combo_id, currency, covered, count(*), count(*) FILTER (WHERE what = 'case'
       AND decided_at IS NULL), count(*) FILTER (WHERE decided_at IS NOT NULL),
       count(*) FILTER (WHERE what = 'unknown'), count(*) FILTER (WHERE what = 'retry'),
       count(*) FILTER (WHERE since > clock_timestamp() - make_interval(secs => %(lately)s)),
       sum(amount)::bigint, sum(recipients)::bigint, min(since), max(since),
       min(since) FILTER (WHERE what = 'case' AND decided_at IS NULL)
  FROM counted
 GROUP BY problem_id, combo_id, currency, covered
 ORDER BY count(*) DESC
 LIMIT %(most)s
"""


def standings(tenant: Tenant) -> list[Standing]:
    """Every problem that anything counts to, those with the most runs first, bounded.

    What the sweeper has not sorted in yet counts too: these pages hold without it.
    """
    found = {each.problem.fingerprint: each for each in _standings(tenant, None)}
    for move in pending(tenant):
        _move(found, move)
    new = [name for name, each in found.items() if each.problem._state.adding]
    for name, (problem, snooze) in kept(tenant, new).items():
        found[name].problem, found[name].snooze = problem, snooze
    return [each for each in found.values() if each.all.runs > 0 or each.covered.runs > 0]


def standing(problem: Problem, tenant: Tenant) -> Standing:
    """One problem; with empty tallies when nothing counts to it any more."""
    kept = problem if Problem.objects.filter(pk=problem.pk).exists() else None
    there = _standings(tenant, kept) if kept else []
    snooze = _snoozes([problem.pk]).get(problem.pk)
    found = {problem.fingerprint: there[0] if there else Standing(problem, snooze=snooze)}
    for move in pending(tenant):
        _move(found, move)
    return found[problem.fingerprint]


def problem_of(tenant: Tenant, fingerprint: str) -> Problem:
    """The problem with this fingerprint, also one that is not sorted in yet.

    Raises `Problem.DoesNotExist`, for another tenant's too.
    """
    kept = Problem.objects.filter(tenant=tenant, fingerprint=fingerprint).first()
    if kept is not None:
        return kept
    for move in pending(tenant):
        if move.now.fingerprint == fingerprint:
            return move.now.problem()
    raise Problem.DoesNotExist


def kept(
    tenant: Tenant, fingerprints: Sequence[str]
) -> dict[str, tuple[Problem, ProblemChange | None]]:
    """The rows of problems that are only derived, and the snooze of each, where somebody acted."""
    if not fingerprints:
        return {}
    found = list(Problem.objects.filter(tenant=tenant, fingerprint__in=list(fingerprints)))
    snoozes = _snoozes(each.pk for each in found)
    return {each.fingerprint: (each, snoozes.get(each.pk)) for each in found}


def run_ids(problem: Problem, *, combo_id: int | None = None, most: int) -> list[UUID]:
    """The runs that count to it now, newest first, at most `most`."""
    found = ProblemRun.objects.filter(ProblemRun.OPEN, problem=problem, tenant=problem.tenant_id)
    if combo_id is not None:
        found = found.filter(combo=combo_id)
    return list(found.order_by("-since", "-run").values_list("run", flat=True)[:most])


def _standings(tenant: Tenant, problem: Problem | None) -> list[Standing]:
    values = {
        "tenant": tenant.pk,
        "problem": problem and problem.pk,
        "lately": LATELY.total_seconds(),
        "most": MOST_GROUPS,
    }
    rows = execute(COUNTS, values)
    ids = list(dict.fromkeys(row[0] for row in rows))
    problems = {problem.pk: problem} if problem else Problem.objects.in_bulk(ids)
    found = {each: Standing(problems[each]) for each in ids if each in problems}
    for row in rows:
        if row[0] in found:
            _add(found[row[0]], row)
    snoozes = _snoozes(ids)
    for each in found.values():
        each.snooze = snoozes.get(each.problem.pk)
    return list(found.values())


def _move(found: dict[str, Standing], move: Move) -> None:
    if move.before is not None and move.before.problem.fingerprint in found:
        found[move.before.problem.fingerprint].count(move.before, -1)
    if move.now.what:
        new = found.setdefault(move.now.fingerprint, Standing(move.now.problem()))
        new.count(move.now, 1)
        new.said = move.now.sentence


def _add(to: Standing, row: Sequence[Any]) -> None:
    if row[3]:
        to.covered.add(row)
        return
    to.all.add(row)
    to.by_combo.setdefault(row[1], Tally()).add(row)


def _snoozes(ids: Iterable[UUID]) -> Mapping[UUID, ProblemChange]:
    """The newest word on putting off of each problem, where it is one that puts it off."""
    said = ProblemChange.objects.filter(
        problem__in=list(ids), what__in=[models.SNOOZED, models.WOKEN]
    )
    newest = said.order_by("problem", "-id").distinct("problem").select_related("by")
    return {each.problem_id: each for each in newest if each.what == models.SNOOZED}
