"""The arm of a key: even over keys, the same at every evaluation, and growing by adding (A54)."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoints import arms

KEYS = [f"order {n}" for n in range(10_000)]
STAGES = (100, 500, 2_000, 5_000, 10_000)


def taken(salt: str, share: int, keys: list[str]) -> set[str]:
    return {key for key in keys if arms.takes(salt, key, share=share)}


@pytest.mark.parametrize("salt", ["a", "b", "one more"])
@pytest.mark.parametrize("share", [100, 500, 2_000, 5_000, 9_900])
def test_of_ten_thousand_keys_the_share_is_taken_within_chance(salt: str, share: int) -> None:
    expected = len(KEYS) * share / arms.PLACES
    off = abs(len(taken(salt, share, KEYS)) - expected)
    # Four standard deviations of a binomial count; the keys are fixed, so this is not a matter of luck.
    assert off <= 4 * sqrt(expected * (1 - share / arms.PLACES))


def test_a54_each_stage_only_adds_and_asking_twice_changes_nothing() -> None:
    keys = [f"run {n}" for n in range(100_000)]
    before: set[str] = set()
    for share in STAGES:
        now = taken("s", share, keys)
        assert before <= now
        assert taken("s", share, sorted(now)) == now
        before = now
    assert before == set(keys)


def test_another_salt_is_another_draw() -> None:
    """Else the same customers would be the first of every canary."""
    one, other = taken("first", 2_000, KEYS), taken("second", 2_000, KEYS)
    both = len(one & other)
    assert abs(both - 400) <= 4 * sqrt(400 * 0.96)


@given(st.text(), st.text())
def test_nothing_is_taken_at_none_and_everything_at_all(salt: str, key: str) -> None:
    assert not arms.takes(salt, key, share=0)
    assert arms.takes(salt, key, share=arms.PLACES)


def test_salt_and_key_do_not_run_into_each_other() -> None:
    places = {arms.place("a", "bc"), arms.place("ab", "c"), arms.place("", "abc")}
    assert len(places) == 3


def test_a_key_stands_where_it_always_stood() -> None:
    """The places are part of the record: a run that is asked for again must find its arm."""
    assert [arms.place("salt", key) for key in ("order 1", "order 2", "ü")] == [2445, 3134, 3218]
