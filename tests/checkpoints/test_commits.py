"""Commit: one statement, refused whole when any of its guards does not hold."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models.functions import Now

from canonical import digests
from checkpoints import blobs, commits, reading, runs
from checkpoints.errors import LeaseLostError
from checkpoints.models import BlobReference, Checkpoint, Run
from tenants.actors import Actor
from tests.checkpoints.records import commit, fresh, step
from tests.engine.turns import Bench


def test_a_commit_moves_the_head_and_keeps_the_bytes(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    made = step({"x": 1}, node="look", next_node="count")
    committed = commits.commit(lease, reading.load_head(fresh(lease)).ancestry(fresh(lease)), made)
    row, run = Checkpoint.objects.get(run_id=lease.run_id), fresh(lease)
    assert (row.seq, row.parent_seq, row.node, row.next_node) == (1, 0, "look", "count")
    assert (bytes(row.state), row.fence, row.combo_id) == (b'{"x":1}', 1, lease.combo_id)
    assert digests.sha256_hex(bytes(row.header)) == bytes(row.digest).hex() == committed.digest
    assert (run.head, run.next_node, run.attempts, run.node_failures) == (1, "count", 0, 0)
    assert run.progressed_at is not None
    assert not committed.called_away


def test_a_commit_extends_the_lease(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    soon = Now() + timedelta(seconds=1)
    Run.objects.update(lease_until=soon)
    before = fresh(lease).lease_until
    commit(lease)
    after = fresh(lease).lease_until
    assert before is not None
    assert after is not None
    assert after > before + timedelta(seconds=5)


@pytest.mark.parametrize(
    ("shown", "stored"),
    [
        ({"fence": 0}, {}),
        ({"fence": 2}, {}),
        ({"holder": uuid4()}, {}),
        ({"head": 1}, {}),
        ({}, {"lease_until": Now() - timedelta(seconds=1)}),
        ({}, {"effect_in_flight": uuid4()}),
        ({}, {"fence": 2}),
        ({}, {"holder": uuid4()}),
    ],
    ids=[
        "stale fence",
        "fence of the future",
        "wrong holder",
        "head not reached",
        "lease over",
        "effect in flight",
        "taken over",
        "other holder",
    ],
)
def test_a_guard_that_does_not_hold_refuses_the_commit(
    engine: Bench, shown: dict[str, Any], stored: dict[str, Any]
) -> None:
    engine.start()
    lease = engine.acquire()
    before = reading.load_head(fresh(lease)).ancestry(fresh(lease))
    if stored:
        Run.objects.update(**stored)
    was = Run.objects.values().get()
    with pytest.raises(LeaseLostError, match="refused for fence"):
        commits.commit(replace(lease, **shown), before, step())
    assert Run.objects.values().get() == was
    assert not Checkpoint.objects.exists()


def test_a_head_that_moved_refuses_the_commit(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    commit(lease, step({"x": 1}))
    with pytest.raises(LeaseLostError, match="the run is running at checkpoint 1 under fence 1"):
        commit(lease, step({"x": 2}), parent=0)
    assert bytes(Checkpoint.objects.get().state) == b'{"x":1}'


def test_a_released_run_refuses_the_commit(engine: Bench) -> None:
    engine.start()
    lease = engine.acquire()
    runs.yield_to_others(lease)
    with pytest.raises(LeaseLostError, match="the run is queued"):
        commit(lease)
    assert fresh(lease).head == 0


def test_a_refusal_names_the_action_in_flight(engine: Bench) -> None:
    engine.start()
    lease, action = engine.acquire(), uuid4()
    Run.objects.update(effect_in_flight=action)
    with pytest.raises(LeaseLostError, match=f"with action {action} in flight"):
        commit(lease)


def test_a_commit_says_that_somebody_asked_to_cancel(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    runs.request_cancel(run.id, why="wrong input", actor=Actor.machine("test"))
    loaded = reading.load_head(fresh(lease))
    assert commits.commit(lease, loaded.ancestry(fresh(lease)), step()).called_away


def test_going_back_writes_the_next_number_with_an_earlier_parent(engine: Bench) -> None:
    engine.start()
    lease = commit(commit(commit(engine.acquire())))
    lease = commit(lease, parent=1)
    row = Checkpoint.objects.get(run_id=lease.run_id, seq=4)
    assert (row.parent_seq, fresh(lease).head) == (1, 4)


def test_named_blobs_are_referenced_by_the_same_statement(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    digest = _blob(run, b"large")
    commit(lease, step(blobs=(digest,)))
    commit(replace(lease, head=1), step(blobs=(digest,)))
    reference = BlobReference.objects.get()
    assert (reference.run_id, bytes(reference.digest).hex()) == (run.id, digest)


def test_a_refused_commit_references_no_blob(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    digest = _blob(run, b"large")
    with pytest.raises(LeaseLostError):
        commit(replace(lease, fence=9), step(blobs=(digest,)))
    assert not BlobReference.objects.exists()


def _blob(run: Run, content: bytes) -> str:
    return str(blobs.put(run.tenant_id, content)["$blob"])
