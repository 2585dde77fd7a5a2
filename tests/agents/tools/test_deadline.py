"""A deadline counts down over all steps of a call and then stops the next one."""

import pytest

from agents.tools.deadline import Deadline, within


def test_what_is_left_only_shrinks() -> None:
    deadline = Deadline(60)
    first, second = deadline.left(), deadline.left()
    assert 60 >= first >= second > 59


@pytest.mark.parametrize("seconds", [0, -1])
def test_after_the_end_nothing_starts(seconds: float) -> None:
    with pytest.raises(TimeoutError):
        Deadline(seconds).left()


def test_a_call_ends_before_its_budget_does() -> None:
    assert 8 < within(10).left() < 10
