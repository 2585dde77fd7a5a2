"""Where a rate or a ratio lies, and whether two rates differ, wrong with a stated chance at most. Pure.

Exact for rates, however small the samples: a rate's limits are those of Clopper and Pearson (1934).
Of two rates the chances of what was seen are multiplied (Fisher 1932), at the pair of rates that
suits it best. docs/decisions/0012 says why, and what it costs.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import exp, hypot, inf, log, sqrt
from statistics import NormalDist
from typing import Final

from releases.gates.tails import log_at_least

HALVINGS: Final = 50
# Of a difference that is shown: to a millionth.
SHOWN_HALVINGS: Final = 20
GOLDEN: Final = (sqrt(5) - 1) / 2
SECTIONS: Final = 24
# Of a logarithm: beyond it a ratio says nothing.
WIDEST: Final = 100.0


@dataclass(frozen=True)
class Interval:
    """From `low` to `high`; each is on the wrong side with no more than the chance it was made for."""

    low: float
    high: float


@dataclass(frozen=True)
class Rate:
    """So many of so many, more than none; not whole only where a plan asks for both."""

    hits: float
    trials: float


@lru_cache(maxsize=10_000)
def of_rate(rate: Rate, error: float) -> Interval:
    """The limits of one rate."""
    missed = Rate(rate.trials - rate.hits, rate.trials)
    return Interval(_lowest(rate, error), 1 - _lowest(missed, error))


@lru_cache(maxsize=50_000)
def is_less(mine: Rate, theirs: Rate, by: float, error: float) -> bool:
    """Whether `mine` minus `theirs` is below `by`: at no pair of rates `by` apart is it plausible."""
    lowest, highest = max(0.0, -by), min(1.0, 1.0 - by)
    if lowest > highest:
        return by > 0
    return _most_plausible(mine, theirs, by, (lowest, highest)) < log(_product(error))


@lru_cache(maxsize=10_000)
def difference(mine: Rate, theirs: Rate, error: float) -> Interval:
    """The limits of `mine` minus `theirs`."""
    return Interval(-_most(theirs, mine, error), _most(mine, theirs, error))


def of_ratio(mean: tuple[float, float], other: tuple[float, float], error: float) -> Interval:
    """The ratio of two means of (value, its own variance), on the scale of logarithms; large samples."""
    (above, spread), (below, other_spread) = mean, other
    if above <= 0 or below <= 0:
        # None of one arm's values is above 0: there is no doubt which is more.
        exact = 1.0 if above == below else inf if above > below else 0.0
        return Interval(exact, exact)
    width = hypot(sqrt(spread) / above, sqrt(other_spread) / below)
    way = exp(min(NormalDist().inv_cdf(1 - error) * width, WIDEST))
    return Interval(above / below / way, above / below * way)


def _most(mine: Rate, theirs: Rate, error: float) -> float:
    """The first difference that is too large to be plausible."""
    low, high = mine.hits / mine.trials - theirs.hits / theirs.trials, 1.0
    for _ in range(SHOWN_HALVINGS):
        middle = (low + high) / 2
        if is_less(mine, theirs, middle, error):
            high = middle
        else:
            low = middle
    return high


def _most_plausible(mine: Rate, theirs: Rate, by: float, bounds: tuple[float, float]) -> float:
    """The logarithm of the chance of both, so few of mine and so many of theirs, at its highest.

    Chances of a binomial tail are log-concave in the rate, so there is one highest place.
    """

    def chance(rate: float) -> float:
        few = log_at_least(mine.trials - mine.hits, mine.trials, 1 - rate - by)
        return few + log_at_least(theirs.hits, theirs.trials, rate)

    low, high = bounds
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = chance(left), chance(right)
    for _ in range(SECTIONS):
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = chance(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = chance(right)
    return max(at_left, at_right)


@lru_cache
def _product(error: float) -> float:
    """Below it the product of two independent chances is with a chance of `error` (Fisher)."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle * (1 - log(middle)) < error:
            low = middle
        else:
            high = middle
    return low


def _lowest(rate: Rate, error: float) -> float:
    """The rate at which so many hits or more would come with a chance of `error`."""
    if rate.hits <= 0:
        return 0.0
    low, high, seldom = 0.0, rate.hits / rate.trials, log(error)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if log_at_least(rate.hits, rate.trials, middle) < seldom:
            low = middle
        else:
            high = middle
    return low
