"""An approved edit becomes the next checkpoint, once, with its author; else the run is held again."""

from collections.abc import Callable
from typing import Any

import pytest

from approvals.models import EditRequest
from checkpoints import headers, reading, states
from checkpoints.cases import Trouble
from checkpoints.graph import Graph
from checkpoints.models import Case, Checkpoint, Event, Run, Verdict
from execution import effects as real
from execution.edits import committing
from execution.edits.errors import EditRefusedError
from execution.edits.writing import BY_HAND_NODE, EDITED_NODE
from execution.errors import Hold
from reconciliation.models import Action
from tenants.access import revoke
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.edits.desks import Desk, crashed, decide, propose, written
from tests.execution.graphs import acting
from tests.execution.runs import full, head
from tests.execution.test_executor_migrating import upgrade
from tests.people import eve
from tests.reconciliation.deskwork import guards_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return crashed(engine, monkeypatch)


def test_a_run_goes_on_from_the_state_that_two_people_stand_by(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    desk.decide(edit)
    desk.engine.turn()
    run = full(desk.run)
    assert run.status == "succeeded"
    chain = Checkpoint.objects.filter(run_id=run.pk).order_by("seq")
    assert list(chain.values_list("node", "next_node")) == [
        ("first", "second"),
        (EDITED_NODE, "second"),
        ("second", "end"),
    ]
    edit.refresh_from_db()
    assert (edit.state, edit.used_seq) == ("used", 2)
    header = reading.load(run, 2).header
    assert headers.written(edit.edit_hash) == header["edit"]
    assert bytes(chain[1].state) == bytes(edit.content)
    assert head(run)["seen"] == ["kept"]
    assert reading.verify_run(run) == []
    told = Event.objects.filter(run=run, what="edit approved").get()
    assert (told.actor, told.detail["author"]) == ("Dee", "Eve")
    assert Case.objects.get(run=run).closed_at is not None


def held_again(desk: Desk, says: str) -> bool:
    run = full(desk.run)
    case = Case.objects.get(run=run, decided_at=None, closed_at=None)
    return (run.status, run.reason, run.head) == ("held", "crash_loop", 1) and says in case.sentence


def test_the_edit_is_no_proof_and_what_fails_again_is_a_case_again(desk: Desk) -> None:
    desk.decide(desk.write({"amount": -2}))
    desk.engine.turn()
    run = full(desk.run)
    assert (run.status, run.head, run.reason) == ("held", 2, "crash_loop")
    again = Case.objects.get(run=run, decided_at=None, closed_at=None)
    edit = propose(again, desk.author, written(run, {"amount": 7}))
    assert (edit.state, edit.parent_seq) == ("open", 2)
    desk.decide(edit)
    desk.engine.turn()
    assert (full(run).status, full(run).head) == ("succeeded", 4)


def test_who_may_not_allow_it_any_more_has_not_allowed_it(desk: Desk) -> None:
    desk.decide(desk.write({"amount": 7}))
    revoke(desk.engine.tenant, desk.second, "approve_actions")
    desk.engine.turn()
    assert held_again(desk, "may not allow it any more")


def damage(edit: EditRequest, **columns: Any) -> None:
    with guards_off():
        EditRequest.objects.filter(pk=edit.pk).update(**columns)


@pytest.mark.parametrize("column", ["reason", "next_node"])
def test_what_is_stored_must_be_what_was_allowed(desk: Desk, column: str) -> None:
    edit = desk.write({"amount": 7})
    desk.decide(edit)
    damage(edit, **{column: "end"})
    desk.engine.turn()
    assert held_again(desk, "does not match its hash")


def test_a_head_that_moved_is_not_overwritten(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.decide(desk.write({"amount": 7}))
    monkeypatch.setattr("execution.edits.judging.head_digest", lambda _: "0" * 64)
    desk.engine.turn()
    assert held_again(desk, "has moved")


def test_an_effect_that_is_out_comes_first(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.decide(desk.write({"amount": 7}))

    def out(_: Run) -> None:
        raise EditRefusedError("an effect is out")

    monkeypatch.setattr("execution.edits.judging.refuse_if_unreconciled", out)
    desk.engine.turn()
    assert held_again(desk, "an effect is out")


def test_it_is_used_once(desk: Desk) -> None:
    desk.decide(desk.write({"amount": -2}))
    desk.engine.turn()
    edit = EditRequest.objects.get()
    assert (edit.state, edit.used_seq) == ("used", 2)
    assert committing.wanted(Verdict.objects.get()) is None
    case = Case.objects.get(run=desk.run, decided_at=None, closed_at=None)
    with guards_off():
        Case.objects.filter(pk=case.pk).update(decided_at="2020-01-01T00Z")
        Run.objects.filter(pk=desk.run.pk).update(
            status="queued", reason="woken", due_at="2020-01-01T00Z"
        )
    desk.engine.turn()
    nodes = Checkpoint.objects.filter(run_id=desk.run.pk).order_by("seq")
    assert list(nodes.values_list("node", flat=True)) == ["first", EDITED_NODE]


def test_an_unmigratable_run_is_migrated_by_hand(old: tuple[Bench, Run, Graph]) -> None:
    engine, run, made = old
    was = Checkpoint.objects.values().get()
    upgrade(made, None)
    engine.turn()
    case = Case.objects.get(run=run)
    assert case.kind == "unmigratable"
    text = written(run, {"total": 7})
    edit = propose(case, eve(engine.tenant), text)
    assert (edit.kind, edit.schema) == ("migrate_by_hand", 2)
    decide(edit, engine.approver)
    engine.turn()
    assert full(run).status == "succeeded"
    chain = Checkpoint.objects.filter(run_id=run.pk).order_by("seq")
    assert list(chain.values_list("node", flat=True)) == ["first", BY_HAND_NODE, "second"]
    assert chain.values()[0] == was
    assert reading.load(full(run), 2).header["schema"] == 2
    assert head(run)["total"] == 7
    assert reading.verify_run(full(run)) == []


def test_a_node_that_is_gone_is_replaced_by_one_that_is_named(
    old: tuple[Bench, Run, Graph],
) -> None:
    engine, run, made = old
    made.nodes["third"] = made.nodes.pop("second")
    engine.turn()
    case, author = Case.objects.get(run=run), eve(engine.tenant)
    with pytest.raises(EditRefusedError, match="has no node 'second'"):
        propose(case, author, written(run, {}))
    edit = propose(case, author, written(run, {}, next_node="third"))
    decide(edit, engine.approver)
    engine.turn()
    assert full(run).status == "succeeded"
    assert Checkpoint.objects.get(run_id=run.pk, seq=2).next_node == "third"


def gives_up(state: Any, *_: Any) -> Any:
    raise ValueError("no")


def test_a_proposal_from_the_old_state_is_left_behind(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    first = Action.objects.get(run=run)
    monkeypatch.setattr("execution.effects.seek_permission", gives_up_once(monkeypatch))
    woken(run)
    engine.turn()
    case = Case.objects.get(run=run)
    edit = propose(case, eve(engine.tenant), written(run, {"thought": "another"}))
    decide(edit, engine.approver)
    engine.turn()
    first.refresh_from_db()
    assert (first.outcome, first.because) == ("did_not_happen", "withdrawn")
    engine.turn()  # taking its question away had woken the run
    assert (full(run).status, full(run).reason) == ("waiting", "for_approval")
    assert effects() == []


def gives_up_once(patch: pytest.MonkeyPatch) -> Callable[..., None]:
    was = real.seek_permission

    def hold(*_: Any) -> None:
        patch.setattr("execution.effects.seek_permission", was)
        raise Hold(Trouble(states.INVALID_OUTPUT, "It cannot go on."))

    return hold


def woken(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(due_at="2020-01-01T00Z")


def test_an_outcome_that_is_known_is_heard_by_the_node_on_the_new_state(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = acting(monkeypatch, absorb=gives_up)
    run = engine.start("odd")
    engine.turn()
    engine.decide(run)
    engine.turn()
    case = Case.objects.get(run=run)
    assert (case.kind, Action.objects.get(run=run).outcome) == ("crash_loop", "happened")
    acting(monkeypatch)  # mended code of the same combo
    edit = propose(case, eve(engine.tenant), written(run, {"by": "hand"}))
    decide(edit, engine.approver)
    engine.turn()
    assert (full(run).status, len(effects())) == ("succeeded", 1)
    assert (head(run)["heard"], head(run)["by"]) == ("happened", "hand")
    assert made.task_type == "odd"
    assert Action.objects.get(run=run).absorbed_seq == full(run).head
