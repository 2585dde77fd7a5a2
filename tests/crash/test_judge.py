"""The oracle itself: it must see what is wrong, and only that."""

from dataclasses import replace
from pathlib import Path

from tests.crash.judge import judge
from tests.crash.points import Point
from tests.crash.record import Done, End
from tests.crash.trials import Result, Trial
from tests.crash.worlds import Effect, Place

KEY, OTHER = "a" * 64, "b" * 64
WROTE = Effect(KEY, "a-0")
HAPPENED = Done(KEY, "fake.void", "settled", "happened", has_receipt=True)
END = End("succeeded", "done", "Done.", "the state", (HAPPENED,), (), "", ())
REFERENCE = Result(
    trial=Trial("void"),
    place=Place(Path("nowhere"), "k", Path("nowhere")),
    fired=0,
    held=(),
    end=END,
    effects=(WROTE,),
    reached=(),
    conditions=(),
    trouble="",
    ended_at=0.0,
)
KILLED = replace(REFERENCE, trial=Trial("void", (Point("horse", 1, "commit:before@1"),)), fired=1)

NOBODY_KNOWS = Done(KEY, "fake.nothing", "dispatched", "unknown", has_receipt=False)
HELD = replace(END, status="held", case="outcome_unknown", actions=(NOBODY_KNOWS,))
MAILED = replace(KILLED, trial=replace(KILLED.trial, scenario="nothing"), held=(HELD,))


def test_a_run_that_ends_as_if_nothing_had_happened_is_good() -> None:
    assert judge(KILLED, REFERENCE, (WROTE,)).is_good


def test_a_second_effect_of_one_key_is_a_duplicate() -> None:
    assert judge(KILLED, REFERENCE, (WROTE, WROTE)).duplicates == 1


def test_a_repeat_under_another_key_is_a_duplicate() -> None:
    assert judge(KILLED, REFERENCE, (WROTE, Effect(OTHER, "a-0"))).duplicates == 1


def test_an_effect_that_is_missing_is_not_unique() -> None:
    found = judge(KILLED, REFERENCE, ())
    assert (found.duplicates, found.not_unique) == (0, True)
    assert "the ledger says happened of fake.void: 0 found" in found.said


def test_another_last_state_is_not_unique() -> None:
    end = replace(END, result="another state")
    assert judge(replace(KILLED, end=end), REFERENCE, (WROTE,)).not_unique


def test_damage_is_not_unique() -> None:
    end = replace(END, damage=("checkpoint 2 is missing",))
    assert judge(replace(KILLED, end=end), REFERENCE, (WROTE,)).not_unique


def test_a_run_that_does_not_end_is_lost() -> None:
    assert judge(replace(KILLED, end=None), REFERENCE, ()).lost


def test_a_held_run_without_a_case_is_lost() -> None:
    end = replace(END, status="held")
    assert judge(replace(KILLED, end=end), REFERENCE, (WROTE,)).lost


def test_a_kill_that_did_not_strike_proves_nothing() -> None:
    assert judge(replace(KILLED, fired=0), REFERENCE, (WROTE,)).invalid


def test_a_mail_nobody_can_know_of_may_be_held() -> None:
    found = judge(MAILED, REFERENCE, (WROTE,))
    assert (found.is_good, found.held) == (True, True)


def test_holding_what_could_be_looked_up_is_wrong() -> None:
    unknown = replace(NOBODY_KNOWS, tool="fake.look_up")
    wrong = replace(MAILED, held=(replace(HELD, actions=(unknown,)),))
    assert judge(wrong, REFERENCE, (WROTE,)).not_unique


def test_holding_what_has_a_receipt_is_wrong() -> None:
    known = replace(NOBODY_KNOWS, has_receipt=True)
    wrong = replace(MAILED, held=(replace(HELD, actions=(known,)),))
    assert judge(wrong, REFERENCE, (WROTE,)).not_unique


def test_a_crash_loop_is_never_allowed() -> None:
    wrong = replace(MAILED, held=(replace(HELD, case="crash_loop"),))
    assert judge(wrong, REFERENCE, (WROTE,)).not_unique


def test_a_run_that_is_held_again_after_its_verdict_is_wrong() -> None:
    wrong = replace(MAILED, end=HELD)
    assert judge(wrong, REFERENCE, (WROTE,)).not_unique
