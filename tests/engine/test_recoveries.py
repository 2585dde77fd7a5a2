"""When a recovery is over: the three numbers must not count the time that people take."""

import pytest

from checkpoints import runs, wakeups
from checkpoints.models import Recovery
from tenants.actors import Actor
from tests.engine.turns import Bench


@pytest.mark.django_db(transaction=True)
def test_a_recovery_is_over_when_the_run_waits_for_people_again(engine: Bench) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    wakeups.wake(run.id, why="a worker is to die here")
    runs.lapse(run.id, fence=engine.acquire().fence, why="died", actor=Actor.machine("test"))
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("waiting", "for_approval")
    recovery = Recovery.objects.get(run=run)
    assert recovery.ended == "recovered"
    assert recovery.new_boundary_at is not None
