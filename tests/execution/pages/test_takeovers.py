"""A recovery in one sentence: every clause of it is true of the ledger."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from checkpoints.models import Recovery
from execution.pages.takeovers import Asked, asked_during, seconds, sentence
from reconciliation.models import Attempt, LookUp

AT = datetime(2026, 11, 29, 13, 20, 11, tzinfo=UTC)


def after(span: float) -> datetime:
    return AT + timedelta(seconds=span)


def recovery(**more: Any) -> Recovery:
    values = {"why": "its worker was killed by signal 9", "noticed_at": AT, "interrupted_fence": 1}
    return Recovery(**values | more)


WHOLE = recovery(taken_over_at=after(0.4), new_boundary_at=after(1.2), ended="recovered")


@pytest.mark.parametrize(
    ("told", "asked", "expected"),
    [
        (
            WHOLE,
            Asked(out=True, look_ups=1, answer="found"),
            "Its worker was killed by signal 9 at 13:20:11 UTC; taken over after 400 ms, "
            "asked the tool (it had arrived), nothing was sent again; went on after 1.2 s.",
        ),
        (
            WHOLE,
            Asked(out=True, look_ups=3, answer="absent", sent=1, sent_again=1),
            "Its worker was killed by signal 9 at 13:20:11 UTC; taken over after 400 ms, asked the "
            "tool 3 times (it had not arrived), 1 call was sent again; went on after 1.2 s.",
        ),
        (
            recovery(),
            Asked(),
            "Its worker was killed by signal 9 at 13:20:11 UTC; "
            "not taken over yet, nothing was sent again.",
        ),
        (
            recovery(taken_over_at=after(1), ended="by_person", ended_at=after(9)),
            Asked(out=True),
            "Its worker was killed by signal 9 at 13:20:11 UTC; taken over after 1 s, a call was "
            "out and its outcome was not known, nothing was sent again; "
            "a person decided how it goes on.",
        ),
        (
            recovery(ended="interrupted", ended_at=after(2)),
            Asked(),
            "Its worker was killed by signal 9 at 13:20:11 UTC; nothing was sent again; "
            "interrupted again before it got further.",
        ),
    ],
)
def test_it_is_told_in_one_sentence(told: Recovery, asked: Asked, expected: str) -> None:
    assert sentence(told, asked) == expected


def attempt(number: int, sent: float, settled: float | None = None) -> Attempt:
    settled_at = None if settled is None else after(settled)
    return Attempt(number=number, dispatched_at=after(sent), settled_at=settled_at)


def look_up(pk: int, answer: str, at: float) -> LookUp:
    return LookUp(pk=pk, answer=answer, at=after(at))


def test_only_what_happened_while_it_went_on_belongs_to_it() -> None:
    attempts = [attempt(1, -1, 0.5), attempt(2, 0.8), attempt(3, 5)]
    look_ups = [look_up(1, "first_seen", 0.4), look_up(2, "absent", 0.5), look_up(3, "found", 4)]
    found = asked_during(WHOLE, attempts, look_ups)
    assert found == Asked(out=True, look_ups=1, answer="absent", sent=1, sent_again=1)


def test_a_call_settled_before_the_interruption_was_not_out() -> None:
    assert not asked_during(WHOLE, [attempt(1, -2, -1)], []).out


def test_it_took_from_the_notice_to_the_next_boundary() -> None:
    assert seconds(WHOLE) == pytest.approx(1.2)
    assert seconds(recovery(ended="by_person", ended_at=after(9))) is None
