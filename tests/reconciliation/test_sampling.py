"""Confirmed effects looked up again: once is noted, twice is a person's matter."""

import pytest

from checkpoints.models import Case, Run
from execution import samplers
from reconciliation import sampling
from reconciliation.doors.models import Door
from reconciliation.models import Action, LookUp
from reconciliation.tools import Absent, Capabilities, Found, Unanswered
from tenants import clock
from tests.checkpoints.records import by_force, judge_now
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
    done: Action, settings: object
) -> None:
    samplers._pace.forget()
    assert samplers.sample() == 0
    settings.KEDGE_SAMPLES_PER_MINUTE = 1  # type: ignore[attr-defined]
    assert samplers.sample() == 1
    assert samplers.sample() == 0
    assert samplers.wait(30)
    assert LookUp.objects.get().detail == "sample: count 1"


def test_nobody_asks_through_a_closed_door(done: Action) -> None:
    closed = {"closed_at": clock.now(), "closed_by": "Ada", "why": "silent", "by_hand": True}
    door = Door.objects.create(tenant=done.tenant, tool=done.tool, **closed)
    assert sampling.due(5) == []
    Door.objects.filter(pk=door.pk).update(closed_at=None, closed_by="", why="", by_hand=False)
    assert [each.pk for each in sampling.due(5)] == [done.pk]


def test_what_is_long_ago_or_of_a_shadow_is_not_sampled(done: Action) -> None:
    for of in ({"settled_at": clock.now() - sampling.YOUNG * 2}, {"mode": "shadow"}):
        with by_force():
            Action.objects.filter(pk=done.pk).update(**of)
        assert sampling.due(5) == []
        with by_force():
            Action.objects.filter(pk=done.pk).update(mode="live", settled_at=done.settled_at)
        assert len(sampling.due(5)) == 1


def test_a_target_that_cannot_be_asked_is_left_alone(
    done: Action, tool: Odd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "capabilities_for", lambda *_: Capabilities())
    assert sampling.check(done) == ""
    assert tool.asked == []
    assert not LookUp.objects.exists()
