"""What the tests of forks share: runs that are over or held, and one way to fork them."""

from typing import Any
from uuid import uuid4

from django.db import transaction

from checkpoints import holding, states
from checkpoints.cases import Trouble
from checkpoints.models import Run
from execution.forks import making
from tenants.actors import Actor
from tenants.keys import hiding
from tests.engine.turns import Bench
from tests.execution.runs import bounded_turn, full, waiting


def done(engine: Bench, tool: str = "fake.void") -> Run:
    """A run that is over; its one effect happened."""
    run = waiting(engine, tool)
    engine.decide(run)
    engine.turn()
    assert full(run).status == "succeeded"
    return full(run)


def forked(engine: Bench, source: Run, seq: int, *, reason: str = "try anew", **wanted: Any) -> Run:
    """The fork of a checkpoint, as Ada asks for it."""
    asked = making.Wanted(reason=hiding.text(reason), **{"seq": seq, "token": uuid4(), **wanted})
    run, _created = making.fork(full(source), asked, actor=Actor.person(engine.starter))
    return full(run)


def held(run: Run) -> Run:
    """The run on hold where it stands, with a case."""
    trouble = Trouble(states.WORLD_CHANGED, "The world moved.", {})
    with transaction.atomic():
        locked = Run.objects.select_for_update().get(pk=run.pk)
        holding.hold_now(locked, trouble, actor=Actor.machine("test"))
    return full(run)


def held_before_its_effect(engine: Bench) -> Run:
    """A run on hold that has proposed nothing yet."""
    run = engine.start(tool="fake.void", what="a")
    bounded_turn(engine, 3)
    return held(run)
