"""Reading the record back: what was not committed like this is never used."""

import pytest

from canonical import digests
from canonical import json as canonical
from checkpoints import reading
from checkpoints.errors import DamagedRecordError, MissingBlobError
from checkpoints.headers import Step
from checkpoints.models import Checkpoint, Run
from tests.checkpoints import tampering
from tests.checkpoints.records import by_force, commit, fresh, step
from tests.engine.turns import Bench


@pytest.fixture
def run(engine: Bench) -> Run:
    """A finished run: look, count, count, count, think; a list of three, a blob."""
    run = engine.start(steps=3)
    engine.turn()
    return reread(run)


def reread(run: Run) -> Run:
    return Run.objects.select_related("combo", "tenant").get(pk=run.pk)


def test_the_head_is_read_back_as_it_was_committed(run: Run) -> None:
    head = reading.load_head(run)
    assert (head.seq, head.next_node, head.state["thought"]) == (5, "end", "3 steps")
    assert head.digest == bytes(Checkpoint.objects.get(run_id=run.id, seq=5).digest).hex()


def test_a_run_without_a_checkpoint_is_its_genesis(engine: Bench) -> None:
    run = reread(engine.start())
    head = reading.load_head(run)
    assert (head.seq, head.header, head.state, head.next_node) == (0, {}, {}, "look")


def test_what_the_next_header_inherits_comes_from_this_one(run: Run) -> None:
    ancestry = reading.load(run, 3).ancestry(run)
    assert (ancestry.seq, ancestry.done, ancestry.saw) == (3, 3, {"world": ["1", "look"]})
    assert ancestry.combo_digest == bytes(run.combo.digest).hex()


def test_an_intact_run_verifies(run: Run) -> None:
    assert reading.verify_run(run) == []


def test_a_run_that_works_on_while_it_is_verified_is_not_damaged(engine: Bench) -> None:
    engine.start()
    lease = commit(engine.acquire())
    read = fresh(lease)
    commit(lease)
    assert reading.verify_run(read) == []


# 2 has no blob and a parent that is no genesis: nothing else gives a foreign tenant away there.
@pytest.mark.parametrize("damage", tampering.STATES)
@pytest.mark.parametrize("seq", [2, 5])
def test_damage_is_found_when_the_checkpoint_is_read(run: Run, damage: str, seq: int) -> None:
    tampering.STATES[damage](run, seq)
    with pytest.raises(DamagedRecordError):
        reading.load(reread(run), seq)
    assert reading.verify_run(reread(run)) != []


@pytest.mark.parametrize("damage", tampering.BLOBS)
def test_a_missing_or_changed_blob_is_found_by_every_checkpoint_that_names_it(
    run: Run, damage: str
) -> None:
    tampering.BLOBS[damage](run, 5)
    reading.load(reread(run), 2)
    for seq in (3, 4, 5):
        with pytest.raises(MissingBlobError, match="is missing or damaged"):
            reading.load(reread(run), seq)


def test_another_input_is_found_where_the_chain_begins(run: Run) -> None:
    content = b'{"steps":4}'
    with by_force(*tampering.RULES):
        Run.objects.filter(pk=run.pk).update(input=content)
    with pytest.raises(DamagedRecordError, match="the input is not what its digest says"):
        reading.load(reread(run), 1)


def test_another_input_with_its_digest_is_found_too(run: Run, engine: Bench) -> None:
    other = engine.start(steps=4)
    with by_force():
        Run.objects.filter(pk=run.pk).update(input=other.input, input_digest=other.input_digest)
    with pytest.raises(DamagedRecordError, match="the parent 0 is not the one"):
        reading.load(reread(run), 1)


def test_a_header_rewritten_whole_is_found_by_the_checkpoint_after_it(run: Run) -> None:
    tampering.change_the_parents_digest(run, 4)
    reading.load(reread(run), 3)
    damage = reading.verify_run(reread(run))
    assert damage == ["checkpoint 4: the parent 3 is not the one the header names"]


def test_checkpoints_beyond_the_head_are_found(run: Run) -> None:
    with by_force():
        Run.objects.filter(pk=run.pk).update(head=3)
    assert reading.verify_run(reread(run))[-1] == "2 checkpoints lie beyond the head 3"


def test_a_list_is_read_back_as_of_each_checkpoint(run: Run) -> None:
    for seq, count in ((1, 0), (2, 1), (3, 2), (5, 3)):
        items = reading.chain_items(run, reading.load(run, seq), "log")
        assert [item["step"] for item in items] == list(range(1, count + 1))


@pytest.mark.parametrize(
    "appended",
    [
        None,
        b'{"log":[{"step":2,"text":"altered"}]}',
        b'{"log":[]}',
        b'{"log":[1,2]}',
        b'{"log":{}}',
        b"{",
        b"[]",
        b"\x80\x04",
    ],
)
def test_changed_items_of_a_list_are_found(run: Run, appended: bytes | None) -> None:
    with by_force(*tampering.RULES):
        Checkpoint.objects.filter(run_id=run.id, seq=3).update(appended=appended)
    head = reading.load_head(reread(run))
    with pytest.raises(DamagedRecordError):
        reading.chain_items(reread(run), head, "log")
    assert len(reading.verify_run(reread(run))) == 1


def test_a_list_forgets_what_was_appended_after_the_checkpoint_gone_back_to(
    engine: Bench,
) -> None:
    engine.start()
    lease = engine.acquire()
    lengths = []
    for text, parent in (("a", 0), ("b", 1), ("c", 2), ("d", 1)):
        lease = commit(lease, _appending(fresh(lease), text, parent), parent=parent)
        loaded = reading.load_head(fresh(lease))
        lengths.append("".join(reading.chain_items(fresh(lease), loaded, "log")))
    assert lengths == ["a", "ab", "abc", "ad"]
    assert reading.verify_run(fresh(lease)) == []


def _appending(run: Run, text: str, parent: int) -> Step:
    loaded = reading.load(run, parent)
    at = loaded.state.get("$chains", {}).get("log", {"length": 0, "digest": digests.GENESIS})
    tail = digests.chain(at["digest"], canonical.dumps(text))
    chains = {"log": {"length": at["length"] + 1, "digest": tail}}
    return step({"$chains": chains}, appended=canonical.dumps({"log": [text]}))
