"""What every state looks like."""

import pytest

from approvals import states as approvals
from checkpoints import states
from reconciliation import states as reconciliation
from tenants.pills import PILLS, REASONS, TONES, pill_for, reason_words


@pytest.mark.parametrize("status", states.STATUSES)
def test_every_status_of_a_run_has_a_pill(status: str) -> None:
    assert status in PILLS
    assert pill_for(status).final == (status in states.FINAL)


def test_every_outcome_and_every_answer_has_a_pill() -> None:
    codes = {*approvals.REQUEST_STATES, *approvals.APPROVAL_STATES, *reconciliation.ATTEMPTS}
    codes |= {reconciliation.UNKNOWN, reconciliation.DID_NOT_HAPPEN, reconciliation.PROPOSED}
    assert codes - {""} - PILLS.keys() == set()


def test_every_reason_has_words() -> None:
    codes = {code for reasons in states.REASONS.values() for code in reasons}
    codes |= set(states.STOP_REASONS)
    assert {code for code in codes if reason_words(code) and code not in REASONS} == set()


def test_every_tone_is_one_of_seven() -> None:
    assert {pill.tone for pill in PILLS.values()} == set(TONES) - {"itself"}


def test_words_tell_states_apart_without_colour() -> None:
    words = [str(pill.word) for pill in PILLS.values()]
    assert len(words) == len(set(words))


def test_shapes_tell_tones_apart_without_colour() -> None:
    tones_of: dict[str, set[str]] = {}
    for pill in (*PILLS.values(), pill_for("waiting", "for_retry")):
        tones_of.setdefault(pill.shape, set()).add(pill.tone)
    assert {shape: tones for shape, tones in tones_of.items() if len(tones) > 1} == {}


def test_what_goes_on_by_itself_is_orange() -> None:
    assert pill_for("waiting", "for_look_up").tone == "itself"
    assert pill_for("queued", "interrupted").tone == "itself"
    assert pill_for("waiting", "for_approval").tone == "waiting"


def test_reason_never_hides_that_a_person_is_needed() -> None:
    assert pill_for("held", "interrupted").tone == "person"


def test_unknown_code_is_shown_by_its_name() -> None:
    pill = pill_for("brand_new", "odd_reason")
    assert (pill.word, pill.tone, pill.final, pill.reason) == (
        "Brand new",
        "waiting",
        False,
        "odd reason",
    )


def test_reason_that_repeats_the_status_is_left_out() -> None:
    assert pill_for("running", "working").reason == ""
