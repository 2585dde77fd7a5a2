"""Disks that are full: without a line in the journal nothing is sent, and what is lost is found out."""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from pytest_django import Settings

from checkpoints import reading
from checkpoints.models import Case, Event, Run
from execution import horse, sweeper
from reconciliation import spool
from reconciliation.models import Attempt, Receipt
from reconciliation.tools import Call, Sent
from tests.chaos.instruments import disks, upstreams
from tests.chaos.instruments.disks import Small
from tests.engine.faketools import Fake, effects
from tests.engine.turns import Bench
from tests.execution.runs import due, full, waiting
from tests.forks import fork
from tests.reconciliation.oddtools import put

pytestmark = pytest.mark.django_db(transaction=True)

EVERYBODY = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@pytest.fixture
def disk(settings: Settings) -> Iterator[Small]:
    """A small disk that holds the journal and the spool."""
    if reason := disks.why_no_small():
        pytest.skip(reason)
    with disks.small(megabytes=1) as found:
        settings.KEDGE_JOURNAL_DIR = found.folder / "journal"
        yield found


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
