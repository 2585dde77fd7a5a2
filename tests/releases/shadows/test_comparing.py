"""What is the same effect, the same in other words, another one; and what says nothing of either."""

from dataclasses import replace
from typing import Any

import pytest

from reconciliation.tools import Wording
from releases.shadows import comparing
from releases.shadows.comparing import AT_EFFECT, AT_END, IN_TROUBLE, Comparison, Effect, Went

MAIL = Effect("send", 1, "mail", {"to": "a@x", "body": "Hello"}, diff="d1", action_id="m")
PUSH = Effect("push", 1, "git", {"commit": "c1", "branch": "b"}, diff="d1", action_id="p")
WORDINGS = {
    "mail": Wording(("/body", "/notes/*/text")),
    "git": Wording(("/commit",), diff_is_bare=True),
}


def compare(twin: Went, live: Went, ended: str = AT_END) -> Comparison:
    return comparing.compare(twin, live, ended=ended, declared=WORDINGS)


def one(mine: Effect, theirs: Effect, **saw: Any) -> str:
    twin = Went((mine,), saw=saw.get("twin", {}))
    return compare(twin, Went((theirs,), saw=saw.get("live", {}))).kind


def given(effect: Effect, **parameters: Any) -> Effect:
    return replace(effect, parameters={**effect.parameters, **parameters})


def test_the_same_parameters_are_the_same_effect_whatever_the_dry_run_names() -> None:
    assert one(MAIL, replace(MAIL, diff="with another message id")) == "same"
    assert one(MAIL, replace(MAIL, looked_at={"x": "1"})) == "same"


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"body": "Hi"}, "words"),
        ({"to": "b@x"}, "different"),
        ({"to": "b@x", "body": "Hi"}, "different"),
        ({"bodyguard": "Hi"}, "different"),
    ],
)
def test_words_alone_make_no_other_effect(changes: dict[str, str], kind: str) -> None:
    assert one(given(MAIL, **changes), MAIL) == kind


def test_words_may_stand_in_a_list() -> None:
    with_notes = given(MAIL, notes=[{"text": "a", "at": 1}])
    assert one(given(with_notes, notes=[{"text": "b", "at": 1}]), with_notes) == "words"
    assert one(given(with_notes, notes=[{"text": "b", "at": 2}]), with_notes) == "different"


def test_what_hides_its_words_is_the_same_only_where_its_diff_is() -> None:
    other = given(PUSH, commit="c2")
    assert one(other, PUSH) == "words"
    assert one(replace(other, diff="d2"), PUSH) == "different"
    assert one(replace(other, diff=""), replace(PUSH, diff="")) == "different"


def test_another_world_says_nothing_of_the_candidate() -> None:
    other = given(PUSH, branch="c")
    assert one(replace(other, looked_at={"r": "2"}), replace(PUSH, looked_at={"r": "1"})) == "moved"
    assert (
        one(replace(other, looked_at={"r": "1"}), replace(PUSH, looked_at={"r": "1"}))
        == "different"
    )
    assert one(other, PUSH, twin={"file": "2"}, live={"file": "1"}) == "moved"
    assert one(other, PUSH, twin={"file": "1"}, live={"file": "1"}) == "different"
    # What only one of them read is the candidate's own doing.
    assert one(other, PUSH, twin={"more": "2"}, live={"file": "1"}) == "different"


def test_another_tool_is_another_effect() -> None:
    assert one(replace(MAIL, tool="fax"), MAIL) == "different"


def test_an_effect_that_one_of_them_does_not_have_is_extra_or_missing() -> None:
    assert compare(Went((MAIL, PUSH)), Went((MAIL,))).kind == "extra"
    found = compare(Went((MAIL,)), Went((MAIL, PUSH)))
    assert found.kind == "missing"
    assert [(each.kind, each.twin, each.live) for each in found.effects] == [
        ("same", "m", "m"),
        ("missing", "", "p"),
    ]


@pytest.mark.parametrize("ended", [AT_EFFECT, IN_TROUBLE])
def test_who_ended_before_is_not_blamed_for_the_rest(ended: str) -> None:
    found = compare(Went((MAIL,)), Went((MAIL, PUSH)), ended)
    assert [each.kind for each in found.effects] == ["same"]
    assert found.kind == ("trouble" if ended == IN_TROUBLE else "same")


def test_the_second_proposal_of_a_node_is_beside_the_second() -> None:
    second = replace(given(MAIL, to="b@x"), ordinal=2)
    assert compare(Went((MAIL, second)), Went((MAIL, second))).kind == "same"
    assert compare(Went((replace(MAIL, ordinal=2),)), Went((MAIL,))).kind == "extra"


def test_a_twin_counts_as_the_worst_of_its_effects() -> None:
    mine = Went((given(MAIL, body="Hi"), given(PUSH, branch="c")))
    assert compare(mine, Went((MAIL, PUSH))).kind == "different"
    assert compare(Went((given(MAIL, body="Hi"), PUSH)), Went((MAIL, PUSH))).kind == "words"
    assert compare(Went(), Went()).kind == "same"


def test_the_path_is_the_same_as_far_as_the_twin_came() -> None:
    live = Went(path=("a", "b", "c"))
    assert compare(Went(path=("a", "b")), live, AT_EFFECT).same_path
    assert not compare(Went(path=("a", "b")), live).same_path
    assert not compare(Went(path=("a", "c")), live, AT_EFFECT).same_path
    assert compare(Went(path=("a", "b", "c")), live).same_path
