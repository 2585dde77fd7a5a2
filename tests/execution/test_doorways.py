"""Doors under the whole engine: closed by silence, probed one at a time, gone through at a pace."""

from datetime import timedelta

import pytest
from django.db.models import F
from pytest_django import Settings

from checkpoints.models import Case, Run
from execution import doorways, sweeper
from reconciliation.doors import moving
from reconciliation.doors.models import Door
from reconciliation.models import Action, Attempt, LookUp
from reconciliation.tools import Absent, Unanswered
from tenants import access
from tests.checkpoints.records import by_force
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.runs import due, waiting
from tests.reconciliation.doors.silence import door, probe_due
from tests.reconciliation.oddtools import Odd, put

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def two_in_a_row(settings: Settings) -> None:
    settings.KEDGE_DOOR_UNKNOWNS = 2
    settings.KEDGE_DOOR_RUNS_PER_MINUTE = 2


def approved(engine: Bench, count: int, tool: str) -> list[Run]:
    runs = [waiting(engine, tool) for _ in range(count)]
    for run in runs:
        engine.decide(run)
    return runs


def outage(engine: Bench, odd: Odd, count: int) -> list[Run]:
    """So many approved effects meet a tool that takes calls and answers nothing."""
    runs = approved(engine, count, odd.name)
    odd.lose_the_request()
    engine.fault("silent")
    for _ in runs:
        engine.turn()
    return runs


def back(engine: Bench, odd: Odd) -> None:
    odd.performing = odd.looking_up = None
    (engine.world / "fault-silent").unlink()


def probe() -> int:
    probe_due()
    started = doorways.probe()
    assert doorways.wait(20)
    return started


def passed(seconds: float) -> None:
    Door.objects.update(paced_at=F("paced_at") - timedelta(seconds=seconds))


def reasons() -> list[str]:
    return sorted(Run.objects.values_list("reason", flat=True))


def test_after_the_row_nothing_is_sent_and_nobody_is_called(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = put(monkeypatch, "fake.look_up")
    runs = outage(engine, odd, 4)
    assert odd.asked.count("perform") == 2
    # The second unknown closes it before anybody looks that one up.
    assert reasons() == ["for_door", "for_door", "for_door", "for_look_up"]
    waits = Run.objects.filter(reason="for_door")
    assert all(run.sentence.startswith("The door of fake.look_up is closed") for run in waits)
    assert all(run.holder is None for run in waits)
    assert waits.filter(due_at=None).count() == 2
    for run in runs[:2]:
        due(run)
        engine.turn()
    assert odd.asked.count("look_up") == 1  # once before it closed, and never through it
    assert reasons() == ["for_door"] * 4
    assert not Case.objects.exists()


def test_probes_go_one_at_a_time_at_their_rate_until_one_is_answered(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = put(monkeypatch, "fake.look_up")
    outage(engine, odd, 4)
    odd.asked.clear()
    assert doorways.probe() == 0  # not yet
    assert probe() == 1
    assert odd.asked == ["look_up"]
    assert door(engine, odd.name).is_closed
    back(engine, odd)
    odd.asked.clear()
    assert probe() == 1
    assert odd.asked == ["look_up"]
    opened = door(engine, odd.name)
    assert (opened.is_closed, opened.opened_by) == (False, "sweeper")


def test_when_it_opens_runs_go_on_at_a_pace_and_each_effect_happens_once(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = put(monkeypatch, "fake.void")
    runs = outage(engine, odd, 4)
    back(engine, odd)
    probe()
    assert doorways.let_go_on() == 0
    passed(35)
    assert doorways.let_go_on() == 1
    for _ in range(4):
        passed(35)
        doorways.let_go_on()
    for run in Run.objects.filter(status__in=["queued", "waiting"]):
        due(run)
        engine.turn()
    assert {run.status for run in Run.objects.filter(id__in=[each.id for each in runs])} == {
        "succeeded"
    }
    assert len(effects()) == 4
    assert not Case.objects.exists()
    assert door(engine, odd.name).silent == []


def test_a_tool_that_cannot_be_asked_gets_one_single_effect(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = put(monkeypatch, "fake.keyed")
    outage(engine, odd, 4)
    for run in Run.objects.filter(reason="for_look_up"):
        due(run)
        engine.turn()
    assert reasons() == ["for_door"] * 4
    odd.asked.clear()
    assert probe() == 1
    assert Run.objects.filter(status="queued").count() == 1
    engine.turn()
    assert odd.asked == ["perform"]
    assert door(engine, odd.name).let_through is None
    assert door(engine, odd.name).is_closed
    back(engine, odd)
    probe()
    engine.turn()
    assert doorways.probe() == 1
    assert not door(engine, odd.name).is_closed
    assert len(effects()) == 1


def test_what_cannot_be_seen_closes_the_door_before_anything_is_sent(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = put(monkeypatch, "fake.look_up")
    approved(engine, 4, odd.name)

    def gone(_: object) -> None:
        raise Unanswered("nobody there", retry_after=1)

    monkeypatch.setattr(odd, "dry_run", gone)
    odd.looking_up = gone  # type: ignore[assignment]
    for _ in range(4):
        engine.turn()
    assert reasons() == ["for_door", "for_door", "for_retry", "for_retry"]
    assert not Attempt.objects.exists()
    # Nothing is unknown: a probe asks about what was never sent.
    odd.asked.clear()
    probe()
    assert odd.asked == ["look_up"]
    assert door(engine, odd.name).is_closed
    odd.looking_up = lambda _: Absent()
    probe()
    assert not door(engine, odd.name).is_closed


def test_patience_that_ends_behind_a_door_calls_a_person_and_a_probe_sends_them_home(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = put(monkeypatch, "fake.void")
    odd.patience_seconds = 1  # type: ignore[attr-defined]
    runs = outage(engine, odd, 2)
    with by_force():
        LookUp.objects.update(at="2020-01-01T00Z")
        Attempt.objects.update(dispatched_at="2020-01-01T00Z")
    for run in runs:
        due(run)
        engine.turn()
    assert Case.objects.filter(kind="outcome_unknown", closed_at=None).count() == 2
    back(engine, odd)
    probe()
    assert Case.objects.filter(closed_at=None).count() == 1


def test_a_door_closed_by_hand_is_probed_by_nobody(engine: Bench) -> None:
    access.grant(engine.tenant, engine.starter, "operate_runs")
    moving.close_by_hand(engine.tenant, "fake.void", why="x", user=engine.starter)
    approved(engine, 0, "fake.void")
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    run.refresh_from_db()
    assert run.reason == "for_door"
    assert probe() == 0
    moving.open_by_hand(engine.tenant, "fake.void", why="y", user=engine.starter)
    passed(35)
    assert doorways.let_go_on() == 1
    engine.turn()
    assert Action.objects.get(run=run).stands == "proposed"


def test_the_sweeper_does_all_of_it(engine: Bench) -> None:
    assert {"probe doors", "let through doors", "ask again"} <= sweeper.sweep().keys()
