"""Looking twenty times does not make a false alarm likelier than the policy allows."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from releases.gates import intervals
from releases.gates.intervals import Rate

TRIALS = 600
RUNS = 200
ERROR = 0.05
LOOKS = range(10, RUNS + 1, 10)


def test_twenty_looks_of_equal_arms_raise_no_more_alarms_than_the_error() -> None:
    """Equal arms of 95 % success, no margin at all: the strictest there can be."""
    assert len(LOOKS) == 20
    arms = _arms(seed=6)
    naive = sum(any(_is_naively_worse(*arm, look) for look in LOOKS) for arm in arms)
    ours = sum(any(_is_worse(*arm, look) for look in LOOKS) for arm in arms)
    one_look = sum(_is_naively_worse(*arm, RUNS) for arm in arms)
    assert one_look / TRIALS < 0.08
    assert naive / TRIALS > 0.15
    assert ours / TRIALS <= ERROR


def test_a_bad_arm_is_found_at_most_of_its_first_looks() -> None:
    arms = _arms(seed=7, candidate=0.6)[:100]
    found = sum(any(_is_worse(*arm, look) for look in LOOKS[:6]) for arm in arms)
    assert found / 100 > 0.9


@pytest.mark.parametrize("dear", [1.0, 1.8])
def test_costs_that_vary_much_are_compared_as_strictly(dear: float) -> None:
    """Log-normal costs, of which the mean is ruled by a few: equal ones, and ones far dearer."""
    chance = np.random.default_rng(8)
    looks = range(50, 501, 50)
    alarms = 0
    for _ in range(400):
        mine, theirs = chance.lognormal(7, 0.8, 500) * dear, chance.lognormal(7, 0.8, 500)
        alarms += any(
            intervals.of_ratio(_mean(mine[:n]), _mean(theirs[:n]), ERROR / len(looks)).low > 1
            for n in looks
        )
    assert alarms / 400 <= ERROR if dear == 1 else alarms / 400 > 0.95


def _mean(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> tuple[float, float]:
    return float(values.mean()), float(values.var(ddof=1)) / len(values)


def _arms(seed: int, candidate: float = 0.95) -> list[tuple[list[int], list[int]]]:
    """For each trial the successes of both arms after each run."""
    chance = np.random.default_rng(seed)

    def one(rate: float) -> list[int]:
        return [int(each) for each in np.cumsum(chance.random(RUNS) < rate)]

    return [(one(candidate), one(0.95)) for _ in range(TRIALS)]


def _is_worse(mine: list[int], theirs: list[int], look: int) -> bool:
    here, there = Rate(mine[look - 1], look), Rate(theirs[look - 1], look)
    return intervals.is_less(here, there, 0.0, ERROR / len(LOOKS))


def _is_naively_worse(mine: list[int], theirs: list[int], look: int) -> bool:
    """A one-sided z-test at 5 %, asked again at each look."""
    here, there = mine[look - 1], theirs[look - 1]
    pooled = (here + there) / 2 / look
    spread = sqrt(2 * pooled * (1 - pooled) / look)
    return spread > 0 and (there - here) / look / spread > stats.norm.isf(ERROR)
