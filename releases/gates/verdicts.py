"""The verdict of one look: of each measure, and of all together. Pure: the same sample says the same.

judge(sample, policy, look=3).verdict  ->  promote_allowed | hold | stop
"""

from dataclasses import dataclass, replace
from typing import Any, Final

from releases.gates import assignment, intervals, planning, policies
from releases.gates.measures import COMPARED, Compared, Measure, Reading
from releases.gates.planning import BETTER, NO_WORSE, WORSE
from releases.gates.policies import Demand, Policy
from releases.gates.samples import Count, Sample

__all__ = ["BETTER", "NO_WORSE", "WORSE", "Finding", "Shown", "Whole", "judge"]

Json = Any

# Of a measure, beside better, no worse and worse.
NOT_ENOUGH_EVIDENCE: Final = "not_enough_evidence"
TELEMETRY_BROKEN: Final = "telemetry_broken"
ARMS_NOT_COMPARABLE: Final = "arms_not_comparable"
VERDICTS: Final = (
    BETTER,
    NO_WORSE,
    WORSE,
    NOT_ENOUGH_EVIDENCE,
    TELEMETRY_BROKEN,
    ARMS_NOT_COMPARABLE,
)
ALLOWING: Final = (BETTER, NO_WORSE)

# Of all together.
PROMOTE_ALLOWED: Final = "promote_allowed"
HOLD: Final = "hold"
STOP: Final = "stop"

# Why a whole holds, beside the measures' own verdicts.
BETWEEN_LOOKS: Final = "between_looks"
NO_LOOK_IS_LEFT: Final = "no_look_is_left"
SAFETY_UNREAD: Final = "safety_unread"

DIGITS: Final = 6
# A ratio above it is shown as one without end.
ENDLESS: Final = 1e6


@dataclass(frozen=True)
class Shown:
    """One arm's number between its limits (None where there are none), of how many."""

    value: float | None
    low: float | None
    high: float | None
    of: int
    unread: int


@dataclass(frozen=True)
class Finding:
    """One measure's verdict and the numbers behind it.

    `low` to `high` is the interval of candidate minus stable (`by_ratio`: of candidate over
    stable; `stable` None: of the candidate's own rate), None before both have a trial or where it has no end. Worse is all of it beyond `worst`, better all of it beyond
    `best`. `more` is how many more trials of the candidate would settle it if they go on as so
    far (0: it is settled; None: no number would), `more_stable` how many the stable arm lacks.
    """

    measure: str
    verdict: str
    candidate: Shown
    stable: Shown | None
    low: float | None = None
    high: float | None = None
    worst: float | None = None
    best: float | None = None
    by_ratio: bool = False
    more: int | None = 0
    more_stable: int = 0


@dataclass(frozen=True)
class Whole:
    """The verdict over all. `because` names what decided: constraints, measures, or why it holds."""

    verdict: str
    because: tuple[str, ...]
    findings: tuple[Finding, ...]
    assigned: assignment.Observed
    look: int
    policy: str
    sample: str

    def as_json(self) -> dict[str, Json]:
        """As it is kept beside its sample: judged again, it must come out the same."""
        return {
            "verdict": self.verdict,
            "because": list(self.because),
            "look": self.look,
            "policy": self.policy,
            "sample": self.sample,
            "assigned": vars(self.assigned),
            "findings": [_told(each) for each in self.findings],
        }


def judge(sample: Sample, policy: Policy, *, look: int) -> Whole:
    """Judge what was seen. `look` is which one of the schedule this is; 0 is between two of them.

    Between two looks only a broken safety constraint decides anything: who looks more often than
    the schedule says would find what is not there.
    """
    assigned = assignment.observed(sample, policy)
    findings = tuple(
        _finding(name, demand, sample, policy)
        for name, demand in policy.demands.items()
        if name != policies.DIVERGENCE or sample.diverged is not None
    )
    if not assigned.comparable:
        findings = tuple(_not_comparable(each) for each in findings)
    verdict, because = _together(sample, policy, findings, look)
    return Whole(verdict, because, findings, assigned, look, policy.digest, sample.digest)


def _together(
    sample: Sample, policy: Policy, findings: tuple[Finding, ...], look: int
) -> tuple[str, tuple[str, ...]]:
    broken = tuple(each.name for each in sample.safety if each.broken)
    worse = tuple(each.measure for each in findings if each.verdict == WORSE and look)
    if broken or worse:
        return STOP, broken + worse
    waits = tuple(each.measure for each in findings if each.verdict not in ALLOWING)
    if any(each.broken is None for each in sample.safety):
        waits += (SAFETY_UNREAD,)
    if look == 0:
        waits += (BETWEEN_LOOKS,)
    elif waits and look >= len(policy.looks):
        waits += (NO_LOOK_IS_LEFT,)
    return (HOLD, waits) if waits else (PROMOTE_ALLOWED, ())


def _finding(name: str, demand: Demand, sample: Sample, policy: Policy) -> Finding:
    if name == policies.DUPLICATES:
        return _duplicates(demand, sample, policy)
    if name == policies.DIVERGENCE:
        return _divergence(demand, sample.diverged or Count(), policy)
    measure, error = COMPARED[name], policy.error_per_look
    candidate = measure.read(sample.candidate, demand)
    stable = measure.read(sample.stable, demand)
    two = Compared((candidate, stable), (candidate.of, stable.of), error)
    found = measure.interval(two) if candidate.of and stable.of else None
    worst, best = measure.bounds(demand.margin)
    verdict = _verdict(measure, two, demand, policy)
    is_open = verdict == NOT_ENOUGH_EVIDENCE
    return Finding(
        measure=name,
        verdict=verdict,
        candidate=_shown(candidate, error),
        stable=_shown(stable, error),
        low=_finite(found.low) if found else None,
        high=_finite(found.high) if found else None,
        worst=worst,
        best=best,
        by_ratio=measure.by_ratio,
        more=planning.more(measure, demand, two) if is_open else 0,
        more_stable=max(demand.least - stable.of, 0) if is_open else 0,
    )


def _verdict(measure: Measure, two: Compared, demand: Demand, policy: Policy) -> str:
    if any(arm.is_unknown or arm.unread_share > policy.most_unread for arm in two.arms):
        return TELEMETRY_BROKEN
    if any(arm.of < max(demand.least, 1) for arm in two.arms):
        return NOT_ENOUGH_EVIDENCE
    return planning.settled(measure, two, demand.margin) or NOT_ENOUGH_EVIDENCE


def _duplicates(demand: Demand, sample: Sample, policy: Policy) -> Finding:
    """Of the candidate alone: one that arrived is too many, and none says something only of those checked."""
    effects = sample.candidate.effects
    reading = Reading(effects.checked, 0.0, effects.unread)
    lacks = max(demand.least - effects.checked, 0)
    if effects.arrived:
        verdict, lacks = WORSE, 0
    elif reading.is_unknown or reading.unread_share > policy.most_unread:
        verdict, lacks = TELEMETRY_BROKEN, 0
    else:
        verdict = NOT_ENOUGH_EVIDENCE if lacks else NO_WORSE
    shown = replace(_shown(reading, policy.error_per_look), value=effects.arrived)
    return Finding(policies.DUPLICATES, verdict, candidate=shown, stable=None, more=lacks)


def _divergence(demand: Demand, diverged: Count, policy: Policy) -> Finding:
    """Of the candidate alone: a twin that does what its live run did has not diverged, so none need."""
    error, of = policy.error_per_look, diverged.of
    reading = Reading(of, diverged.hits / of if of else 0.0, diverged.unread)
    if reading.is_unknown or reading.unread_share > policy.most_unread:
        verdict = TELEMETRY_BROKEN
    elif of < max(demand.least, 1):
        verdict = NOT_ENOUGH_EVIDENCE
    else:
        rate = reading.rate(of)
        verdict = planning.settled_alone(rate, demand.margin, error) or NOT_ENOUGH_EVIDENCE
    shown, is_open = _shown(reading, error), verdict == NOT_ENOUGH_EVIDENCE
    return Finding(
        policies.DIVERGENCE,
        verdict,
        candidate=shown,
        stable=None,
        low=shown.low,
        high=shown.high,
        worst=demand.margin,
        more=planning.more_alone(reading, demand, error) if is_open else 0,
    )


def _not_comparable(finding: Finding) -> Finding:
    """What is said of the candidate alone needs no other arm; what cannot be read stays so."""
    if finding.stable is None or finding.verdict == TELEMETRY_BROKEN:
        return finding
    return replace(finding, verdict=ARMS_NOT_COMPARABLE, more=0, more_stable=0)


def _shown(reading: Reading, error: float) -> Shown:
    """Of a mean no limits are shown: two are compared by their ratio."""
    if not reading.of:
        return Shown(None, None, None, 0, reading.unread)
    if reading.variance is not None:
        return Shown(reading.value, None, None, reading.of, reading.unread)
    where = intervals.of_rate(reading.rate(reading.of), error)
    return Shown(reading.value, where.low, where.high, reading.of, reading.unread)


def _finite(limit: float) -> float | None:
    return limit if limit < ENDLESS else None


def _told(finding: Finding) -> dict[str, Json]:
    told = {
        name: round(value, DIGITS) if isinstance(value, float) else value
        for name, value in vars(finding).items()
    }
    for arm in ("candidate", "stable"):
        shown = told[arm]
        told[arm] = shown and {
            name: round(value, DIGITS) if isinstance(value, float) else value
            for name, value in vars(shown).items()
        }
    return told
