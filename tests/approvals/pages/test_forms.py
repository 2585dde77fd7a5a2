"""What may be posted about a request, and what is refused before any verb is called."""

import pytest

from approvals.pages.forms import LONGEST_REASON, DecisionForm, TakingAwayForm

HASH = "a" * 64


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"verdict": "approve", "shown": HASH}, set()),
        ({"verdict": "reject", "shown": HASH, "reason": "No."}, set()),
        ({"verdict": "reject", "shown": HASH, "reason": " \n"}, {"reason"}),
        ({"verdict": "send_back", "shown": HASH}, {"reason"}),
        ({"shown": HASH}, {"verdict"}),
        ({"verdict": "delete", "shown": HASH}, {"verdict"}),
        ({"verdict": "approve"}, {"shown"}),
        ({"verdict": "approve", "shown": HASH + "\n"}, {"shown"}),
        ({"verdict": "approve", "shown": "A" * 64}, {"shown"}),
        ({"verdict": "approve", "shown": HASH, "reason": "x\0"}, {"reason"}),
        ({"verdict": "approve", "shown": HASH, "reason": "x" * (LONGEST_REASON + 1)}, {"reason"}),
    ],
)
def test_only_a_whole_answer_is_taken(given: dict[str, str], wrong: set[str]) -> None:
    assert set(DecisionForm(given).errors) == wrong


@pytest.mark.parametrize(
    ("posted", "onward"),
    [
        ({}, ""),
        ({"onward": "True"}, "1"),
        ({"onward": "False"}, ""),
        ({"onward": "approval"}, "approval"),
        ({"onward": "//x.example"}, "1"),
    ],
)
def test_going_on_is_wished_for_or_not(posted: dict[str, str], onward: str) -> None:
    form = DecisionForm({"verdict": "approve", "shown": HASH, **posted})
    assert form.is_valid()
    assert form.cleaned_data["onward"] == onward


def test_taking_away_needs_a_reason() -> None:
    assert set(TakingAwayForm({"reason": "  "}).errors) == {"reason"}
    assert TakingAwayForm({"reason": "Wrong branch."}).is_valid()
