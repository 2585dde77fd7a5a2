"""The story of a run: in order, grouped, with every effect, question, recovery and wait."""

import pytest

from checkpoints import runs
from checkpoints.models import Run
from execution.pages import timeline as told
from execution.pages.timeline import timeline
from tenants.actors import Actor
from tests.engine.turns import Bench

WORKER = Actor.machine("worker")


def fresh(run: Run) -> Run:
    return Run.objects.select_related("tenant", "combo").get(pk=run.pk)


def titles(run: Run, **options: int) -> list[str]:
    items = timeline(fresh(run), **options).items
    return [item.event.title for item in items if item.event is not None]


def test_neighbouring_checkpoints_of_one_node_are_one_line(engine: Bench) -> None:
    run = engine.start(steps=5)
    engine.turn()
    assert titles(run) == ["Started", "look", "count \u00d75", "Model asked", "think", "Ended"]


def test_an_interruption_splits_a_group_and_is_told_once(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = engine.start(steps=3)
    lease = engine.acquire()
    runs.lapse(run.id, fence=lease.fence, why="its worker was killed by signal 9", actor=WORKER)
    engine.turn()
    lines = titles(run)
    assert sum(line.startswith("Its worker was killed") for line in lines) == 1
    assert "Interrupted" not in lines
    assert lines.index("Started") < next(n for n, line in enumerate(lines) if "killed" in line)


@pytest.mark.django_db(transaction=True)
def test_an_effect_is_told_from_proposal_to_outcome(engine: Bench) -> None:
    run = engine.start(steps=1, tool="fake.void", what="a")
    engine.turn()
    engine.decide(run)
    engine.turn()
    assert titles(run) == [
        "Started",
        "look",
        "count",
        "Model asked",
        "think",
        "act",
        "Asked for approval: write a-0",
        "Approved",
        "Sent: write a-0",
        "write a-0",
        "act",
        "Ended",
    ]
    texts = {item.event.text for item in timeline(fresh(run)).items if item.event is not None}
    assert "checkpoint 4: proposed: write a-0" in texts
    assert "checkpoint 5: took in what became of: write a-0" in texts


@pytest.mark.django_db(transaction=True)
def test_a_lost_answer_and_the_look_up_are_told(engine: Bench) -> None:
    run = engine.start(steps=1, tool="fake.look_up", what="a")
    engine.turn()
    engine.fault("drop_answer")
    engine.decide(run)
    engine.turn()
    lines = titles(run)
    assert "No answer that counts: what happened is not known" in lines
    settled = [
        item.event for item in timeline(fresh(run)).items if item.event and item.event.status
    ]
    assert settled[0].status == "happened"
    assert settled[0].text == "Found out by asking the tool; nothing was sent again."


def test_a_no_is_told_with_its_reason(engine: Bench) -> None:
    run = engine.start(steps=1, tool="fake.void", what="a")
    engine.turn()
    engine.decide(run, "reject", "not like this")
    entries = [item.event for item in timeline(fresh(run)).items if item.event is not None]
    rejected = next(entry for entry in entries if entry.title == "Rejected")
    assert (rejected.text, rejected.by) == ("not like this", "Dee")


def test_long_stretches_are_folded_and_days_are_named(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = engine.start(steps=1)
    engine.turn()
    monkeypatch.setattr(told, "LONG_SECONDS", 0.000001)
    kinds = [item.kind for item in timeline(fresh(run)).items]
    assert kinds[0] == "day"
    assert "gap" in kinds


def test_an_earlier_stretch_has_what_happened_in_it_and_nothing_else(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(told, "MOST_STEPS", 2)
    run = engine.start(steps=4)
    engine.turn()
    newest = timeline(fresh(run))
    assert (titles(run), newest.earlier) == (["count", "Model asked", "think", "Ended"], 5)
    assert titles(run, before=5) == ["count \u00d72"]
    assert titles(run, before=3) == ["Started", "look", "count"]
    assert timeline(fresh(run), before=3).earlier is None


def test_events_left_out_are_said_to_be(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told, "MOST", 1)
    run = engine.start(steps=1)
    engine.turn()
    assert timeline(fresh(run)).cut
    assert "Started" not in titles(run)
