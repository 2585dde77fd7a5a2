"""Whether the arms got the shares they should: if not, something else than chance chose. Pure."""

from dataclasses import dataclass

from checkpoints.arms import PLACES
from releases.gates import intervals
from releases.gates.intervals import Rate
from releases.gates.policies import Policy
from releases.gates.samples import Sample


@dataclass(frozen=True)
class Observed:
    """The candidate got `candidate` of `all` new runs; its true share lies between `low` and `high`.

    `expected` is the share that was dealt out, None where none is.
    """

    candidate: int
    all: int
    low: float
    high: float
    expected: float | None
    comparable: bool


def observed(sample: Sample, policy: Policy) -> Observed:
    """Compare the shares, exactly and strictly; each look spends its part of the error."""
    got = sample.candidate.assigned
    together = got + sample.stable.assigned
    expected = None if sample.expected_share is None else sample.expected_share / PLACES
    if not together:
        return Observed(0, 0, 0.0, 1.0, expected, comparable=True)
    where = intervals.of_rate(Rate(got, together), policy.ratio_error / len(policy.looks) / 2)
    fits = expected is None or where.low <= expected <= where.high
    return Observed(got, together, round(where.low, 6), round(where.high, 6), expected, fits)
