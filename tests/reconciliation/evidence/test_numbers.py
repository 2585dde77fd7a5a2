"""Percentiles by nearest rank: one function, of a run's evidence and of every report."""

import pytest

from reconciliation.evidence.numbers import nearest_rank
from tests.crash.report import percentiles


@pytest.mark.parametrize(
    ("count", "share", "which"),
    [
        (20, 0.5, 10),
        (20, 0.95, 19),
        (20, 1.0, 20),
        (21, 0.95, 20),
        (3, 0.5, 2),
        (2, 0.5, 1),
        (1, 0.95, 1),
        (100, 0.95, 95),
    ],
)
def test_the_nearest_rank_is_the_smallest_that_enough_do_not_exceed(
    count: int, share: float, which: int
) -> None:
    assert nearest_rank(range(1, count + 1), share) == which


def test_reports_take_the_nearest_rank_of_what_was_measured_in_any_order() -> None:
    assert percentiles([20 - each + 0.12345 for each in range(20)]) == {
        "p50": 10.123,
        "p95": 19.123,
    }


def test_of_nothing_there_is_no_percentile() -> None:
    assert nearest_rank([], 0.95) is None
    assert percentiles([]) == {"p50": None, "p95": None}
