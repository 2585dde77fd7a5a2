"""A worker's turn with one run: the one way to commit a step."""

from collections.abc import Iterator

import pytest

from checkpoints import reading, runs
from checkpoints.commits import Lease
from checkpoints.errors import LeaseLostError
from checkpoints.models import Recovery
from checkpoints.registry import graph_of
from checkpoints.timers import SelfStop
from execution.work import Work
from tenants.actors import Actor
from tests.engine.turns import Bench
from tests.execution.runs import full


@pytest.fixture
def work(engine: Bench) -> Iterator[Work]:
    """The turn after an interruption of a run that has no checkpoint yet."""
    run = engine.start()
    lapsed: Lease = engine.acquire()
    runs.lapse(run.id, fence=lapsed.fence, why="killed", actor=Actor.machine("test"))
    lease = engine.acquire()
    with SelfStop() as self_stop:
        graph = graph_of(run.task_type)
        loaded = reading.load_head(full(run))
        yield Work(lease, full(run), graph, loaded, self_stop, lambda: False)


def commit(work: Work, **state: object) -> None:
    context = work.context()
    work.commit(work.step(context, state, "count"))


def test_a_turn_begins_at_the_head(work: Work) -> None:
    assert (work.node.name, work.at_end, work.committed) == ("look", False, 0)
    assert (work.context().seq, work.context().node) == (1, "look")


def test_after_a_commit_it_goes_on_from_the_committed_bytes(work: Work) -> None:
    commit(work, n=1.0)
    assert (work.lease.head, work.loaded.seq, work.loaded.next_node) == (1, 1, "count")
    assert repr(work.loaded.state) == "{'n': 1}"
    read_back = reading.load_head(full(work.run))
    assert (work.loaded.digest, work.loaded.state) == (read_back.digest, read_back.state)


def test_what_it_inherits_in_memory_is_what_a_successor_reads(work: Work) -> None:
    context = work.context()
    context.saw("remote", "abc")
    work.commit(work.step(context, {}, "count", proposes=True))
    commit(work, n=1)
    read_back = reading.load_head(full(work.run))
    mine, theirs = (it.ancestry(full(work.run)) for it in (work.loaded, read_back))
    assert mine == theirs
    assert mine.proposals == {"look": 1}


def test_the_first_commit_ends_the_recovery(work: Work) -> None:
    assert Recovery.objects.get().ended == ""
    commit(work)
    assert Recovery.objects.get().ended == "recovered"


def test_a_request_to_cancel_is_seen_at_the_next_commit(work: Work) -> None:
    commit(work)
    assert not work.called_away
    runs.request_cancel(work.run.id, why="wrong", actor=Actor.machine("test"))
    commit(work)
    assert work.called_away


def test_a_refused_commit_leaves_the_turn_where_it_was(work: Work) -> None:
    runs.lapse(work.run.id, fence=work.lease.fence, why="silent", actor=Actor.machine("test"))
    with pytest.raises(LeaseLostError):
        commit(work)
    assert (work.lease.head, work.committed, work.node.name) == (0, 0, "look")
