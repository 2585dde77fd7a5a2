"""Night 4: a worker that renews and does nothing loses its run to a person, and writes nothing more."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from pytest_django import Settings

from checkpoints import revoking
from checkpoints.graph import COMPUTE, END, Context, Node, State, To
from checkpoints.models import Checkpoint, Event, Recovery, Run
from execution import horse
from reconciliation.models import Action, Attempt
from reconciliation.tools import Call, Sent
from tenants.actors import Actor
from tests.engine.faketools import Fake, effects
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install
from tests.execution.runs import full, waiting
from tests.forks import Child, fork
from tests.ground import wait_for
from tests.reconciliation.oddtools import put

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stalled() -> Iterator[list[Child]]:
    children: list[Child] = []
    yield children
    for child in children:
        child.end()


class Gate:
    """Where the first process that comes by hangs until it is let go; others pass."""

    def __init__(self, folder: Path) -> None:
        self.came, self.open = folder / "came", folder / "open"

    def pass_or_hang(self) -> None:
        try:
            self.came.touch(exist_ok=False)
        except FileExistsError:
            return
        while not self.open.exists():
            time.sleep(0.01)  # this process has hung: it is what the test is about


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


@pytest.fixture
def run(engine: Bench, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run whose second node hangs."""

    def first(state: State, context: Context) -> To:
        return To("second", {"by": "first"})

    def second(state: State, context: Context) -> To:
        gate.pass_or_hang()
        return To(END, {"by": "second"})

    made = graph()
    made.add(Node("first", COMPUTE, ("second",), run=first))
    made.add(Node("second", COMPUTE, (END,), run=second))
    install(monkeypatch, made)
    return engine.start("odd")


def take_turns() -> int:
    return horse.take_turns(uuid4())


def hang(stalled: list[Child], gate: Gate) -> Child:
    """A horse that has the run and hangs in it, its keeper renewing."""
    child = fork(take_turns)
    stalled.append(child)
    wait_for(gate.came.exists, "the worker hangs")
    return child


def revoke(run: Run, engine: Bench) -> Run:
    return revoking.revoke(run.pk, reason="it hangs", actor=Actor.person(engine.starter))


def test_it_renews_and_does_nothing_until_a_person_takes_the_run_from_it(
    engine: Bench, settings: Settings, run: Run, gate: Gate, stalled: list[Child]
) -> None:
    settings.KEDGE_LEASE_SECONDS = 2
    hang(stalled, gate)
    before = full(run)
    wait_for(lambda: full(run).lease_until != before.lease_until, "the lease is renewed")
    assert full(run).head == before.head
    after = revoke(run, engine)
    assert (after.status, after.reason, after.holder) == ("queued", "interrupted", None)
    assert after.fence == before.fence + 1
    assert take_turns() == 1
    assert (full(run).status, full(run).fence) == ("succeeded", before.fence + 2)


def test_what_it_still_writes_is_refused(
    engine: Bench, settings: Settings, run: Run, gate: Gate, stalled: list[Child]
) -> None:
    settings.KEDGE_LEASE_SECONDS = 60  # it lives until the test lets it go
    worker = hang(stalled, gate)
    fence = full(run).fence
    revoke(run, engine)
    gate.open.touch()
    assert worker.wait() == 0
    # Whatever it wrote, it wrote before: the node it hung in is not in the record.
    written = Checkpoint.objects.filter(run=run, fence=fence).values_list("node", flat=True)
    assert "second" not in written
    assert full(run).status == "queued" or full(run).fence > fence + 1
    take_turns()
    assert full(run).status == "succeeded"
    assert Checkpoint.objects.filter(run=run, node="second").count() == 1


def test_an_effect_that_was_out_is_found_out_and_happens_once(
    engine: Bench,
    settings: Settings,
    gate: Gate,
    stalled: list[Child],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.KEDGE_LEASE_SECONDS = 60
    tool = put(monkeypatch, "fake.void")
    tool.budget_seconds = 60
    perform = Fake.perform

    def slow(self: Fake, call: Call) -> Sent:
        gate.pass_or_hang()
        return perform(self, call)

    monkeypatch.setattr(Fake, "perform", slow)
    run = waiting(engine, "fake.void")
    engine.decide(run)
    worker = hang(stalled, gate)
    assert full(run).effect_in_flight is not None
    revoke(run, engine)
    # It stays in flight: nothing more is sent before somebody asked what became of it.
    assert full(run).effect_in_flight is not None
    assert Attempt.objects.get().outcome == ""
    take_turns()
    gate.open.touch()
    assert worker.wait() == 0
    assert len(effects()) == 1
    assert full(run).status == "succeeded"
    assert Action.objects.get().outcome == "happened"


def test_it_stands_in_the_history_and_opens_a_recovery(
    engine: Bench, run: Run, gate: Gate, stalled: list[Child]
) -> None:
    hang(stalled, gate)
    fence = full(run).fence
    revoke(run, engine)
    event = Event.objects.get(run_id=run.pk, what="revoked")
    assert (event.actor, event.detail["why"], event.detail["fence"]) == ("Ada", "it hangs", fence)
    recovery = Recovery.objects.get(run=run)
    assert (recovery.interrupted_fence, recovery.ended) == (fence, "")
    take_turns()
    assert Recovery.objects.get(run=run).ended == "recovered"


@pytest.mark.parametrize(("point", "taken"), [("revoke:before", False), ("revoke:after", True)])
def test_killed_around_its_boundary_a_run_is_taken_or_not_and_asked_again_is_taken_once(
    engine: Bench, point: str, taken: bool
) -> None:
    run = engine.start()
    engine.acquire()
    who = Actor.person(engine.starter)

    def take() -> None:
        revoking.revoke(run.id, reason="It hangs.", actor=who)

    assert fork(take, KEDGE_KILL_AT=f"{point}@1").wait() == -signal.SIGKILL
    assert (full(run).status, full(run).fence) == (("queued", 2) if taken else ("running", 1))
    if not taken:
        take()
    assert (full(run).status, full(run).fence) == ("queued", 2)
    assert Recovery.objects.filter(run=run).count() == 1
    assert Event.objects.filter(run=run, what="revoked").count() == 1
