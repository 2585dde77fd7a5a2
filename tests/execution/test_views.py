"""The System page: what it says of processes, queue, clocks and disks, and without Valkey."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from checkpoints import stops
from execution import processes
from execution.models import Process
from tenants.actors import Actor
from tests.engine.turns import Bench
from tests.execution.pages.visits import signed_in, words
from tests.people import bob, make_tenant


@pytest.fixture
def viewer(engine: Bench) -> Client:
    return signed_in(bob(engine.tenant))


def test_living_processes_are_told_from_silent_ones(engine: Bench, viewer: Client) -> None:
    said = words(viewer.get("/system/"))
    assert "No Workers none is alive Start one: manage.py work" in said
    processes.started("worker-1", "worker")
    processes.started("sweeper-1", "sweeper")
    processes.seen("sweeper-1", took_ms=12, did={"ring due": 3})
    said = words(viewer.get("/system/"))
    assert "Yes Workers 1 alive" in said
    assert "last round took 12 ms: ring due 3" in said
    Process.objects.filter(name="sweeper-1").update(seen_at=timezone.now() - timedelta(minutes=5))
    said = words(viewer.get("/system/"))
    assert "No Sweeper none is alive" in said
    assert "Silent sweeper-1" in said


def test_the_page_works_without_valkey(engine: Bench, viewer: Client, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    answer = viewer.get("/system/")
    assert answer.status_code == 200
    assert "No Valkey ConnectionError" in words(answer)


def test_due_runs_and_wake_ups_are_counted(engine: Bench, viewer: Client) -> None:
    engine.start(steps=1)
    engine.start(steps=1)
    said = words(viewer.get("/system/"))
    assert "Runs due now 2" in said
    assert "0 wake-ups in the queue" in said
    assert "free at" in said
    engine.turn()
    assert "Runs due now 1" in words(viewer.get("/system/"))


def test_a_foreign_tenants_stop_is_not_told(engine: Bench, viewer: Client) -> None:
    actor = Actor.machine("test")
    stops.stop(make_tenant("elsewhere"), "effects", why="secret reason", actor=actor)
    stops.stop(engine.tenant, "new_runs", why="own reason", actor=actor)
    stops.stop(None, "effects", why="common reason", actor=actor)
    said = words(viewer.get("/system/"))
    assert "secret reason" not in said
    assert "own reason" in said
    assert "common reason" in said
