"""What was stopped comes back as a shadow only, and a machine rolls back once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from releases.gates.standing import (
    CANARY,
    LEADS,
    LIFT,
    MOVES,
    NEW,
    PLACES,
    ROLL_BACK,
    SHADOW,
    STABLE,
    STOP,
    STOPPED,
    NotFromHereError,
    Standing,
    may,
    moved,
    replaced,
)

TRIED = st.lists(st.tuples(st.sampled_from(MOVES), st.booleans()), max_size=40)


@given(TRIED)
def test_a53_from_a_stop_only_a_person_leads_on_and_only_to_the_shadow(
    tried: list[tuple[str, bool]],
) -> None:
    standing = Standing()
    for move, by_person in tried:
        if not may(standing, move, by_person=by_person):
            continue
        before, standing = standing, moved(standing, move, by_person=by_person)
        if before.place == STOPPED and standing.place != STOPPED:
            assert (move, by_person, standing.place) == (LIFT, True, SHADOW)


@given(TRIED)
def test_a52_a_machine_rolls_back_once_until_a_person_lifts_it(
    tried: list[tuple[str, bool]],
) -> None:
    standing, rolled = Standing(), 0
    for move, by_person in tried:
        if not may(standing, move, by_person=by_person):
            continue
        standing = moved(standing, move, by_person=by_person)
        if standing.place == STOPPED and move == ROLL_BACK and not by_person:
            rolled += 1
        if move == LIFT:
            rolled = 0
        assert rolled <= 1


@given(TRIED)
def test_a_machine_alone_never_gives_a_candidate_more_runs(tried: list[tuple[str, bool]]) -> None:
    for place in PLACES:
        standing = Standing(place)
        for move, _ in tried:
            if may(standing, move, by_person=False):
                standing = moved(standing, move, by_person=False)
        assert standing.place in (place, STOPPED)


def test_the_way_up_leaves_no_place_out() -> None:
    assert LEADS["begin"] == {NEW: SHADOW}
    assert set(LEADS["widen"]) == {SHADOW, CANARY}
    assert LEADS["promote"] == {CANARY: STABLE}
    assert not may(Standing(SHADOW), "promote", by_person=True)


def test_another_candidate_does_not_thaw_what_is_frozen() -> None:
    frozen = moved(Standing(CANARY), ROLL_BACK, by_person=False)
    assert replaced(frozen) == Standing(NEW, is_frozen=True)
    with pytest.raises(NotFromHereError, match="rolled back by machine before"):
        moved(Standing(CANARY, is_frozen=True), ROLL_BACK, by_person=False)
    assert may(Standing(CANARY, is_frozen=True), STOP, by_person=False)
    assert may(Standing(CANARY, is_frozen=True), ROLL_BACK, by_person=True)
