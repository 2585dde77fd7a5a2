"""A long turn is cut short for a run that somebody waits for."""

from uuid import uuid4

import pytest

from checkpoints import states
from checkpoints.models import Checkpoint, Run
from execution import horse
from tests.engine.turns import Bench
from tests.forks import fork
from tests.ground import wait_for


@pytest.mark.django_db(transaction=True)
def test_a_woken_run_does_not_wait_for_the_turn_of_a_long_one(engine: Bench) -> None:
    long = engine.start(steps=100_000)
    worker = fork(lambda: horse.take_turns(uuid4()))
    try:
        wait_for(lambda: Checkpoint.objects.filter(run_id=long.id).exists(), "the long run works")
        asked_for = engine.start(steps=2)
        Run.objects.filter(pk=asked_for.pk).update(reason=states.WOKEN)
        wait_for(
            lambda: Run.objects.get(pk=asked_for.pk).status == states.SUCCEEDED,
            "the woken run is done",
            seconds=5,
        )
        assert Run.objects.get(pk=long.pk).status in (states.QUEUED, states.RUNNING)
    finally:
        worker.end()
