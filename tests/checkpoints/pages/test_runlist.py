"""Which runs a list shows, how many it counts, and that it looks at no more than it says."""

from datetime import timedelta

import pytest
from django.db import connection, connections
from django.utils import timezone

from checkpoints.ids import uuid7
from checkpoints.models import Run
from checkpoints.pages import runlist
from checkpoints.pages.runlist import RunFilter
from tests.engine.turns import Bench
from tests.people import make_tenant


def keys(bench: Bench, wanted: RunFilter) -> list[str]:
    return [run.business_key for run in runlist.listing(bench.tenant, wanted).runs]


def started(bench: Bench, key: str, *, days_ago: float = 0) -> Run:
    """A run with this key, started so long ago by its id."""
    run = bench.start(steps=1)
    at = timezone.now() - timedelta(days=days_ago)
    id_ = uuid7(int(at.timestamp() * 1000))
    Run.objects.bulk_create([_copy(run, {"id": id_, "business_key": key})])
    Run.objects.filter(pk=run.pk).update(tenant=make_tenant("aside"))
    return Run.objects.get(pk=id_)


def _copy(run: Run, changes: dict[str, object]) -> Run:
    values = {field.attname: getattr(run, field.attname) for field in Run._meta.concrete_fields}
    return Run(**values | changes)


def test_runs_come_newest_first_and_only_those_of_the_tenant(engine: Bench) -> None:
    started(engine, "old", days_ago=3)
    started(engine, "new")
    assert keys(engine, RunFilter()) == ["new", "old"]


def test_a_window_goes_by_the_start(engine: Bench) -> None:
    started(engine, "last year", days_ago=300)
    started(engine, "last week", days_ago=8)
    started(engine, "today")
    assert keys(engine, RunFilter(window="24h")) == ["today"]
    assert keys(engine, RunFilter(window="30d")) == ["today", "last week"]
    assert keys(engine, RunFilter(window="all")) == ["today", "last week", "last year"]


def test_a_text_is_the_beginning_of_a_key_and_no_pattern(engine: Bench) -> None:
    started(engine, "a_b")
    started(engine, "axb")
    assert keys(engine, RunFilter(text="a_")) == ["a_b"]
    assert keys(engine, RunFilter(text="%")) == []
    assert keys(engine, RunFilter(task_type="strict")) == []


def test_a_filter_looks_at_the_newest_of_each_status_only(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    started(engine, "needle")
    started(engine, "hay 1")
    started(engine, "hay 2")
    monkeypatch.setattr(runlist, "LOOKED_AT", 2)
    assert keys(engine, RunFilter(text="needle")) == []
    assert keys(engine, RunFilter(text="hay")) == ["hay 2", "hay 1"]


def test_counting_stops_where_it_says(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        started(engine, f"run {number}")
    monkeypatch.setattr(runlist, "COUNTED_TO", 2)
    assert runlist.tallies(engine.tenant, RunFilter())["queued"] == 3
    assert runlist.live_counts([engine.tenant.pk])[engine.tenant.pk, "queued"] == 3


def test_what_is_hidden_is_everything_that_is_not_shown(engine: Bench) -> None:
    started(engine, "old", days_ago=90)
    started(engine, "new")
    for wanted, runs in [
        (RunFilter(), 1),
        (RunFilter(window="all", status="failed"), 2),
        (RunFilter(window="all", text="ol"), 1),
    ]:
        shown = runlist.tallies(engine.tenant, wanted)
        assert runlist.hidden(engine.tenant, wanted, shown) == {"runs": runs, "need": 0}
    wide = RunFilter(window="all")
    assert runlist.hidden(engine.tenant, wide, runlist.tallies(engine.tenant, wide)) == {}


def test_new_runs_are_counted_under_the_same_filter(engine: Bench) -> None:
    first = started(engine, "a 1")
    started(engine, "a 2")
    started(engine, "b 1")
    assert runlist.new_since(engine.tenant, RunFilter(), first.id) == 2
    assert runlist.new_since(engine.tenant, RunFilter(text="b"), first.id) == 1


@pytest.mark.django_db(transaction=True)
def test_a_list_that_cannot_be_read_in_time_says_so(engine: Bench) -> None:
    engine.start(steps=1)
    other = connections.create_connection("default")
    try:
        other.set_autocommit(False)
        with other.cursor() as locking, connection.cursor() as impatient:
            locking.execute("LOCK TABLE checkpoints_run IN ACCESS EXCLUSIVE MODE")
            impatient.execute("SET lock_timeout = '50ms'")
            assert runlist.listing(engine.tenant, RunFilter()).failed
            impatient.execute("RESET lock_timeout")
    finally:
        other.rollback()
        other.close()
    assert not runlist.listing(engine.tenant, RunFilter()).failed
