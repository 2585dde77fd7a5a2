"""What would become of one effect: every cell of the table."""

from dataclasses import replace
from uuid import uuid4

import pytest

from execution.forecasts.judging import Effect, Place, foresee
from execution.forecasts.transitions import CANCEL, FORK, GO_ON_FROM, RESUME, TRANSITIONS

MINE, OTHER = uuid4(), uuid4()
HERE = Place(MINE, {}, frozenset({"act"}))
LEFT = replace(HERE, gives_up=False)
PAST = Place(MINE, {"act": 1}, frozenset({"act"}))
EFFECT = Effect(uuid4(), MINE, "act", 1, 1, "settled", "happened")
OPEN = replace(EFFECT, stands="proposed", outcome="", is_absorbed=False)
OUT = replace(OPEN, stands="dispatched", is_out=True)
ABSENT = replace(OUT, is_out=False)
OVER = replace(EFFECT, outcome="did_not_happen")


def told(effect: Effect, how: str, place: Place = HERE) -> tuple[str, str] | None:
    found = foresee(effect, how, place)
    return (found.kind, found.why) if found else None


@pytest.mark.parametrize("how", TRANSITIONS)
def test_rule_12_what_is_out_is_unknown_whatever_is_done(how: str) -> None:
    assert told(OUT, how) == ("unknown", "out")
    assert told(replace(OUT, outcome="unknown"), how, PAST) == ("unknown", "out")


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ("", "needs_approval"),
        ("open", "needs_approval"),
        ("over", "needs_approval"),
        ("holds", "sent"),
        ("declined", "never_sent"),
    ],
)
def test_resuming_does_with_its_open_effect_what_its_question_says(asked: str, kind: str) -> None:
    found = foresee(replace(OPEN, asked=asked), RESUME, PAST)
    assert found is not None
    assert found.kind == kind


def test_only_a_proven_absence_and_a_yes_that_holds_send_again() -> None:
    assert told(replace(ABSENT, asked="holds"), RESUME) == ("sent_again", "absent")
    assert told(replace(ABSENT, asked="over"), RESUME) == ("needs_approval", "over")


def test_an_answer_not_taken_in_yet_is_reused() -> None:
    heard = replace(EFFECT, is_absorbed=False)
    assert told(heard, RESUME) == ("reused", "happened")
    assert told(replace(heard, outcome="refused"), RESUME) == ("never_sent", "refused")


@pytest.mark.parametrize("how", [RESUME, GO_ON_FROM, FORK])
def test_what_lies_behind_stands_and_what_came_to_nothing_is_no_effect(how: str) -> None:
    assert told(EFFECT, how, PAST) == ("stands", "happened")
    assert told(OVER, how, PAST) is None
    assert told(EFFECT, how, replace(HERE, reach=frozenset())) == ("stands", "happened")


@pytest.mark.parametrize("how", [RESUME, GO_ON_FROM, FORK])
@pytest.mark.parametrize("run", [MINE, OTHER])
def test_rule_5_what_happened_ahead_is_reused(how: str, run: object) -> None:
    ahead = replace(EFFECT, run_id=run)  # type: ignore[arg-type]
    assert told(ahead, how) == ("reused", "happened")
    assert told(replace(ahead, outcome="written_off"), how) == ("reused", "written_off")
    assert told(replace(ahead, outcome="refused"), how) == ("needs_approval", "came_to_nothing")
    assert told(replace(ahead, is_undone=True), how) == ("needs_approval", "undone")
    again = replace(HERE, again=frozenset({EFFECT.id}))
    assert told(ahead, how, again) == ("needs_approval", "on_purpose")


def test_an_open_proposal_ahead_is_given_up_by_its_run_and_waited_for_by_others() -> None:
    assert told(OPEN, GO_ON_FROM) == ("needs_approval", "given_up")
    assert told(OPEN, FORK) == ("needs_approval", "given_up")
    assert told(OPEN, FORK, LEFT) == ("waited_for", "elsewhere")
    elsewhere = replace(OPEN, run_id=OTHER)
    for how in (RESUME, GO_ON_FROM, FORK):
        assert told(elsewhere, how) == ("waited_for", "elsewhere")
    assert told(elsewhere, RESUME, PAST) is None


def test_what_was_sent_and_is_not_settled_stops_whoever_would_go_past_it() -> None:
    assert told(ABSENT, GO_ON_FROM) == ("unknown", "unsettled")
    assert told(ABSENT, FORK) == ("unknown", "unsettled")
    assert told(ABSENT, FORK, LEFT) == ("unknown", "unsettled")
    assert told(replace(OUT, run_id=OTHER), FORK, PAST) == ("unknown", "out")
    assert told(replace(OUT, run_id=OTHER), RESUME) == ("waited_for", "elsewhere")


def test_cancelling_sends_nothing_and_undoes_nothing() -> None:
    assert told(OPEN, CANCEL) == ("never_sent", "cancelled")
    assert told(EFFECT, CANCEL) == ("stands", "happened")
    assert told(OVER, CANCEL) is None
    assert told(replace(EFFECT, run_id=OTHER), CANCEL) is None
