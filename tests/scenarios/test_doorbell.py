"""The queue is a doorbell: gone, emptied, restored or wrong about a job, it decides nothing."""

from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.db import transaction
from django.db.models.functions import Now
from pytest_django import Settings
from redis import Redis
from rq import Queue
from rq.job import JobStatus
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer

from checkpoints import leases
from checkpoints.models import Run
from checkpoints.registry import runnable_combos
from checkpoints.wakeups import QUEUE
from execution import horse, sweeper, worker
from reconciliation.models import Receipt
from reconciliation.tools import Call, Sent
from tests.approvals.racing import beside
from tests.engine.faketools import Fake, effects
from tests.engine.turns import Bench
from tests.execution.runs import full, waiting
from tests.forks import fork
from tests.reconciliation.oddtools import put

pytestmark = pytest.mark.django_db(transaction=True)

NOWHERE = "redis://127.0.0.1:1/0"
BELL = f"rq:queue:{QUEUE}"


def burst() -> None:
    worker.work("test", burst=True)


def ring_again() -> int:
    """Let the time pass after which the sweeper rings again, and sweep."""
    Run.objects.update(woken_at=Now() - timedelta(minutes=1))
    return sweeper.sweep()["ring due"]


def test_s10_s45_a_queue_that_goes_in_mid_effect_repeats_nothing(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.KEDGE_LEASE_SECONDS = 60
    tool, address, swept = put(monkeypatch, "fake.look_up"), settings.REDIS_URL, []
    run = waiting(engine, "fake.look_up")
    engine.decide(run)

    def perform(call: Call) -> Sent:
        settings.REDIS_URL = NOWHERE
        with beside() as side:
            swept.append(side.finish(sweeper.sweep))
        return Fake.perform(tool, call)

    tool.budget_seconds, tool.performing = 60, perform
    assert horse.take_turns(uuid4()) == 1
    assert [(done["lapse unlocked"], done["lapse overdue"]) for done in swept] == [(0, 0)]
    settings.REDIS_URL = address
    assert ring_again() == 0
    assert horse.take_turns(uuid4()) == 0
    assert (full(run).status, full(run).fence) == ("succeeded", 2)
    assert len(effects()) == Receipt.objects.count() == 1


def test_s40_what_rq_holds_for_failed_stays_finished(engine: Bench, doorbell: Redis) -> None:
    run = engine.start(steps=2)
    (job,) = Queue(QUEUE, connection=doorbell, serializer=JSONSerializer).jobs
    assert horse.take_turns(uuid4()) == 1
    was = Run.objects.values().get()
    started = StartedJobRegistry(QUEUE, connection=doorbell, serializer=JSONSerializer)
    job.failure_ttl = 600  # so that what RQ says can be read
    job.save()
    job.set_status(JobStatus.STARTED)
    doorbell.zadd(started.key, {f"{job.id}:gone": 1})
    started.cleanup()
    assert job.get_status() == JobStatus.FAILED
    assert sweeper.sweep()["ring due"] == horse.take_turns(uuid4()) == 0
    assert (full(run).status, Run.objects.values().get()) == ("succeeded", was)


def test_s42_a_wake_up_that_died_with_who_took_it_is_rung_again(
    engine: Bench, doorbell: Redis
) -> None:
    run = engine.start(steps=2)
    queue = Queue(QUEUE, connection=doorbell, serializer=JSONSerializer)
    assert doorbell.lmove(BELL, queue.intermediate_queue_key)
    assert ring_again() == doorbell.llen(BELL) == 1
    assert fork(burst).wait() == 0
    assert (full(run).status, full(run).fence) == ("succeeded", 1)


def test_s47_jobs_of_an_old_snapshot_do_nothing_and_lost_ones_come_again(
    engine: Bench, doorbell: Redis
) -> None:
    old = engine.start(steps=2)
    snapshot = {key: doorbell.dump(key) or b"" for key in doorbell.keys("*")}
    assert fork(burst).wait() == 0
    was = Run.objects.values().get()
    new = engine.start(steps=2)
    doorbell.flushdb()
    for key, value in snapshot.items():
        doorbell.restore(key, 0, value)
    assert ring_again() == 1
    assert doorbell.llen(BELL) == 2
    assert fork(burst).wait() == 0
    assert (full(new).status, full(new).fence) == ("succeeded", 1)
    was["woken_at"] = full(old).woken_at
    assert Run.objects.filter(pk=old.pk).values().get() == was


def test_s54_before_its_commit_and_after_a_rollback_there_is_no_run(
    engine: Bench, doorbell: Redis
) -> None:
    take = partial(leases.acquire, uuid4(), combos=runnable_combos())
    with beside() as side:
        with transaction.atomic():
            engine.start()
            assert (doorbell.llen(BELL), side.finish(take)) == (0, None)
        assert doorbell.llen(BELL) == 1
    lease = take()
    assert lease is not None
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        _start_and_fail(engine)
    assert (doorbell.llen(BELL), take()) == (1, None)
    assert Run.objects.get().id == lease.run_id


def _start_and_fail(engine: Bench) -> None:
    engine.start()
    raise ZeroDivisionError
