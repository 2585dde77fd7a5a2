"""The problems of a tenant as a list: worst first, each told in one line, and what is not shown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from approvals.people import reversibility
from approvals.rules.classes import IRREVERSIBLE
from checkpoints import claims
from checkpoints.claims import PROBLEM
from checkpoints.desk import ages
from checkpoints.models import Claim
from execution.problems import harm, models, reading, stuck, trend, wording
from execution.problems.models import Problem
from execution.problems.standing import Standing
from execution.problems.trend import Trend
from tenants import clock
from tenants.database import execute
from tenants.models import Tenant

MOST: Final = 200

# Index: runs_of_a_problem.
NEWEST: Final = """
SELECT asked.id, coalesce(own.sentence, run.sentence)
  FROM unnest(%(problems)s::uuid[]) AS asked(id)
 CROSS JOIN LATERAL (
       SELECT run_id, case_id FROM execution_problemrun
        WHERE problem_id = asked.id AND over_at IS NULL ORDER BY id DESC LIMIT 1) AS newest
  JOIN checkpoints_run AS run ON run.id = newest.run_id
  LEFT JOIN checkpoints_case AS own ON own.id = newest.case_id
"""


@dataclass(frozen=True)
class Line:
    """One problem in a list: what it is in words, what counts to it, and how it stands."""

    standing: Standing
    title: str
    sentence: str
    state: str
    rank: int
    place: harm.Place
    due_at: datetime | None
    is_late: bool
    combos: int
    claim: Claim | None = None
    trend: Trend | None = None

    @property
    def problem(self) -> Problem:
        return self.standing.problem


@dataclass
class Overview:
    """The problems that are shown, and how many each filter hides; `counts` are of all states."""

    lines: list[Line] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    left_out: int = 0

    @property
    def hidden(self) -> int:
        """What is put off or resolved."""
        return sum(self.counts.get(state, 0) for state in (models.SNOOZED, models.RESOLVED))


def overview(
    tenant: Tenant, standings: Sequence[Standing], *, show: str = "open", most: int = MOST
) -> Overview:
    """Those problems in the state `show` ("" is all of them), worst first, at most `most`."""
    now = clock.now()
    classes = {each.tool: each.reversibility for each in reversibility.classes_of(tenant)}
    placed = sorted((_placed(each, classes, now) for each in standings), key=lambda it: it.place)
    counts: dict[str, int] = {}
    for line in placed:
        counts[line.state] = counts.get(line.state, 0) + 1
    wanted = [line for line in placed if show in ("", line.state)]
    return Overview(_told(tenant, wanted[:most]), counts, max(len(wanted) - most, 0))


def standings(tenant: Tenant) -> list[Standing]:
    """All problems of a tenant: those that are counted, and those that are only derived."""
    derived = stuck.standings(tenant)
    kept = reading.kept(tenant, [each.problem.fingerprint for each in derived])
    for each in derived:
        known = kept.get(each.problem.fingerprint)
        if known is not None:
            each.problem, each.snooze = known
    return [*reading.standings(tenant), *derived]


def find(tenant: Tenant, fingerprint: str) -> Standing:
    """One problem as it stands. Raises `Problem.DoesNotExist`, for another tenant's too."""
    for each in stuck.standings(tenant):
        if each.problem.fingerprint == fingerprint:
            known = reading.kept(tenant, [fingerprint]).get(fingerprint)
            if known is not None:
                each.problem, each.snooze = known
            return each
    return reading.standing(reading.problem_of(tenant, fingerprint), tenant)


def line(tenant: Tenant, standing: Standing) -> Line:
    """One problem, told as in the list."""
    now = clock.now()
    tool = standing.problem.tool
    classes = {tool: reversibility.class_of(tenant.pk, tool)} if tool else {}
    return _told(tenant, [_placed(standing, classes, now)])[0]


def _placed(standing: Standing, classes: Mapping[str, str], now: datetime) -> Line:
    problem = standing.problem
    tally = standing.covered if standing.is_resolved() else standing.all
    ranked = harm.rank(problem.kind, classes.get(problem.tool, IRREVERSIBLE))
    first = tally.first_seen or now
    due = first + ages.target_of(problem.kind)
    return Line(
        standing=standing,
        title=wording.title(problem, tally),
        sentence="",
        state=standing.state(now),
        rank=ranked,
        place=harm.place(ranked, tally.worst_amount, first, problem.fingerprint),
        due_at=due,
        is_late=due < now,
        combos=len([each for each in standing.by_combo.values() if each.runs]),
    )


def _told(tenant: Tenant, lines: Sequence[Line]) -> list[Line]:
    """With what takes a look-up for each: the newest sentence, the trend, who is at it."""
    ids = [each.problem.pk for each in lines]
    newest = execute(NEWEST, {"problems": ids}) if ids else []
    said: dict[UUID, Any] = {row[0]: row[1] for row in newest}
    hours = trend.of(ids)
    keys = [each.problem.fingerprint for each in lines]
    held = claims.standing(tenant, PROBLEM, keys) if keys else {}
    return [_with(each, said, hours, held) for each in lines]


def _with(
    line: Line, said: Mapping[UUID, str], hours: Mapping[UUID, list[int]], held: Mapping[str, Any]
) -> Line:
    problem = line.problem
    drawn = None if problem.kind == stuck.STUCK else trend.drawn(hours[problem.pk])
    words = line.standing.said or said.get(problem.pk) or wording.sentence(problem)
    known: dict[str, Any] = {
        "sentence": words,
        "trend": drawn,
        "claim": held.get(problem.fingerprint),
    }
    return Line(**{**line.__dict__, **known})


def by_kind(standings: Iterable[Standing]) -> dict[str, tuple[int, datetime]]:
    """How many cases wait for a person, and since when the oldest does, by kind."""
    found: dict[str, tuple[int, datetime]] = {}
    for each in standings:
        since = each.all.waits_since
        if each.all.undecided > 0 and since is not None:
            n, oldest = found.get(each.problem.kind, (0, since))
            found[each.problem.kind] = (n + each.all.undecided, min(oldest, since))
    return found
