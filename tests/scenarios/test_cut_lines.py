"""S127: the line to PostgreSQL is cut at a commit, and nobody can know what became of it."""

from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import pytest

from checkpoints import reading
from checkpoints.models import Case, Event, Run
from execution import horse, sweeper
from reconciliation.models import Receipt
from tenants import pipelines
from tests.chaos.instruments import lines, upstreams
from tests.chaos.instruments.lines import AFTER, BEFORE, RACING, SILENCE, At, Line
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.runs import full, head
from tests.forks import Child, fork

pytestmark = pytest.mark.django_db(transaction=True)

UNDISTURBED = {"at": 3, "heard": [["happened", ""]], "sum": 6, "thought": "3 steps"}
PLACES = {
    "step": At(lines.CHECKPOINT, skip=2),
    "proposal": At(lines.CHECKPOINT, skip=5),
    "question": At(lines.COMMIT, within=lines.QUESTION),
    "intent": At(lines.COMMIT, within=lines.INTENT),
    "receipt": At(lines.RECEIPT),
}


@pytest.fixture
def line() -> Iterator[Line]:
    with upstreams.before_postgres() as found:
        yield found


def turns_behind(line: Line) -> Child:
    """A horse whose connections all go through the line."""

    def act() -> None:
        upstreams.go_through(line)
        horse.take_turns(uuid4())

    return fork(act)


def finish(run: Run) -> None:
    """What sweeper and workers do: find who is gone, and go on."""
    sweeper.sweep()
    horse.take_turns(uuid4())
    assert full(run).status == "succeeded", full(run).sentence


def no_trace_of_two(run: Run) -> None:
    assert len(effects()) == 1
    assert {name: head(run)[name] for name in UNDISTURBED} == UNDISTURBED
    assert reading.verify_run(full(run)) == []
    assert Receipt.objects.count() == 1
    assert not Case.objects.exists()


@pytest.mark.parametrize(
    ("place", "when"),
    [
        *((place, when) for place in PLACES for when in (BEFORE, AFTER)),
        ("intent", RACING),
        ("step", RACING),
    ],
)
def test_s127_what_became_of_a_commit_is_found_out_and_nothing_is_done_twice(
    engine: Bench, line: Line, place: str, when: str
) -> None:
    run = engine.start(tool="fake.void", what="a")
    if place in ("intent", "receipt"):
        engine.turn()
        engine.decide(run)
    number = line.cut(replace(PLACES[place], when=when))
    assert turns_behind(line).wait() == 0
    assert line.fired(number) == 1
    assert Event.objects.filter(run_id=run.id, what="interrupted").exists()
    if place not in ("intent", "receipt"):
        horse.take_turns(uuid4())
        engine.decide(run)
    finish(run)
    no_trace_of_two(run)


@pytest.mark.parametrize("when", [BEFORE, AFTER])
def test_a_commit_whose_line_falls_silent_is_given_up_though_the_lease_is_renewed(
    engine: Bench, line: Line, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """The connection that renews it is another one; without an end to waiting it would go on."""
    monkeypatch.setattr(pipelines, "ANSWER_SECONDS", 1.0)
    run = engine.start(steps=3)
    number = line.cut(At(lines.CHECKPOINT, when, SILENCE, skip=2))
    assert turns_behind(line).wait() == 0
    assert line.fired(number) == 1
    assert full(run).status == "succeeded"
    assert reading.verify_run(full(run)) == []
    assert Event.objects.get(run_id=run.id, what="interrupted").detail["why"]
