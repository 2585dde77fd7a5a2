"""What a work-horse does with its life: turns, drains, and lets go when it looks dead."""

import os
import signal
import time
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import OperationalError
from pytest_django import Settings
from redis import Redis

from checkpoints.graph import COMPUTE, Context, State, To
from checkpoints.models import Checkpoint, Event, Recovery, Run
from checkpoints.wakeups import QUEUE
from execution import horse, sweeper
from tenants.database import execute
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install, raises, single
from tests.execution.test_keeper import END_THE_KEEPER
from tests.forks import fork
from tests.ground import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def take_turns() -> int:
    return horse.take_turns(uuid4())


def kill_this_process(state: State, context: Context) -> To:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


def test_a_horse_takes_every_due_run_and_says_how_many(engine: Bench) -> None:
    for _ in range(3):
        engine.start(steps=2)
    assert take_turns() == 3
    assert Run.objects.filter(status="succeeded", fence=1).count() == 3
    assert take_turns() == 0


def test_a_horse_keeps_one_holder_for_all_its_leases(engine: Bench) -> None:
    engine.start(tool="fake.void", what="a")
    holder = uuid4()
    horse.take_turns(holder)
    assert Run.objects.get().holder is None
    assert Event.objects.filter(what="interrupted").count() == 0


def test_a_turn_that_ends_badly_gives_the_lease_away_at_once(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database error in a node is nobody's answer: whoever takes over reads back."""
    single(monkeypatch, raises(OperationalError("server closed the connection")))
    engine.start("odd")
    assert fork(take_turns).wait() == 0
    run, recovery = Run.objects.get(), Recovery.objects.order_by("id").first()
    assert (run.status, run.reason, run.holder) == ("queued", "interrupted", None)
    assert recovery is not None
    assert recovery.why.startswith("its worker met OperationalError: server closed")


def test_one_bad_run_does_not_keep_others_from_their_turn(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    single(monkeypatch, raises(KeyError("x")))
    bad, good = engine.start("odd"), engine.start(steps=2)
    assert take_turns() == 2
    assert Run.objects.get(pk=bad.pk).status == "held"
    assert Run.objects.get(pk=good.pk).status == "succeeded"


def test_sigusr1_drains_at_the_next_boundary(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started = tmp_path / "started"

    def until_draining(state: State, context: Context) -> To:
        started.touch()
        while not horse._draining:
            time.sleep(0.005)
        return To("second", state)

    made = graph()
    made.node("first", COMPUTE, to=["second"])(until_draining)
    made.node("second", COMPUTE, to=["end"])(raises(AssertionError("begun while draining")))
    install(monkeypatch, made)
    engine.start("odd")
    child = fork(take_turns)
    wait_for(started.exists, "the node has begun")
    child.send(signal.SIGUSR1)
    assert child.wait() == 0
    run = Run.objects.get()
    assert (run.status, run.reason, run.head) == ("queued", "yielded", 1)
    assert (run.attempts, run.holder) == (0, None)
    assert not Recovery.objects.exists()


def test_a_draining_horse_takes_no_new_run(engine: Bench, tmp_path: Path) -> None:
    engine.start(steps=2)

    def drained() -> None:
        horse.drain(signal.SIGUSR1, None)
        (tmp_path / "taken").write_text(str(take_turns()))

    assert fork(drained).wait() == 0
    assert (tmp_path / "taken").read_text() == "0"
    assert Run.objects.get().fence == 0


def test_rule_7_a_horse_that_lost_its_lock_begins_nothing_new(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.KEDGE_LEASE_SECONDS = 1

    def lose_the_lock(state: State, context: Context) -> To:
        execute(END_THE_KEEPER, {})
        return To("on", state)

    def on_and_on(state: State, context: Context) -> To:
        time.sleep(0.01)
        return To("on", {"n": state.get("n", 0) + 1})

    made = graph()
    made.node("first", COMPUTE, to=["on"])(lose_the_lock)
    made.node("on", COMPUTE, to=["on"])(on_and_on)
    install(monkeypatch, made)
    first, second = engine.start("odd"), engine.start(steps=2)
    Run.objects.filter(pk=first.pk).update(due_at="2020-01-01T00Z")
    child = fork(take_turns)
    assert child.wait() in (0, -signal.SIGKILL)
    assert Checkpoint.objects.filter(run_id=first.id).exists()
    assert Run.objects.get(pk=first.pk).status in ("queued", "running")
    assert Run.objects.get(pk=second.pk).fence == 0


def test_a_turn_is_over_when_others_wait_and_its_time_is_up(
    engine: Bench, settings: Settings, doorbell: Redis
) -> None:
    settings.KEDGE_TURN_SECONDS = 0.2
    long = engine.start(steps=100_000)
    Run.objects.filter(pk=long.pk).update(due_at="2020-01-01T00Z")
    engine.start(steps=2)
    doorbell.flushdb()
    assert fork(take_turns).wait() == 0
    run = Run.objects.get(pk=long.pk)
    assert (run.status, run.reason) == ("queued", "yielded")
    assert run.head > 1
    assert doorbell.llen(f"rq:queue:{QUEUE}") == 1


def test_a_killed_horse_leaves_a_lease_that_the_sweeper_takes(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    single(monkeypatch, kill_this_process)
    engine.start("odd")
    assert fork(partial(horse.take_turns, uuid4())).wait() == -signal.SIGKILL
    assert Run.objects.get().status == "running"
    wait_for(lambda: sweeper.sweep()["lapse unlocked"] == 1, "PostgreSQL drops its lock")
    assert Run.objects.get().reason == "interrupted"
