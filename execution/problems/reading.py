"""What problems stand at a tenant, counted: by combo, with magnitudes, and in which state each is.

Everything is aggregated by PostgreSQL in a constant number of statements, and bounded.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from execution.problems import models
from execution.problems.models import Problem, ProblemChange, ProblemRun
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
       sum(amount)::bigint, sum(recipients)::bigint, min(since), max(since)
  FROM counted
 GROUP BY problem_id, combo_id, currency, covered
 ORDER BY count(*) DESC
 LIMIT %(most)s
"""


@dataclass
class Tally:
    """How much counts to a problem: all of it, or its part in one combo.

    `money` maps a currency to whole minor units. `undecided` runs need a person, `decided` ones are
    not proven yet, `unknown` outcomes are being asked for, `retrying` go on by themselves, `stuck`
    ones are where they are for too long.
    """

    runs: int = 0
    undecided: int = 0
    decided: int = 0
    unknown: int = 0
    retrying: int = 0
    stuck: int = 0
    lately: int = 0
    recipients: int = 0
    money: Counter[str] = field(default_factory=Counter)
    first_seen: datetime | None = None
    last_seen: datetime | None = None

    @property
    def failed(self) -> int:
        """Runs that ended as failed."""
        waiting = self.undecided + self.decided + self.unknown + self.retrying + self.stuck
        return self.runs - waiting

    @property
    def worst_amount(self) -> int:
        """The largest sum of one currency: what amounts are compared by."""
        return max((abs(each) for each in self.money.values()), default=0)

    def add(self, row: Sequence[Any]) -> None:
        """Add one row of `COUNTS`."""
        currency, runs, undecided, decided, unknown, retrying, lately = row[2], *row[4:10]
        self.runs += runs
        self.undecided += undecided
        self.decided += decided
        self.unknown += unknown
        self.retrying += retrying
        self.lately += lately
        if row[10]:
            self.money[currency] += row[10]
        self.recipients += row[11]
        self.first_seen = min(filter(None, (self.first_seen, row[12])))
        self.last_seen = max(filter(None, (self.last_seen, row[13])))


@dataclass
class Standing:
    """One problem as it stands: what it is, how much counts to it, and what people said of it.

    `covered` counts what a resolution covers; `snooze` is the snooze that was said last, if it has
    not been ended by a person.
    """

    problem: Problem
    all: Tally = field(default_factory=Tally)
    covered: Tally = field(default_factory=Tally)
    by_combo: dict[int, Tally] = field(default_factory=dict)
    snooze: ProblemChange | None = None

    def is_resolved(self) -> bool:
        """All that counts to it is covered by a resolution."""
        return self.all.runs == 0 and self.covered.runs > 0

    def is_snoozed(self, now: datetime) -> bool:
        """Somebody put it off, and neither its time nor its rate has come."""
        if self.snooze is None or self.all.runs == 0:
            return False
        too_late = self.snooze.until is not None and self.snooze.until <= now
        too_many = self.snooze.rate is not None and self.all.lately > self.snooze.rate
        return not too_late and not too_many

    def state(self, now: datetime) -> str:
        """*open*, *snoozed* or *resolved*; that somebody claimed it is said by the claim."""
        if self.is_resolved():
            return models.RESOLVED
        return models.SNOOZED if self.is_snoozed(now) else "open"


def standings(tenant: Tenant) -> list[Standing]:
    """Every problem that anything counts to, those with the most runs first, bounded."""
    return _standings(tenant, None)


def standing(problem: Problem, tenant: Tenant) -> Standing:
    """One problem; with empty tallies when nothing counts to it any more."""
    found = _standings(tenant, problem)
    return found[0] if found else Standing(problem, snooze=_snoozes([problem.pk]).get(problem.pk))


def problem_of(tenant: Tenant, fingerprint: str) -> Problem:
    """The problem with this fingerprint. Raises `Problem.DoesNotExist`, for another tenant's too."""
    return Problem.objects.get(tenant=tenant, fingerprint=fingerprint)


def run_ids(problem: Problem, *, combo_id: int | None = None, most: int) -> list[UUID]:
    """The runs that count to it now, newest first, at most `most`."""
    found = ProblemRun.objects.filter(ProblemRun.OPEN, problem=problem, tenant=problem.tenant_id)
    if combo_id is not None:
        found = found.filter(combo=combo_id)
    return list(found.order_by("-id").values_list("run", flat=True)[:most])


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
