"""Lines of a report beside effects of the ledger: every pair there is."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from reconciliation.reports.columns import Line
from reconciliation.reports.matching import (
    ABSENT,
    DIFFERENT,
    MATCHED,
    UNKNOWN_TO_US,
    Effect,
    Match,
    Period,
    match,
)

AT = datetime(2026, 11, 29, 2, 40, tzinfo=UTC)
HOUR = timedelta(hours=1)
PERIOD = Period(AT - HOUR, AT + HOUR)


def effect(outcome: str = "unknown", **more: object) -> Effect:
    id_ = uuid4()
    usual = Effect(
        id_, uuid4(), id_.bytes * 2, frozenset({id_, uuid4()}), outcome, 1000, "EUR", AT,
        AT + timedelta(minutes=1),
    )  # fmt: skip
    return replace(usual, **more)  # type: ignore[arg-type]


def line(of: Effect | None, number: int = 2, **more: object) -> Line:
    ids: tuple[UUID, ...] = (of.id,) if of else (uuid4(),)
    usual = Line(number, str(ids[0]), ids, (), 1000, "EUR", "ok", True, AT)
    return replace(usual, **more)  # type: ignore[arg-type]


def only(lines: list[Line], *effects: Effect, period: Period = PERIOD) -> Match:
    found = match(lines, effects, period)
    assert len(found) == 1
    return found[0]


def test_a_line_answers_what_nobody_knew() -> None:
    unknown = effect()
    found = only([line(unknown)], unknown)
    assert (found.kind, found.effect, found.number, found.answers) == (MATCHED, unknown, 2, True)


@pytest.mark.parametrize("outcome", ["", "unknown", "happened"])
def test_money_that_goes_out_may_have_a_minus(outcome: str) -> None:
    it = effect(outcome)
    assert only([line(it, amount=-1000)], it).kind == MATCHED


def test_an_attempt_and_an_idempotency_key_name_an_effect_as_well() -> None:
    it = effect()
    attempt = next(name for name in it.names if name != it.id)
    assert only([line(None, ids=(attempt,))], it).effect == it
    assert only([line(None, ids=(), keys=(it.key,))], it).effect == it


def test_what_both_say_is_matched_and_answers_nothing() -> None:
    done, not_done = effect("happened"), effect("did_not_happen")
    assert not only([line(done)], done).answers
    assert only([line(not_done, done=False)], not_done).kind == MATCHED


@pytest.mark.parametrize(
    ("outcome", "more", "said"),
    [
        ("unknown", {"amount": 1001}, "The report says 10.01 EUR, the ledger 10.00 EUR."),
        ("happened", {"currency": "USD"}, "The report says 10.00 USD, the ledger 10.00 EUR."),
        ("unknown", {"done": False, "status": "failed"}, "The report says that it was not done."),
        ("did_not_happen", {}, "The report has it, and the ledger says did not happen."),
        ("refused", {}, "The report has it, and the ledger says refused."),
        ("written_off", {}, "The report has it, and the ledger says written off."),
    ],
)
def test_what_is_at_odds_is_different_and_never_answers(
    outcome: str, more: dict[str, Any], said: str
) -> None:
    it = effect(outcome)
    found = only([line(it, **more)], it)
    assert (found.kind, found.said, found.answers) == (DIFFERENT, said, False)


def test_what_was_never_sent_and_is_there_is_different() -> None:
    it = effect("", sent_at=None, over_at=None)
    assert only([line(it)], it).said == "The report has it, and the ledger says it was never sent."


def test_a_second_line_for_one_effect_is_different_and_the_first_is_kept() -> None:
    it = effect()
    found = match([line(it, 2), line(it, 3)], [it], PERIOD)
    assert [each.kind for each in found] == [MATCHED, DIFFERENT]
    assert found[1].said == "Line 2 names the same effect: it is there twice."


def test_a_line_that_names_two_effects_is_different() -> None:
    one, two = effect(), effect()
    found = only([line(one, ids=(one.id, two.id))], one, two)
    assert (found.kind, found.said) == (DIFFERENT, "The line names 2 of our effects.")


def test_a_line_of_nobody_is_unknown_to_us() -> None:
    found = only([line(None)])
    assert (found.kind, found.effect) == (UNKNOWN_TO_US, None)


@pytest.mark.parametrize(("outcome", "kind"), [("unknown", ABSENT), ("", ABSENT), ("happened", ABSENT)])  # fmt: skip
def test_what_no_line_names_is_absent(outcome: str, kind: str) -> None:
    it = effect(outcome)
    found = only([], it)
    assert (found.kind, found.number, found.effect, found.answers) == (kind, 0, it, False)


@pytest.mark.parametrize(
    "it",
    [
        effect(sent_at=None, over_at=None),
        effect(sent_at=AT - 2 * HOUR),
        effect(over_at=AT + 2 * HOUR),
        effect("did_not_happen"),
        effect("written_off"),
    ],
)
def test_what_the_report_need_not_have_is_not_absent(it: Effect) -> None:
    assert match([], [it], PERIOD) == []


def test_an_amount_that_only_one_side_has_is_not_compared() -> None:
    no_money, it = effect(amount=None, currency=""), effect()
    assert only([line(no_money)], no_money).kind == MATCHED
    assert only([line(it, amount=None, currency="")], it).kind == MATCHED
    assert only([line(it, currency="")], it).kind == MATCHED
