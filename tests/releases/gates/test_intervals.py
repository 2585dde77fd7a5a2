"""Limits of rates against scipy's exact ones, and differences against every outcome there is."""

from itertools import product
from math import inf, isclose

import pytest
from scipy import stats

from releases.gates import intervals
from releases.gates.intervals import Interval, Rate
from releases.gates.tails import log_at_least


@pytest.mark.parametrize("trials", [1, 2, 7, 50, 1000, 20_000])
def test_chances_are_those_of_the_oracle(trials: int) -> None:
    for hits, rate in product(
        {0, 1, trials // 2, trials * 19 // 20, trials}, (1e-6, 0.01, 0.3, 0.5, 0.95, 0.9999)
    ):
        exact = float(stats.binom.logsf(hits - 1, trials, rate))
        ours = log_at_least(hits, trials, rate)
        if exact == -inf:
            assert ours < -700  # below what a double can hold the oracle says never
        else:
            assert isclose(ours, exact, rel_tol=1e-8, abs_tol=1e-12)


@pytest.mark.parametrize("error", [0.05, 0.0025, 0.00001])
@pytest.mark.parametrize("trials", [1, 7, 50, 20_000])
def test_limits_of_a_rate_are_those_of_the_oracle(trials: int, error: float) -> None:
    for hits in {0, 1, trials // 2, trials * 19 // 20, trials}:
        ours = intervals.of_rate(Rate(hits, trials), error)
        exact = stats.binomtest(hits, trials).proportion_ci(1 - 2 * error, method="exact")
        assert isclose(ours.low, exact.low, rel_tol=1e-8, abs_tol=1e-12)
        assert isclose(ours.high, exact.high, rel_tol=1e-8, abs_tol=1e-12)


def test_no_failure_says_as_much_as_the_tables_do() -> None:
    # Zero failures needed for a claim at 95 %: 59 runs for 95 %, 299 for 99 %.
    for runs, rate in ((59, 0.95), (299, 0.99)):
        assert intervals.of_rate(Rate(runs, runs), 0.05).low > rate
        assert intervals.of_rate(Rate(runs - 1, runs - 1), 0.05).low < rate


@pytest.mark.parametrize("trials", [(12, 12), (6, 30)])
@pytest.mark.parametrize("error", [0.05, 0.005])
def test_a_difference_is_missed_by_no_more_than_the_error(
    trials: tuple[int, int], error: float
) -> None:
    """Every outcome of both arms with its chance: nothing is left to luck or to large samples."""
    here, there = trials
    rates = (0.02, 0.2, 0.5, 0.95)
    chances = {
        (rate, size): [float(each) for each in stats.binom.pmf(range(size + 1), size, rate)]
        for rate, size in product(rates, trials)
    }
    for rate, other in product(rates, repeat=2):
        missed = sum(
            chances[rate, here][mine] * chances[other, there][theirs]
            for mine, theirs in product(range(here + 1), range(there + 1))
            if intervals.is_less(Rate(mine, here), Rate(theirs, there), rate - other, error)
        )
        assert missed <= error


def test_the_limits_shown_are_where_doubt_ends() -> None:
    mine, theirs = Rate(40, 50), Rate(190, 200)
    found = intervals.difference(mine, theirs, 0.005)
    assert found.low < -0.15 < found.high
    assert intervals.is_less(mine, theirs, found.high, 0.005)
    assert not intervals.is_less(mine, theirs, found.high - 0.0001, 0.005)
    swapped = intervals.difference(theirs, mine, 0.005)
    assert swapped == Interval(-found.high, -found.low)


def test_means_that_are_all_nothing_leave_no_doubt() -> None:
    free, dear = (0.0, 0.0), (10.0, 1.0)
    assert intervals.of_ratio(free, free, 0.05) == Interval(1.0, 1.0)
    assert intervals.of_ratio(free, dear, 0.05).high == 0
    assert intervals.of_ratio(dear, free, 0.05).low == float("inf")
