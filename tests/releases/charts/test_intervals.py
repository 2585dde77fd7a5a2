"""A drawing says by its shapes alone what the numbers say: worse is left, an open end is an arrow."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from releases.charts import intervals
from releases.charts.intervals import EDGE, WIDTH, Drawn, Measured, drawn

NUMBERS = st.floats(-1, 1, allow_nan=False)
MARGINS = st.floats(0.001, 0.5)


def places(path: str) -> list[float]:
    return [float(x) for x in re.findall(r"[ML](-?[\d.]+) ", path)]


def measured(low: float | None, high: float | None, margin: float, turned: bool) -> Measured:
    worst, best = (margin, -margin) if turned else (-margin, margin)
    point = None if low is None or high is None else (low + high) / 2
    return Measured(low, high, point, worst, best)


@given(NUMBERS, NUMBERS, MARGINS, st.booleans())
def test_worse_is_always_left_and_nothing_is_drawn_outside(
    one: float, other: float, margin: float, turned: bool
) -> None:
    it = drawn(measured(min(one, other), max(one, other), margin, turned))
    assert it.best is not None
    assert it.worst <= it.same <= it.best
    assert EDGE <= it.bar[0] <= it.bar[1] <= WIDTH - EDGE
    assert all(0 <= x <= WIDTH for x in places(it.hatching + it.ends + it.point))
    assert max(places(it.hatching), default=0.0) <= it.worst


@given(st.floats(0, 1), st.floats(0, 1), MARGINS)
def test_where_nothing_is_better_the_same_stands_right_and_worse_left(
    one: float, other: float, most: float
) -> None:
    it = drawn(Measured(min(one, other), max(one, other), (one + other) / 2, most, None))
    assert it.best is None
    assert it.worst <= it.same == WIDTH - EDGE
    assert EDGE <= it.bar[0] <= it.bar[1] <= WIDTH - EDGE


@pytest.mark.parametrize("turned", [False, True])
def test_what_is_worse_beyond_doubt_ends_before_the_limit(turned: bool) -> None:
    low, high = (0.2, 0.3) if turned else (-0.3, -0.2)
    it = drawn(measured(low, high, 0.05, turned))
    assert it.bar[1] < it.worst


@pytest.mark.parametrize("turned", [False, True])
def test_an_end_that_is_open_is_an_arrow_at_the_edge(turned: bool) -> None:
    it = drawn(Measured(0.9, None, 1.1, 1.25 if turned else 0.8, 0.8 if turned else 1.25, 1.0))
    open_end, closed = (it.bar[0], it.bar[1]) if turned else (it.bar[1], it.bar[0])
    assert open_end in (EDGE / 2, WIDTH - EDGE / 2)
    assert arrows(it) == 1
    assert EDGE <= closed <= WIDTH - EDGE


def arrows(it: Drawn) -> int:
    return it.ends.count("L") // 2


def test_a_word_stands_only_where_there_is_room_for_it() -> None:
    assert drawn(measured(-0.1, 0.1, 0.05, False)).has_word
    assert not drawn(measured(-1.0, -0.9, 0.01, False)).has_word
    assert intervals.ROOM * 2 < WIDTH
