"""The RQ worker: a doorbell, and a parent that cleans up after its horse."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import connection
from redis import Redis
from rq import Queue
from rq.executions import ExecutionRegistry
from rq.job import JobStatus
from rq.serializers import JSONSerializer

from checkpoints import wakeups
from checkpoints.graph import COMPUTE, Context, Graph, State, To
from checkpoints.models import Recovery, Run
from checkpoints.registry import codes
from execution import horse, worker
from execution.models import Process
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install, returns
from tests.forks import Child, fork, state_of
from tests.ground import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder in which nodes say what they did."""
    return tmp_path


@pytest.fixture
def running() -> Iterator[list[Child]]:
    """Workers to be ended with the test."""
    children: list[Child] = []
    yield children
    for child in children:
        child.end()


def two_nodes(patch: pytest.MonkeyPatch, first: object) -> Graph:
    made = graph()
    made.node("first", COMPUTE, to=["second"])(first)  # type: ignore[arg-type]
    made.node("second", COMPUTE, to=["end"])(returns({}))
    return install(patch, made)


def dying_once(notes: Path) -> object:
    """A node that starts a process of its own and is killed, the first time."""

    def first(state: State, context: Context) -> To:
        if not (notes / "died").exists():
            helper = subprocess.Popen(["sleep", "600"])
            (notes / "helper").write_text(str(helper.pid))
            (notes / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return To("second", state)

    return first


def burst() -> None:
    worker.work("test", burst=True)


def test_a_killed_horse_is_replaced_and_the_run_goes_on(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, notes: Path
) -> None:
    two_nodes(monkeypatch, dying_once(notes))
    engine.start("odd")
    assert fork(burst).wait() == 0
    run, recovery = Run.objects.get(), Recovery.objects.get()
    assert (run.status, run.fence) == ("succeeded", 2)
    assert recovery.why == "its worker was killed by signal 9"
    assert recovery.ended == "recovered"
    assert recovery.taken_over_at is not None


def test_rule_7_what_a_killed_horse_started_is_ended_before_its_lease_is_given_away(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, notes: Path
) -> None:
    two_nodes(monkeypatch, dying_once(notes))
    engine.start("odd")
    assert fork(burst).wait() == 0
    helper = int((notes / "helper").read_text())
    wait_for(lambda: state_of(helper) in ("", "Z"), "the helper is ended")


def test_a_horse_dies_with_its_parent(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, notes: Path, running: list[Child]
) -> None:
    def for_ever(state: State, context: Context) -> To:
        (notes / "horse").write_text(str(os.getpid()))
        while True:
            signal.pause()

    two_nodes(monkeypatch, for_ever)
    engine.start("odd")
    parent = fork(partial(worker.work, "test"))
    running.append(parent)
    wait_for(lambda: bool(_text(notes / "horse")), "the horse works")
    parent.send(signal.SIGKILL)
    parent.wait()
    horse_pid = int(_text(notes / "horse"))
    # Well before its node's deadline would end it.
    wait_for(lambda: state_of(horse_pid) in ("", "Z"), "the horse dies", seconds=10)


def test_sigterm_drains_the_horse_and_ends_the_worker(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, notes: Path, running: list[Child]
) -> None:
    def until_draining(state: State, context: Context) -> To:
        (notes / "started").touch()
        while not horse._draining:
            time.sleep(0.005)
        return To("second", state)

    two_nodes(monkeypatch, until_draining)
    engine.start("odd")
    child = fork(partial(worker.work, "test"))
    running.append(child)
    wait_for((notes / "started").exists, "the node works")
    child.send(signal.SIGTERM)
    assert child.wait() == 0
    run = Run.objects.get()
    assert (run.status, run.reason, run.head, run.attempts) == ("queued", "yielded", 1, 0)
    assert not Recovery.objects.exists()
    assert not Process.objects.exists()


def test_rule_7_nothing_is_open_across_the_fork(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, notes: Path
) -> None:
    """Parent, horse and keeper are three backends; the lock is the keeper's."""

    def note_backend(state: State, context: Context) -> To:
        (notes / "horse").write_text(str(backend()))
        return To("second", state)

    def parent() -> None:
        mine = backend()
        burst()
        (notes / "parent").write_text(f"{mine} {backend()}")

    two_nodes(monkeypatch, note_backend)
    engine.start("odd")
    assert fork(parent).wait() == 0
    before, after = _text(notes / "parent").split()
    assert _text(notes / "horse") not in (before, after)
    assert before != after


def test_a_worker_says_that_it_is_alive(engine: Bench, running: list[Child]) -> None:
    child = fork(partial(worker.work, "test"))
    running.append(child)
    listens = Process.objects.filter(facts__horse=None, facts__has_key="horse")
    wait_for(listens.exists, "it listens")
    row = Process.objects.get()
    assert row.facts["codes"] == codes()
    assert (row.name, row.kind, row.pid) == (f"test-{child.pid}", "worker", child.pid)
    child.send(signal.SIGTERM)
    assert child.wait() == 0
    assert not Process.objects.exists()


def test_a_job_of_nonsense_does_not_end_the_worker(engine: Bench, doorbell: Redis) -> None:
    wakeups.ring(uuid4())
    engine.start(steps=2)
    assert fork(burst).wait() == 0
    assert Run.objects.get().status == "succeeded"
    assert doorbell.keys("rq:job:*") == []


def test_a_wake_up_that_died_with_its_worker_long_ago_ends_no_other_worker(
    engine: Bench, doorbell: Redis
) -> None:
    queue = Queue(wakeups.QUEUE, connection=doorbell, serializer=JSONSerializer)
    job = queue.enqueue(wakeups.JOB, str(uuid4()), result_ttl=0, failure_ttl=0, job_timeout=-1)
    queue.remove(job)
    job.set_status(JobStatus.STARTED)
    # As a killed worker leaves it two minutes later: what the two lists name is gone itself.
    doorbell.zadd(queue.started_job_registry.key, {f"{job.id}:gone": 1})
    doorbell.zadd(ExecutionRegistry.key_template.format(job.id), {"gone": time.time() + 600})
    engine.start(steps=2)
    assert fork(burst).wait() == 0
    assert Run.objects.get().status == "succeeded"
    assert [doorbell.keys(f"rq:{kind}:*") for kind in ("job", "executions", "wip")] == [[], [], []]


@pytest.mark.parametrize(
    ("status", "says"),
    [(9, "was killed by signal 9"), (256, "ended with exit code 1"), (15, "by signal 15")],
)
def test_how_a_horse_ended_is_said_in_words(status: int, says: str) -> None:
    assert says in worker._how(status)


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""
