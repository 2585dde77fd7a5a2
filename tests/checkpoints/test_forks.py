"""Forks in the record: a copy that stands by itself and says where it was taken from."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from canonical import digests
from canonical import json as canonical
from checkpoints import forks, reading
from checkpoints.errors import DamagedRecordError
from checkpoints.headers import proposed_for_good, written
from checkpoints.ids import uuid7
from checkpoints.models import BlobReference, Checkpoint, Event, Fork, Run
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.checkpoints.records import by_force, refused
from tests.engine.turns import Bench


@pytest.fixture
def source(engine: Bench) -> Run:
    """A finished run: look, count, count, count, think; a list of three, a blob."""
    run = engine.start(steps=3)
    engine.turn()
    return reread(run)


def reread(run: Run) -> Run:
    return Run.objects.select_related("combo", "tenant").get(pk=run.pk)


def fork(engine: Bench, source: Run, seq: int, **more: Any) -> Run:
    asked = forks.Asked(source.combo, "try it anew", uuid4(), **more)
    with transaction.atomic():
        made = forks.write(
            source, forks.copied(source, seq), asked, actor=Actor.person(engine.starter)
        )
    return reread(made)


@pytest.mark.parametrize("seq", range(6))
def test_a_fork_of_any_checkpoint_verifies_and_ends_as_its_source(
    engine: Bench, source: Run, seq: int
) -> None:
    before = Checkpoint.objects.filter(run_id=source.id).order_by("seq").values()
    was, was_run = list(before), Run.objects.filter(pk=source.pk).values().get()
    made = fork(engine, source, seq)
    assert reading.verify_run(made) == []
    assert reading.load_head(made).state == reading.load(source, seq).state
    engine.turn()
    made = reread(made)
    assert (made.status, reading.verify_run(made)) == ("succeeded", [])
    head, its = reading.load_head(made), reading.load_head(source)
    assert head.state == its.state
    assert reading.chain_items(made, head, "log") == reading.chain_items(source, its, "log")
    assert list(before.all()) == was
    assert Run.objects.filter(pk=source.pk).values().get() == was_run


def test_its_header_names_the_checkpoint_it_was_taken_from(engine: Bench, source: Run) -> None:
    made = fork(engine, source, 3)
    header = reading.load(made, 1).header
    its = reading.load(source, 3)
    assert header["forked"] == {
        "run": str(source.id),
        "seq": 3,
        "checkpoint": written(its.digest),
    }
    assert (header["node"], header["next"], header["done"]) == ("(forked)", its.next_node, 4)
    assert (header["saw"], made.effect_scope) == (its.header["saw"], source.effect_scope)


def test_its_blobs_are_its_own_references(engine: Bench, source: Run) -> None:
    made = fork(engine, source, 3)
    mine = BlobReference.objects.filter(run=made).values_list("digest", flat=True)
    its = BlobReference.objects.filter(run=source).values_list("digest", flat=True)
    assert [bytes(each) for each in mine] == [bytes(each) for each in its]
    assert mine.count() == 1


def test_who_forked_and_why_stands_in_both_histories_and_the_audit_trail(
    engine: Bench, source: Run
) -> None:
    made = fork(engine, source, 3)
    assert Event.objects.get(run_id=made.id).what == "forked"
    assert Event.objects.filter(run_id=source.id, what="was forked").get().detail["run"] == str(
        made.id
    )
    row = AuditRow.objects.get(verb="forked")
    assert (row.detail["fork"], row.detail["reason"]) == (str(made.id), "try it anew")


def test_a_fork_whose_source_changed_afterwards_is_damaged(engine: Bench, source: Run) -> None:
    made = fork(engine, source, 3)
    with by_force():
        Checkpoint.objects.filter(run_id=source.id, seq=3).update(digest=b"x" * 32)
    with pytest.raises(DamagedRecordError, match="is not what it was then"):
        reading.load(made, 1)


def test_a_fork_that_names_another_origin_is_damaged(engine: Bench, source: Run) -> None:
    made = fork(engine, source, 3)
    with by_force():
        Fork.objects.filter(run=made).update(seq=2)
    with pytest.raises(DamagedRecordError):
        reading.load(made, 1)


def test_a_run_that_says_it_was_forked_and_was_not_is_damaged(engine: Bench, source: Run) -> None:
    header = reading.load(source, 1).header | {"forked": {"run": str(uuid4())}}
    content = canonical.dumps(header)
    with by_force():
        digest = bytes.fromhex(digests.sha256_hex(content))
        Checkpoint.objects.filter(run_id=source.id, seq=1).update(header=content, digest=digest)
    with pytest.raises(DamagedRecordError, match="names another origin"):
        reading.load(source, 1)


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"effect_scope": uuid4()}, "a_fork_is_of_its_source"),
        ({"business_key": "another"}, "a_fork_is_of_its_source"),
        ({"head": 2}, "a_fork_begins_at_its_first_checkpoint"),
        ({"status": "waiting", "reason": "for_retry"}, "a_fork_begins_at_its_first_checkpoint"),
    ],
)
def test_the_database_refuses_a_fork_that_is_not_of_its_source(
    engine: Bench, source: Run, change: dict[str, Any], constraint: str
) -> None:
    made = fork(engine, source, 3)
    twin = reread(made)
    twin.pk = uuid7()
    for name, value in change.items():
        setattr(twin, name, value)
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        twin.save(force_insert=True)


def test_the_database_refuses_to_fork_a_run_that_is_at_work(engine: Bench) -> None:
    run = reread(engine.start(steps=3))
    with pytest.raises(IntegrityError, match="only_a_final_or_held_run_is_forked"):
        fork(engine, run, 0)


def test_the_database_refuses_a_fork_without_its_row(engine: Bench, source: Run) -> None:
    twin = reread(fork(engine, source, 3))
    twin.pk = uuid7()
    with refused("says not from where"):
        twin.save(force_insert=True)


def test_a_run_never_leaves_its_lineage(engine: Bench, source: Run) -> None:
    made = fork(engine, source, 3)
    for change in ({"effect_scope": uuid4()}, {"forked_from": None}):
        with pytest.raises(IntegrityError, match="never changes"), transaction.atomic():
            Run.objects.filter(pk=made.pk).update(**change)


def test_one_request_is_one_fork(engine: Bench, source: Run) -> None:
    asked = forks.Asked(source.combo, "once", uuid4())
    copy, actor = forks.copied(source, 2), Actor.person(engine.starter)
    with transaction.atomic():
        forks.write(source, copy, asked, actor=actor)
    with pytest.raises(IntegrityError, match="one_fork_per_request"), transaction.atomic():
        forks.write(source, copy, asked, actor=actor)
    assert Fork.objects.count() == 1


def test_a_proposal_of_the_checkpoint_itself_is_made_again_with_the_same_ordinal() -> None:
    mark = {"id": "x", "parameters": "y", "is": "proposed"}
    at = {"node": "act", "proposals": {"act": 2, "mail": 1}, "actions": [mark]}
    assert proposed_for_good(at) == {"act": 1, "mail": 1}
    assert proposed_for_good({**at, "actions": [{**mark, "is": "happened:answered"}]}) == {
        "act": 2,
        "mail": 1,
    }
    assert proposed_for_good({}) == {}
