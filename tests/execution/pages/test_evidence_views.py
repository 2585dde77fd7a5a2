"""The evidence tab: the three numbers of a run, counted as its evidence file counts them."""

import json

import pytest

from checkpoints import runs
from checkpoints.models import Run
from reconciliation.evidence import counted
from reconciliation.evidence.exporting import export
from reconciliation.evidence.snapshots import About
from tenants.actors import Actor
from tests.engine.turns import Bench
from tests.execution.pages.visits import page_of, signed_in, words

pytestmark = pytest.mark.django_db(transaction=True)
SWEEPER = Actor.machine("sweeper")


def page(engine: Bench, run: Run) -> str:
    return words(signed_in(engine.starter).get(page_of(engine, run, "evidence/")))


def test_a_quiet_run_has_nothing_to_measure(engine: Bench) -> None:
    said = page(engine, engine.start())
    assert "never interrupted" in said
    assert "nothing to measure" in said
    assert "checked 0 of 0 effects" in said


def test_page_and_file_say_the_same_three_numbers(engine: Bench) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    engine.decide(run)
    lease = engine.acquire()
    assert runs.lapse(run.pk, fence=lease.fence, why="killed", actor=SWEEPER)
    fault = engine.fault("drop_answer")
    engine.turn()
    fault.unlink()
    content = export(About.run(run), actor=Actor.person(engine.approver), whole=False)
    assert json.loads(content)["numbers"] == counted.of(run)
    said = page(engine, run)
    assert "1 of 1" in said
    assert "found none" in said
    assert "checked 1 of 1 effects; 1 found there and not sent again" in said


def test_a_run_with_very_many_effects_is_counted_in_the_file_only(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    monkeypatch.setattr(counted, "MOST_ACTIONS", 0)
    assert "too many effects to count on a page" in page(engine, run)
