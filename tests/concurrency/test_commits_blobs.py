"""Rule 19: between storing a large value and naming it, a collector may come; either side fails safely."""

from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction

from checkpoints import blobs
from checkpoints.models import Blob, BlobReference, Checkpoint
from tests.approvals.racing import beside
from tests.checkpoints.records import commit, fresh, step
from tests.engine.turns import Bench

pytestmark = pytest.mark.django_db(transaction=True)

COLLECT = """
DELETE FROM checkpoints_blob AS blob WHERE NOT EXISTS (
    SELECT 1 FROM checkpoints_blobreference AS named
     WHERE named.tenant_id = blob.tenant_id AND named.digest = blob.digest)
"""


def collect() -> int:
    """What a retention job would do."""
    with connection.cursor() as cursor:
        cursor.execute(COLLECT)
        return int(cursor.rowcount)


def test_rule_19_a_commit_that_names_a_collected_blob_is_refused_whole(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    name = str(blobs.put(run.tenant_id, b"large")["$blob"])
    assert collect() == 1
    with pytest.raises(IntegrityError, match="a_referenced_blob_cannot_be_deleted"):
        commit(lease, step(blobs=(name,)))
    assert not Checkpoint.objects.exists()
    assert fresh(lease).head == 0
    blobs.put(run.tenant_id, b"large")
    assert commit(lease, step(blobs=(name,))).head == 1


@pytest.mark.parametrize("collected", [True, False])
def test_rule_19_a_commit_waits_for_the_collector_and_follows_it(
    engine: Bench, collected: bool
) -> None:
    run = engine.start()
    lease = engine.acquire()
    name = str(blobs.put(run.tenant_id, b"large")["$blob"])
    with beside() as side:
        with transaction.atomic():
            assert collect() == 1
            committing = side.start_and_block(partial(commit, lease, step(blobs=(name,))))
            transaction.set_rollback(not collected)
        if collected:
            with pytest.raises(IntegrityError):
                committing.result()
        else:
            assert committing.result().head == 1
    assert Blob.objects.exists() == BlobReference.objects.exists() == (not collected)


def test_rule_19_a_collector_waits_for_the_commit_and_fails(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    name = str(blobs.put(run.tenant_id, b"large")["$blob"])
    with beside() as side:
        with transaction.atomic():
            commit(lease, step(blobs=(name,)))
            collecting = side.start_and_block(collect)
        with pytest.raises(IntegrityError, match="a_referenced_blob_cannot_be_deleted"):
            collecting.result()
    assert blobs.get(run.tenant_id, {"$blob": name}) == b"large"


def test_rule_19_the_same_bytes_put_twice_at_once_are_one_blob(engine: Bench) -> None:
    put = partial(blobs.put, engine.tenant.pk, b"large")
    with beside() as side:
        with transaction.atomic():
            mine = put()
            theirs = side.start_and_block(put)
        assert theirs.result() == mine
    assert Blob.objects.count() == 1
