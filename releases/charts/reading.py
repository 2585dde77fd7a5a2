"""The gates of one release as its page shows them: measured now while it is under way, else as last kept.

Between two looks nothing is decided: what is measured now is shown, and only the looks that were kept
say what follows. Bounded, as a look is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import connection, transaction

from canonical import json as canonical
from releases.charts import intervals, wording
from releases.charts.intervals import Drawn, Measured
from releases.gates import samples, standing, survival, verdicts
from releases.gates.policies import BadPolicyError, Policy
from releases.gates.samples import Arm, Constraint, Sample
from releases.gates.verdicts import Finding, Whole
from releases.looks import taking
from releases.looks.models import Look
from releases.models import Release
from releases.numbers.subjects import of_release
from releases.numbers.taking import take

MEASURED: Final = (standing.SHADOW, standing.CANARY)
# A page waits for no measure longer: what is not there by then is said to be unread.
PATIENCE: Final = "SET LOCAL statement_timeout = '3s'"
PATIENCE_ENDS: Final = "SET LOCAL statement_timeout TO DEFAULT"
A_SECOND: Final = 1000


@dataclass(frozen=True)
class Gate:
    """One measure: its words, both numbers, the verdict as a sentence, and its drawing (or None)."""

    finding: Finding
    words: wording.Words
    sentence: str
    candidate: str
    stable: str
    limits: str
    worst: str
    best: str
    chart: Drawn | None


@dataclass(frozen=True)
class Half:
    """Within what time (seconds) half of an arm's recoveries were over; `is_open`: not over by then.

    `censored` of `all` have not ended by themselves: they count as at least that long.
    """

    seconds: float
    is_open: bool
    censored: int
    all: int


@dataclass(frozen=True)
class Safety:
    """One constraint: its words, whether it holds, and examples of what broke it."""

    constraint: Constraint
    words: str
    says: str


@dataclass(frozen=True)
class Looks:
    """Those taken since it moved last, of how many; `due_at` ended runs the next one is due."""

    taken: int
    all: int
    due_at: int | None
    ended: int
    newest: Look | None
    because: str


@dataclass(frozen=True)
class Gates:
    """All of it. `wrong` says why nothing can be judged; `is_live`: measured now, else kept at `at`."""

    gates: Sequence[Gate] = ()
    safety: Sequence[Safety] = ()
    looks: Looks | None = None
    halves: tuple[Half | None, Half | None] = (None, None)
    not_comparable: str = ""
    is_live: bool = False
    is_cut: bool = False
    at: datetime | None = None
    wrong: str = ""


def gates(release: Release) -> Gates:
    """What its gates see. A release that nobody gets yet, or that had no look, has none."""
    try:
        policy = taking.policy_of(release)
    except BadPolicyError as error:
        return Gates(wrong=str(error))
    if release.place in MEASURED:
        sample = _taken(release)
        return _told(release, policy, sample, verdicts.judge(sample, policy, look=0))
    look = release.looks.order_by("-after_move", "-number").first()
    if look is None:
        return Gates()
    sample = samples.read(canonical.loads_object(look.sample))
    return _told(release, policy, sample, verdicts.judge(sample, policy, look=look.number), look)


def _taken(release: Release) -> Sample:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(PATIENCE)
        sample = take(of_release(release))
        cursor.execute(PATIENCE_ENDS)
    return sample


def _told(
    release: Release, policy: Policy, sample: Sample, whole: Whole, kept: Look | None = None
) -> Gates:
    assigned = whole.assigned
    return Gates(
        gates=[_gate(each, policy, whole) for each in whole.findings],
        safety=[
            Safety(each, str(wording.CONSTRAINTS[each.name]), wording.broken(each.broken))
            for each in sample.safety
        ],
        looks=_looks(release, policy, sample) if kept is None else _kept(policy, sample, kept),
        halves=(_half(sample.candidate), _half(sample.stable)),
        not_comparable="" if assigned.comparable else wording.not_comparable(assigned),
        is_live=kept is None,
        is_cut=sample.is_cut,
        at=datetime.fromisoformat(sample.taken_at) if sample.taken_at else None,
    )


def _gate(finding: Finding, policy: Policy, whole: Whole) -> Gate:
    demand = policy.demands[finding.measure]
    is_judged = finding.worst is not None
    has_interval = is_judged and not (finding.low is None and finding.high is None)
    return Gate(
        finding=finding,
        words=wording.MEASURES[finding.measure],
        sentence=wording.of_finding(finding, demand, whole.assigned),
        candidate=wording.value(finding, finding.candidate),
        stable=wording.value(finding, finding.stable),
        limits=wording.limits(finding) if has_interval else "",
        worst=wording.difference(finding, finding.worst) if is_judged else "",
        best=wording.difference(finding, finding.best) if finding.best is not None else "",
        chart=intervals.drawn(_measured(finding)) if has_interval else None,
    )


def _measured(finding: Finding) -> Measured:
    assert finding.worst is not None  # noqa: S101 - the caller looked
    mine, theirs = finding.candidate.value, finding.stable.value if finding.stable else 0.0
    point = None
    if mine is not None and theirs is not None:
        point = mine - theirs if not finding.by_ratio else mine / theirs if theirs else None
    same = 1.0 if finding.by_ratio else 0.0
    return Measured(finding.low, finding.high, point, finding.worst, finding.best, same)


def _half(arm: Arm) -> Half | None:
    if not arm.spells:
        return None
    found = survival.quantile(arm.spells, 0.5)
    ms = found.at_least if found.ms is None else found.ms
    censored = sum(not each.over for each in arm.spells)
    return Half(ms / A_SECOND, found.ms is None, censored, len(arm.spells))


def _looks(release: Release, policy: Policy, sample: Sample) -> Looks:
    newest = taking.newest(release)
    taken = newest.number if newest else 0
    return Looks(
        taken=taken,
        all=len(policy.looks),
        due_at=policy.looks[taken] if taken < len(policy.looks) else None,
        ended=sample.candidate.ended,
        newest=newest,
        because=_because(newest),
    )


def _kept(policy: Policy, sample: Sample, look: Look) -> Looks:
    ended = sample.candidate.ended
    return Looks(look.number, len(policy.looks), None, ended, look, _because(look))


def _because(look: Look | None) -> str:
    if look is None:
        return ""
    return wording.because(tuple(canonical.loads_object(look.whole)["because"]))
