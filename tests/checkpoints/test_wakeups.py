"""Wake-ups: a hint on a queue, a count on the row."""

import json
from uuid import uuid4

import pytest
from django.db import transaction
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings
from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from checkpoints import runs, wakeups
from checkpoints.models import Run
from tenants.actors import Actor
from tests.engine.turns import Bench


def jobs(doorbell: Redis) -> list[Job]:
    return Queue(wakeups.QUEUE, connection=doorbell, serializer=JSONSerializer).jobs


def test_a_wake_up_carries_the_run_id_as_json_and_nothing_else(doorbell: Redis) -> None:
    run_id = uuid4()
    wakeups.ring(run_id)
    (job,) = jobs(doorbell)
    assert (job.func_name, list(job.args)) == ("execution.jobs.look_at", [str(run_id)])
    assert json.loads(job.data) == ["execution.jobs.look_at", None, [str(run_id)], {}]


def test_a_wake_up_leaves_nothing_behind_and_is_never_cut_short(doorbell: Redis) -> None:
    wakeups.ring(uuid4())
    (job,) = jobs(doorbell)
    assert (job.result_ttl, job.failure_ttl, job.timeout) == (0, 0, -1)


def test_every_ring_is_a_job_of_its_own(doorbell: Redis) -> None:
    run_id = uuid4()
    for _ in range(3):
        wakeups.ring(run_id)
    assert len({job.id for job in jobs(doorbell)}) == 3


def test_a_queue_out_of_reach_raises_nothing(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    wakeups.ring(uuid4())
    assert "wake-up not sent, the sweeper will" in caplog.text


def test_a_waiting_run_is_queued_and_the_doorbell_rings_on_commit(
    engine: Bench,
    doorbell: Redis,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    run = engine.start()
    runs.suspend(engine.acquire(), "for_approval", "Waits.", due_at=None)
    with django_capture_on_commit_callbacks(execute=True):
        wakeups.wake(run.id, why="decided")
        assert jobs(doorbell) == []
    assert [list(job.args) for job in jobs(doorbell)] == [[str(run.id)]]
    run.refresh_from_db()
    assert (run.status, run.reason, run.sentence, run.wakes) == ("queued", "woken", "decided", 1)
    assert run.due_at is not None
    assert run.woken_at is not None


def test_a_rolled_back_wake_up_rings_nowhere(engine: Bench, doorbell: Redis) -> None:
    run = engine.start()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        _wake_and_fail(run)
    assert jobs(doorbell) == []
    assert Run.objects.get().wakes == 0


def test_a_running_run_is_only_counted(engine: Bench) -> None:
    run = engine.start()
    engine.acquire()
    wakeups.wake(run.id, why="decided")
    run.refresh_from_db()
    assert (run.status, run.wakes) == ("running", 1)


def test_a_final_run_stays_final(engine: Bench) -> None:
    run = engine.start()
    runs.finish(
        engine.acquire(), runs.Outcome("succeeded", "done", "Done."), actor=Actor.machine("test")
    )
    wakeups.wake(run.id, why="late")
    run.refresh_from_db()
    assert (run.status, run.due_at, run.wakes) == ("succeeded", None, 1)


def _wake_and_fail(run: Run) -> None:
    wakeups.wake(run.id, why="decided")
    raise ZeroDivisionError
