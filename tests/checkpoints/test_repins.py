"""A run's combo moves only as ordered, at a boundary, with nobody at it and nothing of it out."""

from dataclasses import replace
from uuid import uuid4

import pytest

from canonical import digests
from canonical import json as canonical
from checkpoints import commits, reading, repins, runs
from checkpoints.errors import DamagedRecordError, LeaseLostError, RepinRefusedError
from checkpoints.models import Checkpoint, Combo, Event, Repin, Run, Successor
from checkpoints.repins import Cause
from tenants.clock import ClockTimestamp
from tenants.models import AuditRow
from tests.checkpoints.combos import another
from tests.checkpoints.moves import SHELL, insert, moved, ordered
from tests.checkpoints.records import by_force, commit, fresh, refused, run_sql, step
from tests.engine.turns import Bench

pytestmark = pytest.mark.django_db
MOVE = "UPDATE checkpoints_run SET combo_id = %s WHERE id = %s"


def full(run: Run) -> Run:
    return Run.objects.select_related("combo", "tenant").get(pk=run.pk)


@pytest.fixture
def run(engine: Bench) -> Run:
    return full(engine.start(steps=3))


@pytest.fixture
def other(run: Run) -> Combo:
    return another("steps", "otherwise")


def test_a_run_moves_as_ordered_and_leaves_an_event_and_an_audit_row(
    run: Run, other: Combo
) -> None:
    repin, was = moved(run, other), run.combo
    after = full(run)
    assert (after.combo, after.first_combo, after.moving_to) == (other, was, None)
    assert (repin.ended, repin.seq, repin.from_combo, repin.to_combo) == ("moved", 0, was, other)
    told = list(Event.objects.filter(run_id=run.pk).order_by("id").values_list("what", flat=True))
    assert told == ["started", "ordered to move", "moved to combo"]
    verbs = AuditRow.objects.filter(subject=f"run {run.pk}").values_list("verb", flat=True)
    assert {"ordered to move", "moved to combo"} <= set(verbs)
    assert after.wakes == run.wakes + 2


def test_an_open_order_stands_on_the_run_and_goes_with_its_end(run: Run, other: Combo) -> None:
    repin = ordered(run, other)
    assert full(run).moving_to == other
    repins.withdraw(repin, why="not needed", actor=SHELL)
    assert full(run).moving_to is None
    assert full(run).combo == run.combo
    with pytest.raises(RepinRefusedError, match="has ended"):
        repins.move(repin, actor=SHELL)


def test_a_run_has_one_open_order(run: Run, other: Combo) -> None:
    ordered(run, other)
    with pytest.raises(RepinRefusedError, match="ordered already"):
        ordered(run, another("steps", "yet another"))
    with refused("one_open_repin_per_run"):
        insert(run, another("steps", "a third"))


@pytest.mark.parametrize(
    ("how", "says"),
    [({"why": " "}, "Say why"), ({"to": "own"}, "already"), ({"to": "foreign"}, "another task")],
)
def test_what_makes_no_sense_is_not_ordered(
    run: Run, other: Combo, how: dict[str, str], says: str
) -> None:
    to = {"own": run.combo, "foreign": another("strict", "x")}.get(how.pop("to", ""), other)
    with pytest.raises(RepinRefusedError, match=says):
        ordered(run, to, **how)


def test_postgresql_moves_no_run_without_an_order_or_elsewhere(run: Run, other: Combo) -> None:
    with refused("a_run_moves_only_as_ordered"):
        run_sql(MOVE, other.pk, run.pk)
    ordered(run, other)
    with refused("a_run_moves_only_as_ordered"):
        run_sql(MOVE, another("steps", "elsewhere").pk, run.pk)
    with refused("a_move_is_whole"):
        run_sql(MOVE, other.pk, run.pk)


def test_postgresql_moves_no_run_that_somebody_is_at(engine: Bench, run: Run, other: Combo) -> None:
    repin, lease = ordered(run, other), engine.acquire()
    assert lease.run_id == run.pk
    with pytest.raises(RepinRefusedError, match="A worker is at the run"):
        repins.move(repin, actor=SHELL)
    with refused("no_leased_run_is_moved"):
        run_sql(MOVE, other.pk, run.pk)


def test_postgresql_moves_no_run_past_an_effect_that_is_out(run: Run, other: Combo) -> None:
    repin = ordered(run, other)
    Run.objects.filter(pk=run.pk).update(effect_in_flight=uuid4())
    with pytest.raises(RepinRefusedError, match="take in what became of an effect"):
        repins.move(repin, actor=SHELL)
    with refused("no_run_is_moved_past_an_unsettled_effect"):
        run_sql(MOVE, other.pk, run.pk)


def test_postgresql_moves_no_run_that_has_ended(engine: Bench, run: Run, other: Combo) -> None:
    repin, lease = ordered(run, other), engine.acquire()
    runs.finish(lease, runs.Outcome("cancelled", "cancelled_by_person", "Over."), actor=SHELL)
    with pytest.raises(RepinRefusedError, match="has ended"):
        repins.move(repin, actor=SHELL)
    with refused("no_final_run_is_moved"):
        run_sql(MOVE, other.pk, run.pk)
    repins.withdraw(repin, why="it ended", actor=SHELL)
    with pytest.raises(RepinRefusedError, match="The run has ended"):
        ordered(run, other)
    with refused("no_final_run_is_moved"):
        insert(run, other)


def test_an_order_is_of_its_run_as_it_is(run: Run, other: Combo) -> None:
    third = another("steps", "third")
    with refused("a_repin_is_of_its_run_as_it_is"):
        insert(run, third, from_combo_id=other.pk)
    with refused("a_run_stays_among_combos_of_its_task"):
        insert(run, another("strict", "x"))
    with refused("a_repin_begins_open"):
        insert(run, other, ended="withdrawn", ended_at="2026-01-01T00Z", sentence="so")
    with refused("a_successor_is_declared"):
        insert(run, other, cause="successor", reference=None)
    with refused("a_repin_has_a_cause"):
        insert(run, other, reference=None)


def test_an_order_stays_what_it_is_and_ends_once(run: Run, other: Combo) -> None:
    mine = Repin.objects.filter(pk=ordered(run, other).pk)
    with refused("a_repin_stays_what_it_is_and_ends_once"):
        mine.update(why="another reason")
    with refused("a_moved_run_has_moved"):
        mine.update(ended="moved", ended_at=ClockTimestamp(), seq=0)
    with refused("an_ended_repin_says_how_and_when"):
        mine.update(ended="refused", ended_at=ClockTimestamp())
    mine.update(ended="withdrawn", ended_at=ClockTimestamp(), sentence="so")
    with refused("a_repin_stays_what_it_is_and_ends_once"):
        mine.update(ended="", ended_at=None, sentence="")
    with refused("only ever added"):
        mine.delete()


def test_nobody_writes_what_the_run_says_of_it_by_hand(run: Run, other: Combo) -> None:
    with refused("a_run_says_where_it_is_ordered"):
        Run.objects.filter(pk=run.pk).update(moving_to=other)
    with refused("what_a_run_was_started_on_stays"):
        Run.objects.filter(pk=run.pk).update(first_combo=other)
    ordered(run, other)
    with refused("a_run_says_where_it_is_ordered"):
        Run.objects.filter(pk=run.pk).update(moving_to=None)


def test_a_commit_says_that_its_run_is_to_move(engine: Bench, run: Run, other: Combo) -> None:
    lease = engine.acquire()
    before = reading.load_head(fresh(lease)).ancestry(fresh(lease))
    assert not commits.commit(lease, before, step()).called_away
    lease = replace(lease, head=1)
    ordered(run, other)
    before = reading.load_head(fresh(lease)).ancestry(fresh(lease))
    assert commits.commit(lease, before, step()).called_away


def test_after_a_move_nothing_is_committed_under_the_old_combo(
    engine: Bench, run: Run, other: Combo
) -> None:
    lease = commit(engine.acquire())
    runs.yield_to_others(lease)
    moved(run, other)
    lease = engine.acquire()
    assert lease.combo_id == other.pk
    stale = replace(
        reading.load_head(fresh(lease)).ancestry(fresh(lease)), combo_digest=run.combo.hex
    )
    with pytest.raises(LeaseLostError):
        commits.commit(replace(lease, combo_id=run.combo_id), stale, step())
    commit(lease)
    combos = (
        Checkpoint.objects.filter(run_id=run.pk).order_by("seq").values_list("combo", flat=True)
    )
    assert list(combos) == [run.combo_id, other.pk]


def test_a_chain_that_moved_there_and_back_verifies_whole(engine: Bench, run: Run) -> None:
    own, other = run.combo, another("steps", "otherwise")
    moved(run, other)  # before its first checkpoint
    for to in (own, other, own):
        lease = commit(commit(engine.acquire()))
        runs.yield_to_others(lease)
        moved(full(run), to)
    commit(engine.acquire())
    after = full(run)
    assert reading.verify_run(after) == []
    found = Checkpoint.objects.filter(run_id=run.pk).order_by("seq").values_list("combo", flat=True)
    assert list(found) == [other.pk, other.pk, own.pk, own.pk, other.pk, other.pk, own.pk]
    with by_force():
        Repin.objects.filter(run=run, seq=4).update(seq=3)
    with pytest.raises(DamagedRecordError, match="says combo"):
        reading.load(full(run), 4)


def test_a_move_within_one_boundary_goes_on_under_the_last(engine: Bench, run: Run) -> None:
    runs.yield_to_others(commit(engine.acquire()))
    third = another("steps", "third")
    for to in (another("steps", "second"), third):
        moved(full(run), to)
    commit(engine.acquire())
    assert reading.verify_run(full(run)) == []
    assert Checkpoint.objects.get(run_id=run.pk, seq=2).combo == third


def test_a_checkpoint_is_of_its_run_s_combo_whatever_a_worker_says(
    engine: Bench, run: Run, other: Combo
) -> None:
    """As somebody would write it who goes past the commit."""
    lease = commit(engine.acquire())
    row = Checkpoint.objects.get(run_id=run.pk, seq=1)
    header = canonical.loads_object(bytes(row.header)) | {"seq": 2}
    content = canonical.dumps(header)
    with refused("checkpoint_follows_one_of_its_combo_without_a_gap"):
        Checkpoint.objects.create(
            run_id=run.pk,
            seq=2,
            parent_seq=1,
            node="count",
            next_node="count",
            state=row.state,
            header=content,
            digest=bytes.fromhex(digests.sha256_hex(content)),
            fence=lease.fence,
            combo=other,
        )


def test_a_successor_is_of_the_same_task_and_stays(run: Run, other: Combo) -> None:
    made = Successor.objects.create(combo=other, of=run.combo, declared_by="ada")
    with refused("only ever added"):
        Successor.objects.filter(pk=made.pk).update(declared_by="bob")
    with refused("a_successor_is_of_the_same_task"):
        Successor.objects.create(combo=another("strict", "x"), of=run.combo, declared_by="ada")
    assert ordered(run, other, cause=Cause.successor()).cause == "successor"
