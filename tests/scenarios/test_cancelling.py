"""Cancelling a run at its very end: what the answer says is what stands."""

import signal
from functools import partial
from uuid import uuid4

import pytest
from pytest_django import Settings

from checkpoints import runs
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Event, Run
from execution import horse
from tenants.actors import Actor
from tests.approvals.racing import beside
from tests.engine.turns import Bench
from tests.execution.runs import full
from tests.forks import fork

pytestmark = pytest.mark.django_db(transaction=True)

# The last of four commits; then the end, before it is written and after.
ENDS = {
    "commit:before@4": ("asked", "cancelled"),
    "finish:before@1": ("asked", "succeeded"),
    "finish:after@1": ("the run has ended already: succeeded", "succeeded"),
}


def cancel(run: Run, name: str) -> str:
    try:
        runs.request_cancel(run.id, why="wrong", actor=Actor.machine(name))
    except IllegalMoveError as error:
        return str(error)
    return "asked"


@pytest.mark.parametrize("point", ENDS)
def test_s33_s35_two_who_cancel_at_the_end_are_told_what_stands(
    engine: Bench, settings: Settings, point: str
) -> None:
    """A request that comes after the last commit is noted, and the run has done its work."""
    settings.KEDGE_LEASE_SECONDS = 60
    run = engine.start(steps=2)
    child = fork(partial(horse.take_turns, uuid4()), KEDGE_STOP_AT=point)
    try:
        child.wait_until_stopped()
        with beside() as side:
            asking = [side.start(partial(cancel, run, name)) for name in ("Ada", "Bob")]
            told = [future.result() for future in asking]
        child.send(signal.SIGCONT)
        assert child.wait() == 0
    finally:
        child.end()
    said, status = ENDS[point]
    assert (told, full(run).status) == ([said] * 2, status)
    assert (full(run).cancel_requested_at is not None) == (said == "asked")
    events = Event.objects.filter(run=run).values_list("what", flat=True)
    assert [what for what in events if what in ("succeeded", "cancelled")] == [status]
    assert [*events].count("cancel requested") == (said == "asked")
