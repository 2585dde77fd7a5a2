"""What PostgreSQL itself refuses about the tables of the record."""

from itertools import product
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from canonical import digests
from checkpoints import blobs, runs, states
from checkpoints.commits import Lease
from checkpoints.ids import uuid7
from checkpoints.models import Blob, BlobReference, Checkpoint, Combo, Event, Run
from tenants.actors import Actor
from tests.checkpoints.records import by_force, commit, judge_now, refused, run_sql, step
from tests.engine.turns import Bench

DONE = runs.Outcome("succeeded", "done", "Done.")


@pytest.fixture
def lease(engine: Bench) -> Lease:
    engine.start()
    return engine.acquire()


def test_a_combo_is_immutable_and_its_digest_is_of_its_manifest(lease: Lease) -> None:
    with refused("UPDATE of checkpoints_combo refused"):
        Combo.objects.update(task_type="other")
    with refused("combo_digest_is_of_its_manifest"):
        Combo.objects.create(task_type="x", manifest=b"{}", digest=bytes(32))
    with refused("checkpoints_combo_digest"):
        known = Combo.objects.get(pk=lease.combo_id)
        Combo.objects.create(task_type="x", manifest=known.manifest, digest=known.digest)


def test_a_combo_is_never_deleted(engine: Bench) -> None:
    manifest = b'{"unused":true}'
    digest = bytes.fromhex(digests.sha256_hex(manifest))
    Combo.objects.create(task_type="x", manifest=manifest, digest=digest)
    with refused("DELETE of checkpoints_combo refused"):
        Combo.objects.filter(digest=digest).delete()


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        ({"mode": "drill"}, "run_mode_is_live_or_shadow"),
        ({"reason": ""}, "live_run_says_why"),
        ({"reason": "working"}, "live_run_says_why"),
        ({"status": "sleeping"}, "violates check constraint"),
        ({"status": "waiting", "reason": "crash_loop"}, "live_run_says_why"),
        ({"stop_reason": "done"}, "final_run_has_stop_reason_and_time"),
        ({"finished_at": Now()}, "final_run_has_stop_reason_and_time"),
        ({"status": "failed", "reason": ""}, "final_run_has_stop_reason_and_time"),
        (
            {"status": "failed", "stop_reason": "bored", "finished_at": Now()},
            "final_run_has_stop_reason_and_time",
        ),
        ({"holder": uuid4()}, "a_run_is_leased_iff_running"),
        ({"lease_until": Now()}, "a_run_is_leased_iff_running"),
        ({"status": "running", "reason": "working"}, "a_run_is_leased_iff_running"),
        ({"mode": "shadow", "effect_in_flight": uuid4()}, "a_shadow_run_has_no_effect"),
        ({"input": b"{}x"}, "the_input_of_a_run_never_changes"),
        ({"input_digest": bytes(32)}, "the_input_of_a_run_never_changes"),
        ({"head": 1}, "only under a lease"),
        ({"fence": -1}, "the fence only grows"),
    ],
)
def test_a_queued_run_cannot_be_made_to_contradict_itself(
    engine: Bench, changes: dict[str, Any], constraint: str
) -> None:
    engine.start()
    with refused(constraint):
        Run.objects.update(**changes)


def test_a_run_is_not_started_with_a_digest_of_another_input(engine: Bench) -> None:
    run = engine.start()
    run.pk, run.business_key, run.input = uuid4(), "another", b"{}x"
    with refused("input_digest_is_of_the_input"):
        Run.objects.bulk_create([run])


def test_the_database_knows_the_same_reasons_for_each_status(engine: Bench) -> None:
    run = engine.start()
    every = {reason for reasons in states.REASONS.values() for reason in reasons}
    lease = {"holder": uuid4(), "lease_until": Now()}
    for status, reasons in states.REASONS.items():
        held_by = lease if status == states.RUNNING else {"holder": None, "lease_until": None}
        for reason in every:
            changes: dict[str, Any] = {"status": status, "reason": reason, **held_by}
            accepted = True
            try:
                with transaction.atomic():
                    Run.objects.filter(pk=run.pk).update(**changes)
                    transaction.set_rollback(True)
            except IntegrityError:
                accepted = False
            assert accepted == (reason in reasons), (status, reason)


def test_the_database_knows_the_same_stop_reasons(engine: Bench) -> None:
    run = engine.start()
    for status, stop in product(states.FINAL, states.STOP_REASONS):
        with transaction.atomic():
            Run.objects.filter(pk=run.pk).update(
                status=status, stop_reason=stop, finished_at=Now(), reason=""
            )
            transaction.set_rollback(True)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"lease_until": None}, "a_run_is_leased_iff_running"),
        ({"holder": None}, "a_run_is_leased_iff_running"),
        ({"fence": F("fence") - 1}, "the fence only grows"),
        ({"head": F("head") + 2}, "the head only moves forward, by one"),
        ({"head": F("head") - 1}, "the head only moves forward, by one"),
        ({"head": F("head") + 1, "status": "queued"}, "live_run_says_why"),
    ],
)
def test_a_running_run_cannot_be_made_to_contradict_itself(
    lease: Lease, changes: dict[str, Any], says: str
) -> None:
    commit(lease)
    with refused(says):
        Run.objects.update(**changes)


def test_the_head_does_not_move_while_an_effect_is_in_flight(lease: Lease) -> None:
    Run.objects.update(effect_in_flight=uuid4())
    with refused("only under a lease and with no effect in flight"):
        Run.objects.update(head=1)


def test_a_run_does_not_end_while_an_effect_is_in_flight(lease: Lease) -> None:
    Run.objects.update(effect_in_flight=uuid4())
    with refused("no_final_run_with_an_effect_in_flight"):
        runs.finish(lease, DONE, actor=Actor.machine("test"))


@pytest.mark.parametrize("changes", [{"status": "failed"}, {"fence": 9}])
def test_final_is_final_for_the_database_too(lease: Lease, changes: dict[str, Any]) -> None:
    runs.finish(lease, DONE, actor=Actor.machine("test"))
    with refused("final is final"):
        Run.objects.update(**changes)


def test_a_second_live_run_of_one_business_key_is_refused(engine: Bench) -> None:
    engine.start()
    with refused("one_live_unforked_run_per_business_key"):
        copy_of_the_run()


FORKED = {"forked": True}


@pytest.mark.parametrize("changes", [{"mode": "shadow"}, FORKED])
def test_a_shadow_or_a_fork_may_share_the_business_key(
    engine: Bench, changes: dict[str, Any]
) -> None:
    run = engine.start()
    if changes == FORKED:
        with by_force():  # what else a fork takes is asked for elsewhere
            copy_of_the_run(forked_from_id=run.id)
    else:
        copy_of_the_run(**changes)
    assert Run.objects.count() == 2


def test_a_checkpoint_is_append_only(lease: Lease) -> None:
    commit(lease)
    with refused("UPDATE of checkpoints_checkpoint_any refused"):
        Checkpoint.objects.update(node="x")
    with refused("DELETE of checkpoints_checkpoint_any refused"):
        Checkpoint.objects.all().delete()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"digest": bytes(32)}, "checkpoint_digest_is_of_its_header"),
        ({"state": b'{"x":2}'}, "checkpoint_state_is_what_its_header_says"),
        ({"parent_seq": 2}, "checkpoint_follows_its_parent"),
        ({"parent_seq": -1}, "checkpoint_follows_its_parent"),
        ({"seq": 0, "parent_seq": -1}, "checkpoint_follows_its_parent"),
        ({"seq": 3}, "checkpoint_follows_one_of_its_combo_without_a_gap"),
        ({"seq": 1, "parent_seq": 0}, "checkpoints_checkpoint_any_pkey"),
        ({"combo_id": 10**9}, "checkpoint_follows_one_of_its_combo_without_a_gap"),
        ({"seq": 1, "parent_seq": 0, "combo_id": 10**9}, "is_of_a_run_and_its_combo"),
        ({"seq": 1, "parent_seq": 0, "run_id": uuid4()}, "is_of_a_run_and_its_combo"),
        ({"run_id": uuid4()}, "checkpoint_follows_one_of_its_combo_without_a_gap"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused(
    lease: Lease, changes: dict[str, Any], says: str
) -> None:
    commit(lease, step({"x": 1}))
    columns = Checkpoint.objects.filter(run_id=lease.run_id).values().get()
    columns["seq"], columns["parent_seq"] = 2, 1
    with refused(says):
        insert_checkpoint({**columns, **changes})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE checkpoints_run SET combo_id = combo_id + 1", "a_run_moves_only_as_ordered"),
        ("UPDATE checkpoints_run SET id = gen_random_uuid()", "a run stays"),
        ("DELETE FROM checkpoints_run", "a run stays"),
    ],
)
def test_what_a_checkpoint_names_stays(engine: Bench, change: str, says: str) -> None:
    engine.start()
    with refused(says):
        run_sql(change)


def test_a_referenced_blob_cannot_be_deleted(engine: Bench, lease: Lease) -> None:
    blob = str(blobs.put(lease.tenant_id, b"x")["$blob"])
    commit(lease, step(blobs=(blob,)))
    judge_now()
    with refused("a_referenced_blob_cannot_be_deleted"):
        Blob.objects.all().delete()


def test_a_reference_needs_its_blob_at_its_tenant(engine: Bench, lease: Lease) -> None:
    with refused("a_referenced_blob_cannot_be_deleted"):
        BlobReference.objects.bulk_create(
            [BlobReference(run_id=lease.run_id, tenant_id=lease.tenant_id, digest=bytes(32))]
        )


def test_checkpoints_and_events_are_partitioned_by_run(lease: Lease) -> None:
    commit(lease)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT partrelid::regclass::text FROM pg_partitioned_table ORDER BY 1",
        )
        tables = [row[0] for row in cursor.fetchall()]
    assert tables == ["checkpoints_checkpoint", "checkpoints_event"]
    assert Event.objects.get().run_id == lease.run_id


def copy_of_the_run(**changes: Any) -> None:
    columns = Run.objects.values().get()
    Run.objects.bulk_create([Run(**{**columns, "id": uuid7(), **changes})])


def insert_checkpoint(columns: dict[str, Any]) -> None:
    names = ", ".join(columns)
    marks = ", ".join(["%s"] * len(columns))
    run_sql(f"INSERT INTO checkpoints_checkpoint ({names}) VALUES ({marks})", *columns.values())
