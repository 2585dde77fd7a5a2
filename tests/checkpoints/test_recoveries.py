"""Recoveries: from the interruption that was noticed to the next boundary."""

import pytest

from checkpoints import recoveries, runs
from checkpoints.models import Recovery, Run
from tenants.actors import Actor
from tenants.keys import hiding
from tests.checkpoints.records import refused
from tests.engine.turns import Bench


@pytest.fixture
def run(engine: Bench) -> Run:
    return engine.start()


def test_a_recovery_begins_with_why_and_when(run: Run) -> None:
    recoveries.begin(run.id, fence=3, why="killed")
    found = Recovery.objects.get()
    assert (found.run_id, found.interrupted_fence, found.why, found.ended) == (
        run.id,
        3,
        "killed",
        "",
    )
    assert found.noticed_at is not None


def test_a_long_why_is_kept_whole(engine: Bench) -> None:
    engine.start()
    lease, why = engine.acquire(), f"its worker met OSError: {'x' * 300}"
    assert runs.lapse(
        lease.run_id, fence=lease.fence, why=hiding.text(why), actor=Actor.machine("test")
    )
    assert Recovery.objects.get().why == why


def test_the_next_boundary_ends_it(run: Run) -> None:
    recoveries.begin(run.id, fence=3, why="killed")
    recoveries.end(run.id, how="recovered")
    found = Recovery.objects.get()
    assert found.ended == "recovered"
    assert found.new_boundary_at is not None
    assert found.new_boundary_at >= found.noticed_at


def test_a_person_ends_it_without_a_boundary(run: Run) -> None:
    recoveries.begin(run.id, fence=3, why="killed")
    recoveries.end(run.id, how="by_person")
    found = Recovery.objects.get()
    assert (found.ended, found.new_boundary_at) == ("by_person", None)


def test_an_interrupted_recovery_ends_where_the_next_begins(run: Run) -> None:
    recoveries.begin(run.id, fence=3, why="killed")
    recoveries.begin(run.id, fence=4, why="killed again")
    ended = list(Recovery.objects.order_by("interrupted_fence").values_list("ended", flat=True))
    assert ended == ["interrupted", ""]


def test_an_ended_recovery_is_not_ended_again(run: Run) -> None:
    recoveries.begin(run.id, fence=3, why="killed")
    recoveries.end(run.id, how="by_person")
    recoveries.end(run.id, how="recovered")
    assert Recovery.objects.get().ended == "by_person"


def test_the_database_refuses_a_second_recovery_of_one_lease(run: Run) -> None:
    Recovery.objects.create(run=run, interrupted_fence=3, why="killed")
    with refused("one_recovery_per_interrupted_lease"):
        Recovery.objects.create(run=run, interrupted_fence=3, why="killed")


def test_the_database_refuses_an_end_without_a_time_or_a_word(run: Run) -> None:
    recoveries.begin(run.id, fence=3, why="killed")
    for changes in ({"ended": "recovered"}, {"ended": "vanished", "ended_at": "2026-01-01T00Z"}):
        with refused("an_ended_recovery_says_how_and_when"):
            Recovery.objects.update(**changes)
