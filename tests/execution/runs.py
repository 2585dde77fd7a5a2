"""Turns and looks that the tests of execution share."""

from typing import Any

import pytest

from checkpoints import reading
from checkpoints.commits import Lease
from checkpoints.models import Run
from checkpoints.timers import SelfStop
from execution import executor, nodes
from tests.engine.turns import Bench

PAST = "2020-01-01T00Z"


def due(run: Run) -> None:
    """Let the time of a waiting run come."""
    Run.objects.filter(pk=run.pk).update(due_at=PAST)


def waiting(engine: Bench, tool: str = "fake.void") -> Run:
    """A run that waits for a yes."""
    run = engine.start(tool=tool, what="a")
    engine.turn()
    return run


def bounded_turn(engine: Bench, boundaries: int = 10) -> Lease:
    """A turn that is cut short after so many boundaries: it is asked at each, for none runs ahead."""
    lease, left = engine.acquire(), iter(range(boundaries))
    with SelfStop() as self_stop, pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes, "QUICK_SECONDS", 0.0)
        executor.advance(lease, self_stop, lambda: next(left, None) is None)
    return lease


def full(run: Run) -> Run:
    """The run as it is now."""
    return Run.objects.select_related("combo", "tenant").get(pk=run.pk)


def head(run: Run) -> dict[str, Any]:
    """The state at its head."""
    return reading.load_head(full(run)).state
