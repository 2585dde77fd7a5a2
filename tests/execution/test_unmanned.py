"""A run that no live worker can run says which code is missing, and since when; it never fails."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models.functions import Now

from checkpoints import registry
from checkpoints.models import Run, WorkerCode
from execution import announcing, processes, unmanned
from execution.announcing import Announcer
from execution.models import Process
from execution.pages.standing import standing
from tests.engine.turns import Bench

pytestmark = pytest.mark.django_db(transaction=True)
NOON = datetime(2026, 3, 1, 12, 4, tzinfo=UTC)


@pytest.fixture
def run(engine: Bench) -> Run:
    """A run that is due for a minute."""
    run = engine.start(steps=1)
    Run.objects.filter(pk=run.pk).update(due_at=Now() - timedelta(minutes=1))
    return fresh(run)


def fresh(run: Run) -> Run:
    return Run.objects.select_related("tenant", "combo").get(pk=run.pk)


def last_seen(run: Run, at: datetime) -> None:
    WorkerCode.objects.update_or_create(part=run.combo.code_part, defaults={"seen_at": at})


def test_a_run_names_the_code_that_is_missing_and_when_it_was_last_seen(
    run: Run, engine: Bench
) -> None:
    last_seen(run, NOON)
    processes.started("other-1", "worker", codes=["00" * 32])
    assert unmanned.look() == 1
    told = fresh(run)
    code = announcing.code_of(run.combo)[:12]
    said = f"No worker runs code {code}; last seen 2026-03-01 12:04:00 UTC."
    assert told.sentence == said
    assert (told.status, told.reason) == ("queued", "started")
    assert unmanned.look() == 0
    shown = standing(told, engine.starter)
    assert shown.sentence == said
    assert "a worker of the version that it began with" in shown.who


def test_code_that_nobody_ever_had_here_is_said_to_be_so(run: Run) -> None:
    assert unmanned.look() == 1
    assert fresh(run).sentence.endswith("; none was ever seen here.")


def test_what_is_said_is_taken_back_when_such_a_worker_comes(run: Run) -> None:
    unmanned.look()
    processes.started("worker-1", "worker", codes=registry.codes())
    assert unmanned.look() == 1
    assert fresh(run).sentence == "Waiting for a worker."


def test_a_silent_worker_counts_no_more_and_its_last_word_does(run: Run) -> None:
    processes.started("worker-1", "worker", codes=registry.codes())
    Process.objects.update(seen_at=NOON)
    assert unmanned.look() == 1
    assert "12:04:00" in fresh(run).sentence


def test_when_code_was_last_seen_outlives_the_worker_that_had_it(run: Run) -> None:
    processes.started("worker-1", "worker", codes=registry.codes())
    Announcer(registry.codes()).keep()
    processes.ended("worker-1")
    assert not Process.objects.exists()
    seen = announcing.last_seen(run.combo)
    assert seen is not None
    assert unmanned.look() == 1
    assert f"last seen {seen:%Y-%m-%d %H:%M}" in fresh(run).sentence


def test_a_run_that_is_only_just_due_says_nothing_yet(engine: Bench) -> None:
    engine.start(steps=1)
    assert unmanned.look() == 0


def test_a_worker_takes_a_run_that_was_said_to_be_without_one(run: Run, engine: Bench) -> None:
    unmanned.look()
    engine.turn()
    assert fresh(run).status == "succeeded"
