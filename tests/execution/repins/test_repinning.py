"""Moving a run to another combo: at once, at its next boundary, or once its effect is taken in."""

import pytest
from django.db import transaction

from approvals.models import Approval, ApprovalRequest
from checkpoints import reading, registry, repins
from checkpoints.errors import RepinRefusedError
from checkpoints.graph import Context, State, To
from checkpoints.models import Checkpoint, Combo, Repin, Run
from execution import repinning
from reconciliation.models import Action
from tests.checkpoints.combos import another
from tests.checkpoints.records import refused, run_sql
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.repins.pools import CAUSE, SHELL, code, lost, wear
from tests.execution.runs import bounded_turn, full, head, waiting

pytestmark = pytest.mark.django_db(transaction=True)


def order(run: Run, to: Combo) -> Repin:
    return repinning.order(run, to, why="it is worse", cause=CAUSE, actor=SHELL)


def combos(run: Run) -> list[int]:
    found = Checkpoint.objects.filter(run_id=run.pk).order_by("seq")
    return list(found.values_list("combo_id", flat=True))


def test_a_run_that_nobody_is_at_moves_as_it_is_ordered(engine: Bench) -> None:
    run = engine.start(steps=4)
    bounded_turn(engine, 2)
    own, to = full(run).combo, another("steps", "otherwise")
    repin = order(run, to)
    assert (repin.ended, repin.seq, full(run).combo) == ("moved", 2, to)
    assert full(run).sentence == f"Moved to combo {to}; goes on with the next free worker."
    engine.turn()
    done = full(run)
    assert done.status == "succeeded"
    assert combos(run) == [own.pk] * 2 + [to.pk] * (done.head - 2)
    assert reading.verify_run(done) == []


def test_a_run_moves_before_its_first_checkpoint_too(engine: Bench) -> None:
    run, to = engine.start(steps=2), another("steps", "otherwise")
    assert order(run, to).seq == 0
    engine.turn()
    assert (full(run).status, set(combos(run))) == ("succeeded", {to.pk})
    assert reading.verify_run(full(run)) == []


def test_a_run_that_a_worker_is_at_moves_at_its_next_boundary(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first(_state: State, context: Context) -> To:
        orders.append(order(Run.objects.get(pk=context.run_id), to))
        return To("second", {"amount": 1, "by": [1]})

    orders: list[Repin] = []
    wear(monkeypatch, code(1, first=first))
    to, run = another("odd", "otherwise"), engine.start("odd")
    engine.turn()
    assert [each.ended for each in orders] == [""]
    assert (full(run).head, full(run).combo, full(run).status) == (1, to, "queued")
    assert Repin.objects.get().seq == 1
    engine.turn()
    assert combos(run) == [run.combo_id, to.pk, to.pk]


@pytest.mark.parametrize("answer", ["", "approve"])
def test_what_is_proposed_and_not_sent_is_withdrawn_and_proposed_anew(
    engine: Bench, answer: str
) -> None:
    run, to = waiting(engine), another("steps", "otherwise")
    if answer:
        engine.decide(run, answer)
    first = Action.objects.get()
    assert order(run, to).ended == "moved"
    first.refresh_from_db()
    assert (first.stands, first.outcome, first.because) == (
        "settled",
        "did_not_happen",
        "withdrawn",
    )
    assert ApprovalRequest.objects.get().state == "withdrawn"
    assert not Approval.objects.filter(state="unused").exists()
    engine.turn()
    again = Action.objects.get(absorbed_seq=None)
    assert (again.ordinal, again.generation) == (first.ordinal, first.generation + 1)
    assert (full(run).reason, effects()) == ("for_approval", [])
    engine.decide(run)
    engine.turn()
    assert full(run).status == "succeeded"
    assert len(effects()) == 1
    assert reading.verify_run(full(run)) == []


def test_rule_12_who_proposed_an_effect_that_is_out_takes_it_in(engine: Bench) -> None:
    run, to = waiting(engine), another("steps", "otherwise")
    own = full(run).combo
    with lost(engine):
        engine.decide(run)
        engine.turn()
    assert full(run).effect_in_flight is not None
    repin = order(run, to)
    assert (repin.ended, full(run).combo) == ("", own)
    assert repinning.try_to_move(run.pk) is None
    assert repinning.move_due() == 0
    engine.turn()
    absorbed = Action.objects.get().absorbed_seq
    assert absorbed is not None
    assert Checkpoint.objects.get(run_id=run.pk, seq=absorbed).combo == own
    assert len(effects()) == 1


def test_rule_12_postgresql_moves_no_run_with_an_open_action(engine: Bench) -> None:
    run = waiting(engine)
    repin = repins_order(run)
    with refused("no_run_is_moved_with_an_open_action"):
        run_sql("UPDATE checkpoints_run SET combo_id = %s WHERE id = %s", repin.to_combo_id, run.pk)


def test_a_no_of_people_is_heard_by_the_combo_that_asked(engine: Bench) -> None:
    run, to = waiting(engine), another("steps", "otherwise")
    engine.decide(run, "reject")
    assert order(run, to).ended == ""
    engine.turn()
    assert Action.objects.get().because == "rejected"
    assert head(run)["heard"] == [["rejected", "because"]]
    assert ApprovalRequest.objects.count() == 1


def test_a_held_run_moves_and_stays_held(engine: Bench) -> None:
    run = engine.start(steps=3, tool="no such tool", what="a")
    engine.turn()
    assert full(run).status == "held"
    to = another("steps", "otherwise")
    assert order(run, to).ended == "moved"
    assert (full(run).status, full(run).combo) == ("held", to)


def test_an_order_for_a_run_that_ends_meanwhile_is_withdrawn(engine: Bench) -> None:
    run = waiting(engine)
    repins_order(run)
    engine.decide(run, "reject")
    engine.turn()
    assert full(run).status in ("failed", "succeeded")
    assert repinning.move_due() == 1
    ended = Repin.objects.get()
    assert (ended.ended, ended.sentence) == ("withdrawn", "The run had ended.")


def test_the_sweeper_moves_what_was_ordered_and_left(engine: Bench) -> None:
    run = engine.start(steps=2)
    to = repins_order(run).to_combo
    assert repinning.move_due() == 1
    assert full(run).combo == to
    assert repinning.move_due() == 0


def test_a_refused_order_leaves_nothing(engine: Bench) -> None:
    run = waiting(engine)
    with pytest.raises(RepinRefusedError):
        order(run, full(run).combo)
    assert ApprovalRequest.objects.get().state == "open"
    assert registry.runs_here(full(run).combo)


def repins_order(run: Run) -> Repin:
    """Ordered in the record alone, as by somebody who was killed before the move."""
    to = another("steps", "otherwise")
    with transaction.atomic():
        return repins.order(run, to, why="so", cause=CAUSE, actor=SHELL)
