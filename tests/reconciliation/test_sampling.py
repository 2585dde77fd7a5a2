"""Confirmed effects looked up again: once is noted, twice is a person's matter."""

import pytest

from checkpoints.models import Case, Run
from execution import samplers
from reconciliation import sampling
from reconciliation.models import Action, LookUp
from reconciliation.tools import Absent, Found, Unanswered
from tests.checkpoints.records import judge_now
from tests.engine.turns import Bench
from tests.execution.runs import full
from tests.reconciliation.oddtools import Odd, put

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Odd:
    return put(monkeypatch, "fake.look_up")


@pytest.fixture
def done(engine: Bench, tool: Odd) -> Action:
    """An effect that happened, in a run that ended."""
    run = engine.start(tool="fake.look_up", what="a", steps=1)
    engine.turn()
    engine.decide(run)
    engine.turn()
    tool.asked.clear()
    return Action.objects.select_related("tenant", "run").get(run=run)


def test_what_happened_and_was_not_looked_up_since_is_due_once(done: Action, tool: Odd) -> None:
    assert [each.pk for each in sampling.due(5)] == [done.pk]
    assert sampling.check(done) == "found"
    look_up = LookUp.objects.get(attempt__action=done)
    assert (look_up.answer, look_up.detail) == ("found", "sample: count 1")
    assert tool.asked == ["look_up"]
    assert sampling.due(5) == []
    assert not Case.objects.exists()


def test_what_is_there_twice_becomes_a_case_also_of_an_ended_run(done: Action, tool: Odd) -> None:
    was = full(done.run).status
    tool.looking_up = lambda _: Found(b"{}", count=2)
    assert sampling.check(done) == "found"
    judge_now()
    case = Case.objects.get(run=done.run)
    assert (case.kind, case.facts["count"], case.action_id) == ("duplicate_effect", 2, done.pk)
    assert full(done.run).status == was


def test_what_is_gone_is_noted_and_nobody_is_called(done: Action, tool: Odd) -> None:
    tool.looking_up = lambda _: Absent()
    assert sampling.check(done) == "absent"
    assert LookUp.objects.get(attempt__action=done).detail == "sample: count 0"
    assert not Case.objects.exists()


def test_silence_says_nothing_and_is_asked_another_time(done: Action, tool: Odd) -> None:
    def silent(_: object) -> Found:
        raise Unanswered("away")

    tool.looking_up = silent
    assert sampling.check(done) == ""
    assert not LookUp.objects.exists()
    assert [each.pk for each in sampling.due(5)] == [done.pk]


def test_a_tool_that_cannot_be_asked_is_never_chosen(engine: Bench) -> None:
    run = engine.start(tool="fake.nothing", what="a", steps=1)
    engine.turn()
    engine.decide(run)
    engine.turn()
    assert Action.objects.get().outcome == "happened"
    assert sampling.due(5) == []


def test_what_is_not_settled_is_not_sampled(engine: Bench, tool: Odd) -> None:
    run = engine.start(tool="fake.look_up", what="a")
    engine.turn()
    assert Run.objects.get(pk=run.pk).status == "waiting"
    assert sampling.due(5) == []


def test_the_sweeper_samples_at_its_rate_and_not_at_all_at_none(
    done: Action, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samplers, "_next_at", 0.0)
    assert samplers.sample() == 0
    settings.KEDGE_SAMPLES_PER_MINUTE = 1  # type: ignore[attr-defined]
    assert samplers.sample() == 1
    assert samplers.sample() == 0
    assert samplers.wait(30)
    assert LookUp.objects.get().detail == "sample: count 1"
