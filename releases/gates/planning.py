"""What settles a measure, and how many more trials would, if they go on as so far. Pure."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from releases.gates import intervals
from releases.gates.intervals import Rate
from releases.gates.measures import Compared, Measure, Reading
from releases.gates.policies import Demand

BETTER: Final = "better"
NO_WORSE: Final = "no_worse"
WORSE: Final = "worse"
# More than that is no plan.
MOST: Final = 100_000


def settled(measure: Measure, two: Compared, margin: float) -> str:
    """What can be said beyond doubt; "" for nothing yet."""
    if measure.is_worse(two, margin):
        return WORSE
    if measure.is_better(two, margin):
        return BETTER
    return NO_WORSE if measure.is_no_worse(two, margin) else ""


def more(measure: Measure, demand: Demand, two: Compared) -> int | None:
    """How many more trials of the candidate; None when no number up to `MOST` would settle it.

    Both arms grow alike. Before both have a trial it is what the candidate lacks at least.
    """
    candidate, stable = two.arms
    if not candidate.of or not stable.of:
        return max(demand.least - candidate.of, 0)

    def settles(trials: int) -> bool:
        grown = max(stable.of * trials / candidate.of, demand.least)
        return bool(settled(measure, replace(two, trials=(trials, grown)), demand.margin))

    return _lacking(max(demand.least, candidate.of + 1), candidate.of, settles)


def settled_alone(rate: Rate, most: float, error: float) -> str:
    """What can be said beyond doubt of one arm's rate, of which at most so much may be; "" for nothing."""
    where = intervals.of_rate(rate, error)
    if where.low > most:
        return WORSE
    return NO_WORSE if where.high < most else ""


def more_alone(reading: Reading, demand: Demand, error: float) -> int | None:
    """How many more trials of one arm's rate, as `more` says it of two."""
    if not reading.of:
        return demand.least
    return _lacking(
        max(demand.least, reading.of + 1),
        reading.of,
        lambda trials: bool(settled_alone(reading.rate(trials), demand.margin, error)),
    )


def _lacking(begin: int, there: int, settles: Callable[[int], bool]) -> int | None:
    """How many more than are there, if that is no less than `begin` together."""
    enough = begin
    while not settles(enough):
        enough *= 2
        if enough > MOST:
            return None
    return _first(begin, enough, settles) - there


def _first(low: int, high: int, settles: Callable[[int], bool]) -> int:
    """The first of low to high that settles; high does."""
    while low < high:
        middle = (low + high) // 2
        if settles(middle):
            high = middle
        else:
            low = middle + 1
    return high
