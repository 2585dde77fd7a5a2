"""Cancelling a run in every phase of its effect: nothing is sent late, and nothing is denied."""

from typing import Any

import pytest

from approvals.models import Approval, ApprovalRequest
from checkpoints import runs
from checkpoints.graph import To
from checkpoints.models import Case, Checkpoint, Run
from reconciliation import verdicts
from reconciliation.models import Action, Attempt
from reconciliation.verdicts import Given
from tenants.actors import Actor
from tests.checkpoints import tampering
from tests.checkpoints.records import by_force
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.graphs import single
from tests.execution.runs import PAST, bounded_turn, due, full, waiting
from tests.reconciliation.oddtools import Late, lost, put

ADA = Actor.machine("Ada")


def cancel(run: Run) -> None:
    runs.request_cancel(run.id, why="wrong input", actor=ADA)


def cancelled(engine: Bench, run: Run) -> Run:
    """Cancel, and take the turn that ends it."""
    cancel(run)
    engine.turn()
    found = full(run)
    assert (found.status, found.stop_reason) == ("cancelled", "cancelled_by_person")
    assert found.sentence == "Cancelled by Ada."
    assert found.effect_in_flight is None
    return found


def test_before_the_first_node_nothing_runs(engine: Bench) -> None:
    cancelled(engine, engine.start())
    assert not Checkpoint.objects.exists()


def test_between_two_nodes_the_next_one_does_not_run(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask_to_cancel(state: Any, context: Any) -> To:
        cancel(Run.objects.get())
        return To("first", state)

    single(monkeypatch, ask_to_cancel, to=("first", "end"))
    run = engine.start("odd")
    bounded_turn(engine)
    assert (full(run).status, Checkpoint.objects.count()) == ("cancelled", 1)


def test_while_people_are_asked_the_question_is_withdrawn(engine: Bench) -> None:
    cancelled(engine, waiting(engine))
    assert ApprovalRequest.objects.get().state == "withdrawn"
    action = Action.objects.get()
    assert (action.outcome, action.because) == ("did_not_happen", "withdrawn")


def test_after_the_yes_the_approval_is_withdrawn_unused(engine: Bench) -> None:
    run = waiting(engine)
    engine.decide(run)
    cancelled(engine, run)
    assert Approval.objects.get().state == "withdrawn"
    assert (effects(), Attempt.objects.count()) == ([], 0)


def test_what_may_be_void_is_made_void_and_never_lands(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Late()
    run = waiting(engine)
    engine.decide(run)
    tool = put(monkeypatch, "fake.void")
    tool.performing = late.hold
    engine.fault("silent")
    engine.turn()
    assert full(run).reason == "for_look_up"
    (engine.world / "fault-silent").unlink()
    cancelled(engine, run)
    assert (Action.objects.get().because, Attempt.objects.get().outcome) == ("voided", "voided")
    late.arrive(tool)
    assert effects() == []


def test_what_has_arrived_stands_and_is_told(engine: Bench) -> None:
    run = waiting(engine)
    engine.fault("drop_answer")
    silent = engine.fault("silent")
    engine.decide(run)
    engine.turn()
    silent.unlink()
    cancelled(engine, run)
    assert Action.objects.get().outcome == "happened"
    assert len(effects()) == 1


def test_what_can_only_be_looked_up_ends_when_its_window_is_over(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = waiting(engine, "fake.look_up")
    engine.decide(run)
    put(monkeypatch, "fake.look_up").performing = lost
    engine.turn()
    cancel(run)
    engine.turn()
    assert (full(run).status, full(run).reason) == ("waiting", "for_settling")
    with by_force():
        Attempt.objects.update(deadline_at=PAST)
        Attempt.objects.get().look_ups.update(boot_seconds=0)
    due(run)
    engine.turn()
    assert (full(run).status, Action.objects.get().outcome) == ("cancelled", "did_not_happen")


@pytest.mark.parametrize("tool", ["fake.nothing", "fake.keyed"])
def test_what_nobody_can_ask_needs_a_person_before_the_run_ends(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    run = waiting(engine, tool)
    engine.decide(run)
    put(monkeypatch, tool).performing = lost_and_cancelled(run)
    bounded_turn(engine)
    assert (full(run).status, full(run).reason) == ("held", "outcome_unknown")
    case = Case.objects.get()
    verdicts.give(case.id, Given("write_off", "nobody knows"), user=engine.approver)
    engine.turn()
    assert (full(run).status, Action.objects.get().outcome) == ("cancelled", "written_off")


def lost_and_cancelled(run: Run) -> Any:
    def perform(call: Any) -> Any:
        cancel(run)
        return lost(call)

    return perform


def test_a_held_run_is_cancelled_by_a_verdict(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    single(monkeypatch, lambda *_: None)  # type: ignore[arg-type]
    run = engine.start("odd")
    engine.turn()
    cancel(run)
    assert full(run).status == "held"
    verdicts.give(Case.objects.get().id, Given("cancel", "enough"), user=engine.approver)
    engine.turn()
    assert full(run).status == "cancelled"


def test_a_damaged_run_can_be_cancelled(engine: Bench) -> None:
    run = waiting(engine)
    tampering.change_the_state(full(run), 6)
    cancelled(engine, run)
