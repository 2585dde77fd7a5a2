"""One turn with a run: what stops it, what it survives, and where it goes on."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from approvals.models import ApprovalRequest
from checkpoints import reading, runs
from checkpoints.graph import COMPUTE, Graph, Proposal
from checkpoints.models import Case, Checkpoint, Recovery, Run
from execution.executor import WENT_BACK_NODE
from reconciliation import verdicts
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tests.checkpoints import tampering
from tests.checkpoints.records import judge_now
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.graphs import acting, graph, install, raises, returns, single
from tests.execution.runs import bounded_turn, due, full, head, waiting

SWEEPER = Actor.machine("sweeper")
ROWS = "SELECT * FROM checkpoints_checkpoint WHERE run_id = %s ORDER BY seq"


def on(engine: Bench, run: Run) -> Run:
    """A proposal left behind wakes its run: take that turn too."""
    if full(run).status == "queued":
        engine.turn()
    return full(run)


def rows(run: Run) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(ROWS, [run.id])
        return [tuple(map(_plain, row)) for row in cursor.fetchall()]


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def decide(engine: Bench, run: Run, verdict: str, **given: Any) -> None:
    case = Case.objects.get(run=run, decided_at=None)
    verdicts.give(case.id, Given(verdict, "because", **given), user=engine.approver)


# A run whose combo was swapped is never taken up: no worker here runs that combo.
DAMAGE = {**tampering.STATES, **tampering.BLOBS}
for combos in ("swap_the_runs_combo", "swap_both_combos"):
    del DAMAGE[combos]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_head_is_quarantined_and_its_bytes_stay(engine: Bench, damage: str) -> None:
    run = engine.start(steps=3)
    bounded_turn(engine, 4)
    DAMAGE[damage](full(run), 4)
    was = rows(run)
    due(run)
    engine.turn()
    judge_now()
    case = Case.objects.get(run=run)
    expected = "missing_blob" if damage in tampering.BLOBS else "damaged_checkpoint"
    assert (full(run).status, case.kind) == ("held", expected)
    assert rows(run) == was
    assert effects() == []


def test_a_damaged_run_goes_on_from_an_intact_checkpoint(engine: Bench) -> None:
    run = waiting(engine)
    tampering.change_the_state(full(run), 6)
    due(run)
    engine.turn()
    decide(engine, run, "go_on_from", seq=4)
    engine.turn()
    back = Checkpoint.objects.get(run_id=run.id, node=WENT_BACK_NODE)
    assert (back.seq, back.parent_seq, back.next_node) == (7, 4, "think")
    assert on(engine, run).reason == "for_approval"
    assert Case.objects.get().closed_at is not None
    reading.load_head(full(run))


def test_rule_12_going_back_only_moves_the_head_forward(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = counting(monkeypatch)
    run = engine.start("odd")
    engine.turn()
    made.nodes["second"] = replace_run(made, "second", returns({"n": 2}))
    decide(engine, run, "go_on_from", seq=1)
    engine.turn()
    chain = Checkpoint.objects.filter(run_id=run.id).order_by("seq")
    assert list(chain.values_list("seq", "parent_seq", "node")) == [
        (1, 0, "first"),
        (2, 1, WENT_BACK_NODE),
        (3, 2, "second"),
    ]
    assert full(run).status == "succeeded"
    assert reading.verify_run(full(run)) == []


def test_going_back_to_the_beginning_starts_at_the_start(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = counting(monkeypatch)
    run = engine.start("odd")
    engine.turn()
    made.nodes["second"] = replace_run(made, "second", returns({"n": 2}))
    decide(engine, run, "go_on_from", seq=0)
    engine.turn()
    nodes = list(Checkpoint.objects.order_by("seq").values_list("node", flat=True))
    assert nodes == ["first", WENT_BACK_NODE, "first", "second"]


def test_the_newest_of_two_verdicts_to_go_back_counts(engine: Bench) -> None:
    """The first led to a checkpoint that is damaged too."""
    run = waiting(engine)
    tampering.change_the_state(full(run), 6)
    tampering.truncate_the_state(full(run), 4)
    due(run)
    engine.turn()
    for seq in (4, 3):
        decide(engine, run, "go_on_from", seq=seq)
        engine.turn()
    assert on(engine, run).reason == "for_approval"
    assert Checkpoint.objects.get(node=WENT_BACK_NODE).parent_seq == 3


def test_going_back_past_a_proposal_withdraws_it(engine: Bench) -> None:
    """What was asked about state that is left behind must not be sent."""
    run = waiting(engine)
    tampering.change_the_state(full(run), 6)
    engine.decide(run)
    engine.turn()
    decide(engine, run, "go_on_from", seq=2)
    engine.turn()
    on(engine, run)
    old, new = Action.objects.order_by("proposed_at")
    assert (old.outcome, old.because) == ("did_not_happen", "withdrawn")
    assert old.absorbed_seq is not None
    assert (new.stands, new.generation) == ("proposed", 2)
    states = list(ApprovalRequest.objects.order_by("asked_at").values_list("state", flat=True))
    assert states == ["withdrawn", "open"]
    assert effects() == []


def test_rule_5_going_back_past_what_happened_uses_its_outcome_again(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = acting(monkeypatch, absorb=raises(ValueError("no")))
    run = engine.start("odd")
    engine.turn()
    engine.decide(run)
    engine.turn()
    acting(monkeypatch)
    assert made.task_type == "odd"
    decide(engine, run, "go_on_from", seq=0)
    engine.turn()
    assert full(run).status == "succeeded"
    assert head(run)["heard"] == "happened"
    assert len(effects()) == Attempt.objects.count() == Action.objects.count() == 1


def test_rule_12_other_parameters_for_what_happened_are_a_case(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    acting(monkeypatch, absorb=raises(ValueError("no")))
    run = engine.start("odd")
    engine.turn()
    engine.decide(run)
    engine.turn()
    acting(monkeypatch, propose=lambda *_: Proposal("fake.void", {"what": "other"}))
    decide(engine, run, "go_on_from", seq=0)
    engine.turn()
    assert full(run).status == "held"
    assert Case.objects.get(run=run, decided_at=None).kind == "contradicted"
    assert len(effects()) == 1


def test_a_run_starts_at_the_start_of_its_graph_whatever_its_row_says(engine: Bench) -> None:
    """The row's next node is no part of any header yet."""
    run = engine.start(steps=2)
    Run.objects.update(next_node="think")
    engine.turn()
    first = Checkpoint.objects.get(seq=1)
    assert (first.node, full(run).status) == ("look", "succeeded")


def test_rule_17_five_crashes_in_a_row_are_held_and_the_sixth_turn_does_nothing(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    single(monkeypatch, raises(AssertionError("must not run")))
    run = engine.start("odd")
    for _ in range(5):
        lease = engine.acquire()
        runs.lapse(run.id, fence=lease.fence, why="killed by signal 9", actor=SWEEPER)
        due(run)
    engine.turn()
    judge_now()
    case = Case.objects.get(run=run)
    assert (case.kind, case.sentence) == (
        "crash_loop",
        "5 workers in a row died here without getting further; the last: killed by signal 9.",
    )
    assert Recovery.objects.filter(ended="interrupted").count() == 4


def test_rule_17_a_crash_loop_ends_where_the_head_moves(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = engine.start(steps=9)
    for _ in range(8):
        bounded_turn(engine, 1)
        Run.objects.update(status="running", reason="working", attempts=1, **_held_by_nobody())
        runs.lapse(run.id, fence=full(run).fence, why="killed", actor=SWEEPER)
        due(run)
    assert not Case.objects.exists()
    assert full(run).attempts <= 1


def test_a_success_condition_that_is_not_true_holds_the_run(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for condition in (lambda _: False, lambda _: "yes", raises(KeyError("x"))):
        made = single(monkeypatch, returns({}))
        object.__setattr__(made.manifest, "succeeded", condition)
        run = engine.start("odd")
        engine.turn()
        assert full(run).status == "held"
        assert "this is not true: it thought" in Case.objects.get(run=run).sentence


def test_an_interruption_ends_as_a_recovery_at_the_next_boundary(engine: Bench) -> None:
    run = engine.start(steps=3)
    lease = engine.acquire()
    runs.lapse(run.id, fence=lease.fence, why="killed", actor=SWEEPER)
    bounded_turn(engine, 1)
    recovery = Recovery.objects.get()
    assert recovery.ended == "recovered"
    assert recovery.new_boundary_at is not None


def counting(patch: pytest.MonkeyPatch) -> Graph:
    """Two nodes, of which the second fails until it is replaced."""
    made = graph()
    made.node("first", COMPUTE, to=["second"])(returns({"n": 1}, "second"))
    made.node("second", COMPUTE, to=["end"])(raises(ValueError("no")))
    return install(patch, made)


def replace_run(made: Graph, name: str, run: Any) -> Any:
    return replace(made.nodes[name], run=run)


def _held_by_nobody() -> dict[str, Any]:
    return {"holder": uuid4(), "lease_until": "2099-01-01T00Z"}
