"""A worker in a network of its own is cut off while it works, and heard again when others went on."""

import os
import signal
from collections.abc import Iterator
from uuid import uuid4

import pytest
from pytest_django import Settings

from checkpoints import reading, runs
from checkpoints.models import Case
from execution import horse
from tenants.actors import Actor
from tests.chaos.instruments import lines, namespaces, turns, upstreams
from tests.chaos.instruments.namespaces import Namespace
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.runs import full, head, waiting
from tests.forks import state_of
from tests.ground import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

# It holds the lease and is about to commit; its effect is out and it is about to say so.
HOLDING, EFFECT_OUT = "commit:before@1", "receipt:before@1"


@pytest.fixture
def space() -> Iterator[Namespace]:
    if reason := namespaces.why_not():
        pytest.skip(reason)
    with namespaces.opened() as found:
        yield found


@pytest.mark.parametrize("point", [EFFECT_OUT, pytest.param(HOLDING, marks=pytest.mark.slow)])
def test_who_was_cut_off_and_is_heard_late_writes_nothing(
    engine: Bench, settings: Settings, space: Namespace, point: str
) -> None:
    settings.KEDGE_LEASE_SECONDS = 60
    run = waiting(engine, "fake.look_up")
    engine.decide(run)
    with lines.opened(upstreams.of_postgres(), host=space.host) as line:
        inside = turns.begun("turns", prefix=space.prefix, at=line.address, KEDGE_STOP_AT=point)
        pid = inside.pid
        wait_for(lambda: state_of(pid) == "T", "it stands where it is to be cut off", seconds=120)
        held = full(run)
        space.cut()
        os.kill(pid, signal.SIGCONT)  # what it says now, nobody hears
        assert runs.lapse(run.id, fence=held.fence, why="silent", actor=Actor.machine("sweeper"))
        horse.take_turns(uuid4())
        done = full(run)
        assert (done.status, done.fence) == ("succeeded", held.fence + 1)
        assert inside.poll() is None
        space.heal()
        turns.said(inside)  # it was heard in the end, and ended in order
    assert (full(run).head, full(run).fence) == (done.head, done.fence)
    assert head(run)["heard"] == [["happened", ""]]
    assert (len(effects()), reading.verify_run(full(run))) == (1, [])
    assert not Case.objects.exists()
