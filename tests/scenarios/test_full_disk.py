"""Disks that are full: without a line in the journal nothing is sent, and what is lost is found out."""

import random
from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings as configured
from psycopg import sql
from psycopg.errors import InsufficientPrivilege, UndefinedFile
from pytest_django import Settings

from checkpoints import reading
from checkpoints.graph import Context, State, To
from checkpoints.models import Blob, Case, Event, Recovery, Run
from execution import horse, sweeper
from reconciliation import spool
from reconciliation.models import Attempt, Receipt
from reconciliation.tools import Call, Sent
from tests.chaos.instruments import disks, upstreams
from tests.chaos.instruments.disks import Small
from tests.engine.faketools import Fake, effects
from tests.engine.turns import Bench
from tests.execution.graphs import single
from tests.execution.runs import due, full, waiting
from tests.forks import fork
from tests.reconciliation.oddtools import put

pytestmark = pytest.mark.django_db(transaction=True)

EVERYBODY = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
# Nothing that compresses, and more than the free space of its pages could hold.
LARGE = random.Random(126).randbytes(400_000)


@pytest.fixture
def disk(settings: Settings) -> Iterator[Small]:
    """A small disk that holds the journal and the spool."""
    if reason := disks.why_no_small():
        pytest.skip(reason)
    with disks.small(megabytes=1) as found:
        settings.KEDGE_JOURNAL_DIR = found.folder / "journal"
        yield found


@pytest.fixture
def under_blobs(transactional_db: None) -> Iterator[Small]:
    """A small disk that holds the table of blobs, and nothing else of PostgreSQL."""
    if reason := disks.why_no_small():
        pytest.skip(reason)
    with (
        disks.small(megabytes=8) as disk,
        psycopg.connect(**upstreams.parameters(), autocommit=True) as own,
    ):
        name = f"small_{uuid4().hex}"
        try:
            disks.blobs_onto(disk, own, name)
        except (UndefinedFile, InsufficientPrivilege) as error:  # a server of somebody else's
            pytest.skip(f"no tablespace on a small disk: {error}")
        try:
            yield disk
        finally:
            disk.make_room()
            own.execute(disks.MOVE.format(sql.Identifier("pg_default")))
            own.execute(sql.SQL("DROP TABLESPACE {}").format(sql.Identifier(name)))


def take_turns() -> None:
    horse.take_turns(uuid4())


def once(run: Run) -> None:
    assert full(run).status == "succeeded"
    assert (len(effects()), reading.verify_run(full(run))) == (1, [])
    assert not Case.objects.exists()


def test_on_a_full_disk_nothing_is_sent_until_there_is_room(engine: Bench, disk: Small) -> None:
    run = waiting(engine)
    engine.decide(run)
    disk.fill()
    take_turns()
    assert (effects(), full(run).status) == ([], "waiting")
    assert "make room" in full(run).sentence
    assert set(Attempt.objects.values_list("outcome", flat=True)) == {"not_called"}
    assert full(run).node_failures == 0
    disk.make_room()
    due(run)
    take_turns()
    once(run)


def test_a_receipt_that_neither_database_nor_disk_takes_is_found_out(
    engine: Bench, disk: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = put(monkeypatch, "fake.look_up")
    run = waiting(engine, "fake.look_up")
    engine.decide(run)

    def perform(call: Call) -> Sent:
        done = Fake.perform(tool, call)
        disk.fill()
        with psycopg.connect(**upstreams.parameters(), autocommit=True) as other:
            other.execute(EVERYBODY)
        return done

    tool.performing = perform
    assert fork(take_turns).wait() == 0
    assert Event.objects.filter(run_id=run.id, what="interrupted").exists()
    disk.make_room()
    sweeper.sweep()
    take_turns()
    once(run)
    assert Receipt.objects.get().source == "look_up"
    assert not spool.is_waiting()


def keeps_a_large_value(state: State, context: Context) -> To:
    return To("end", {"large": context.put(LARGE)})


def test_a_large_value_that_finds_no_room_waits_for_room_and_calls_nobody(
    engine: Bench, under_blobs: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More often than a run may crash: it is the disk's fault, and no run is held for it."""
    single(monkeypatch, keeps_a_large_value)
    run = engine.start("odd")
    under_blobs.fill()
    for fence in range(1, configured.KEDGE_MOST_ATTEMPTS + 3):
        assert fork(take_turns).wait() == 0
        run = full(run)
        assert (run.fence, run.head, run.status, run.reason) == (fence, 0, "waiting", "for_retry")
        assert "No space left on device" in run.sentence
        assert run.sentence.startswith("PostgreSQL has no room. Make some; ")
        assert (run.attempts, run.node_failures, run.holder) == (0, 0, None)
        due(run)
    for nothing in (Blob, Case, Recovery):
        assert not nothing.objects.exists()
    under_blobs.make_room()
    take_turns()
    assert (full(run).status, bytes(Blob.objects.get().content)) == ("succeeded", LARGE)
    assert reading.verify_run(full(run)) == []
