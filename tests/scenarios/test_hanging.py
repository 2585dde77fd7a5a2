"""What hangs, dies or is held up keeps neither its run nor those of others for good."""

import signal
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import connection
from pytest_django import Settings

from checkpoints import leases, runs
from checkpoints.graph import Context, State, To
from checkpoints.models import Recovery, Run
from checkpoints.registry import runnable_combos
from execution import horse, sweeper
from reconciliation.tools import Call, Sent
from tenants.actors import Actor
from tests.approvals.racing import LOOK_AFRESH, WAITING, run_locked
from tests.engine.faketools import Fake, effects
from tests.engine.turns import Bench
from tests.execution.graphs import single
from tests.execution.runs import full, waiting
from tests.forks import fork
from tests.ground import wait_for
from tests.reconciliation.oddtools import put

pytestmark = pytest.mark.django_db(transaction=True)

TAKE_TURNS = partial(horse.take_turns, uuid4())


def for_ever(state: State, context: Context) -> To:
    while True:
        signal.pause()


def test_s27_slots_of_the_dead_are_free_after_one_sweep(engine: Bench, settings: Settings) -> None:
    settings.KEDGE_TENANT_SLOTS = 2
    for _ in range(2):
        engine.start(steps=2)
        engine.acquire()
    engine.start(steps=2)
    assert leases.acquire(uuid4(), combos=runnable_combos()) is None
    assert sweeper.sweep()["lapse unlocked"] == 2
    assert TAKE_TURNS() == 3
    assert Run.objects.filter(status="succeeded").count() == 3


def test_s29_a_keeper_that_is_held_up_for_less_than_its_lease_loses_nothing(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    settings.KEDGE_LEASE_SECONDS = 12
    tool, gate = put(monkeypatch, "fake.look_up"), tmp_path / "gate"
    run = waiting(engine, "fake.look_up")
    engine.decide(run)

    def perform(call: Call) -> Sent:
        sent = Fake.perform(tool, call)
        wait_for(gate.exists, "the gate opens")
        return sent

    tool.budget_seconds, tool.performing = 60, perform
    child = fork(TAKE_TURNS)
    try:
        wait_for(lambda: len(effects()) == 1, "the effect is out")
        with run_locked(run.id):
            wait_for(renewal_waits, "the keeper is held up")
        gate.touch()
        assert child.wait() == 0
    finally:
        child.end()
    assert (full(run).status, full(run).fence, len(effects())) == ("succeeded", 2, 1)
    assert not Recovery.objects.exists()


def test_s31_a_run_that_hangs_is_cancelled_once_its_worker_is_ended(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    single(monkeypatch, for_ever, deadline_seconds=2)
    run = engine.start("odd")
    child = fork(TAKE_TURNS)
    wait_for(lambda: full(run).status == "running", "the node hangs")
    runs.request_cancel(run.id, why="wrong", actor=Actor.machine("Ada"))
    assert child.wait() == -signal.SIGKILL
    wait_for(lambda: sweeper.sweep()["lapse unlocked"] == 1, "its lease is given away")
    assert TAKE_TURNS() == 1
    assert (full(run).status, full(run).stop_reason) == ("cancelled", "cancelled_by_person")


def renewal_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(LOOK_AFRESH)
        cursor.execute(WAITING)
        return bool(cursor.fetchone()[0])
