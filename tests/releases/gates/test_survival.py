"""What is not over yet counts as lasting at least that long, and is never left out."""

import numpy as np
import pytest
from scipy import stats

from releases.gates.survival import Spell, quantile, within
from tests.releases.gates.arms import A_MINUTE, spells


@pytest.mark.parametrize("share", [0.25, 0.5, 0.95])
def test_quantiles_are_those_of_the_oracle(share: float) -> None:
    chance = np.random.default_rng(9)
    took = [int(each) for each in chance.exponential(60_000, 300)]
    seen = [int(each) for each in chance.exponential(150_000, 300)]
    drawn = [Spell(min(a, b), over=a <= b, age=max(a, b)) for a, b in zip(took, seen, strict=True)]
    data = stats.CensoredData(
        uncensored=[each.took for each in drawn if each.over],
        right=[each.took for each in drawn if not each.over],
    )
    curve = stats.ecdf(data).sf
    reached = [
        int(at)
        for at, left in zip(curve.quantiles, curve.probabilities, strict=True)
        if left <= 1 - share + 1e-12
    ]
    assert quantile(drawn, share).ms == (reached[0] if reached else None)


def test_what_hangs_is_late_and_not_left_out() -> None:
    assert within(spells(quick=6, late=1, under_way=3), A_MINUTE) == (6, 10)


def test_what_a_person_ended_soon_is_late_all_the_same() -> None:
    ended = Spell(5000, over=False, age=60 * A_MINUTE)
    assert within((*spells(quick=3), ended), A_MINUTE) == (3, 4)


def test_a_recovery_that_is_young_is_counted_neither_way_yet() -> None:
    """Also one that was quick: else the quick ones would count first."""
    young = (Spell(1000, over=True, age=2000), Spell(2000, over=False, age=2000))
    assert within(young, A_MINUTE) == (0, 0)


def test_without_half_of_them_over_the_median_is_only_known_to_be_longer() -> None:
    found = quantile(spells(quick=1, under_way=9), 0.5)
    assert found.ms is None
    assert found.at_least == 60 * A_MINUTE
    assert quantile([], 0.5).ms is None
