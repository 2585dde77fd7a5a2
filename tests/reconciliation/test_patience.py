"""How long, and how often, a silent tool is asked again."""

from datetime import timedelta
from uuid import uuid4

from pytest_django import Settings

from reconciliation import patience
from reconciliation.tools import Capabilities, Unanswered
from tests.engine.faketools import Fake


def tool(seconds: int | None = None) -> Fake:
    made = Fake("fake", Capabilities(look_up=True))
    if seconds is not None:
        made.patience_seconds = seconds  # type: ignore[attr-defined]
    return made


def test_a_tool_may_declare_its_own_patience(settings: Settings) -> None:
    settings.KEDGE_PATIENCE_SECONDS = 1800
    assert patience.of(tool()) == timedelta(minutes=30)
    assert patience.of(tool(90)) == timedelta(seconds=90)


def test_waits_double_up_to_a_minute_and_are_spread_out() -> None:
    waits = [
        [patience.wait(n, who=uuid4()).total_seconds() for _ in range(50)] for n in range(1, 40)
    ]
    assert all(1 <= wait <= 1.25 for wait in waits[0])
    assert all(16 <= wait <= 20 for wait in waits[4])
    assert all(48 <= wait <= 60 for wait in waits[-1])
    assert all(len(set(each)) > 10 for each in waits)


def test_the_same_silence_waits_the_same_time() -> None:
    who = uuid4()
    assert patience.wait(3, who=who) == patience.wait(3, who=who)


def test_what_the_tool_asks_for_is_kept_to() -> None:
    assert patience.wait(1, who=uuid4(), at_least=90) == timedelta(seconds=90)
    assert patience.asked_for(Unanswered("busy", retry_after=90)) == 90
    assert patience.asked_for(TimeoutError()) == 0
    assert patience.asked_for(Unanswered("busy", retry_after=-1)) == 0


def test_silences_that_outlast_patience_are_counted_by_the_shortest_waits() -> None:
    assert patience.silences(tool(1)) == 1
    assert patience.silences(tool(7)) == 3
    assert patience.silences(tool(1800)) == 6 + (1800 - 63 + 47) // 48
