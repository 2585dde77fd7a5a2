"""Workers and the sweeper on tables of another release: they wait, or drain and end."""

import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from checkpoints.graph import COMPUTE, Context, State, To
from checkpoints.models import Recovery, Run
from execution import horse, sweeper, worker
from execution.models import Process
from execution.pages import machine
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install, returns
from tests.forks import Child, fork
from tests.ground import wait_for
from tests.othertables import newer_tables, older_tables

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def running() -> Iterator[list[Child]]:
    """Processes to be ended with the test."""
    children: list[Child] = []
    yield children
    for child in children:
        child.end()


def begin_worker(running: list[Child]) -> Child:
    running.append(fork(partial(worker.work, "test")))
    return running[-1]


def test_a_horse_takes_up_nothing_on_tables_of_another_release(engine: Bench) -> None:
    run = engine.start()
    for other in (newer_tables, older_tables):
        with other():
            assert horse.take_turns(uuid4()) == 0
        run.refresh_from_db()
        assert (run.status, run.fence) == ("queued", 0)
    assert horse.take_turns(uuid4()) == 1


def test_an_older_worker_finishes_what_is_in_flight_and_ends(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, running: list[Child]
) -> None:
    def until_draining(state: State, context: Context) -> To:
        (tmp_path / "started").touch()
        while not horse._draining:
            time.sleep(0.005)
        return To("second", state)

    made = graph()
    made.node("first", COMPUTE, to=["second"])(until_draining)
    made.node("second", COMPUTE, to=["end"])(returns({}))
    install(monkeypatch, made)
    engine.start("odd")
    child = begin_worker(running)
    wait_for((tmp_path / "started").exists, "the node works")
    with newer_tables():
        assert child.wait() == 0
    run = Run.objects.get()
    assert (run.status, run.reason, run.head, run.attempts) == ("queued", "yielded", 1, 0)
    assert not Recovery.objects.exists()
    assert not Process.objects.exists()


def test_an_older_worker_that_is_idle_ends_and_takes_up_nothing(
    engine: Bench, running: list[Child]
) -> None:
    child = begin_worker(running)
    wait_for(Process.objects.exists, "the worker is there")
    engine.start()
    wait_for(lambda: Run.objects.get().status == "succeeded", "it works")
    with newer_tables():
        assert child.wait() == 0
    assert not Process.objects.exists()


def test_a_newer_worker_waits_for_the_migration_says_so_and_begins_by_itself(
    engine: Bench, running: list[Child]
) -> None:
    run = engine.start()
    with older_tables():
        child = begin_worker(running)
        wait_for(Process.objects.exists, "it says that it waits")
        (alive,) = machine.processes()
        assert "0001_record is missing" in alive.said
        assert "manage.py migrate" in alive.said
        run.refresh_from_db()
        assert run.fence == 0
    wait_for(lambda: Run.objects.get().status == "succeeded", "it begins")
    child.send(signal.SIGTERM)
    assert child.wait() == 0


def test_a_worker_that_waits_can_be_ended(running: list[Child], engine: Bench) -> None:
    with older_tables():
        child = begin_worker(running)
        wait_for(Process.objects.exists, "it waits")
        child.send(signal.SIGTERM)
        child.wait()
        assert not Process.objects.exists()


def test_an_older_worker_does_not_start(running: list[Child], engine: Bench) -> None:
    with newer_tables():
        assert begin_worker(running).wait() == 1
    assert not Process.objects.exists()


def test_an_older_sweeper_ends(engine: Bench) -> None:
    with newer_tables(), pytest.raises(SystemExit, match=r"newer than this code.*9999_of_the_next"):
        sweeper.run_forever("sweeper", lambda: False)


def test_a_sweeper_ends_once_it_is_overtaken(engine: Bench, running: list[Child]) -> None:
    child = fork(partial(sweeper.run_forever, "sweeper", lambda: False))
    running.append(child)
    wait_for(Process.objects.exists, "it sweeps")
    with newer_tables():
        assert child.wait() == 0
    assert not Process.objects.exists()
