"""Edits in a race: two approvers, a withdrawal and a yes, a verdict and a yes, a commit, a kill."""

import signal
from functools import partial
from uuid import uuid4

import pytest
from django.db import transaction

from approvals.errors import AlreadyDecidedError, HashMismatchError
from approvals.models import EditDecision, EditRequest
from checkpoints import reading, runs
from checkpoints.models import Case, Checkpoint, Run, Verdict
from execution.edits import ending
from execution.edits.errors import UnreconciledError
from execution.edits.writing import EDITED_NODE
from reconciliation import verdicts
from tenants.access import grant
from tenants.actors import Actor
from tenants.models import User
from tests.approvals.racing import beside, run_locked
from tests.engine.turns import Bench
from tests.execution.edits.desks import Desk, crashed, decide
from tests.execution.runs import full, head
from tests.forks import fork

pytestmark = pytest.mark.django_db(transaction=True)

SWEEPER = Actor.machine("sweeper")


@pytest.fixture
def desk(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return crashed(engine, monkeypatch)


@pytest.fixture
def edit(desk: Desk) -> EditRequest:
    return desk.write({"amount": 7})


def second_approver(desk: Desk) -> User:
    user = User.objects.create_user("second@example.org", name="Sue")
    grant(desk.engine.tenant, user, "view_runs", "read_payloads", "approve_actions")
    return user


def withdraw(edit: EditRequest, user: User) -> EditRequest:
    return ending.withdraw(edit.pk, reason="a slip", actor=Actor.person(user), user=user)


def test_of_two_who_decide_at_once_one_counts(desk: Desk, edit: EditRequest) -> None:
    with beside() as side:
        with run_locked(desk.run.pk):
            yes = side.start_and_block(partial(decide, edit, desk.second))
            no = side.start_and_block(
                partial(decide, edit, second_approver(desk), "reject"), blocked=2
            )
        ends = [each.exception() for each in (yes, no)]
    assert [type(each) for each in ends if each] == [AlreadyDecidedError]
    assert EditDecision.objects.count() == 1


def test_a_yes_after_a_withdrawal_that_came_first_is_refused(desk: Desk, edit: EditRequest) -> None:
    with beside() as side:
        with transaction.atomic():
            withdraw(edit, desk.author)
            yes = side.start_and_block(partial(decide, edit, desk.second))
        with pytest.raises(AlreadyDecidedError):
            yes.result()
    assert full(desk.run).status == "held"


def test_a_verdict_that_came_first_leaves_the_yes_nothing_to_allow(
    desk: Desk, edit: EditRequest
) -> None:
    given = verdicts.Given("try_again", "once more")
    with beside() as side:
        with transaction.atomic():
            verdicts.give(desk.case.pk, given, user=desk.author)
            yes = side.start_and_block(partial(decide, edit, desk.second))
        with pytest.raises(HashMismatchError):
            yes.result()
    assert list(Verdict.objects.values_list("verdict", flat=True)) == ["try_again"]


def test_an_effect_that_goes_out_while_a_yes_waits_counts(desk: Desk, edit: EditRequest) -> None:
    with beside() as side:
        with run_locked(desk.run.pk):
            yes = side.start_and_block(partial(decide, edit, desk.second))
            Run.objects.filter(pk=desk.run.pk).update(effect_in_flight=uuid4())
        with pytest.raises(UnreconciledError):
            yes.result()
    assert not EditDecision.objects.exists()


def test_a_withdrawal_while_it_is_being_committed_leaves_no_checkpoint(
    desk: Desk, edit: EditRequest
) -> None:
    desk.decide(edit)
    with beside() as side:
        with transaction.atomic():
            # As the verb has it in the middle: the edit withdrawn, not yet committed.
            ending.close(EditRequest.objects.select_for_update().get(), "withdrawn", by="Eve")
            turn = side.start_and_block(desk.engine.turn)
        turn.result()
    run = full(desk.run)
    assert (run.status, run.head) == ("held", 1)
    assert EditRequest.objects.get().state == "withdrawn"
    assert "withdrawn" in Case.objects.get(run=run, decided_at=None).sentence


@pytest.mark.parametrize(
    "point",
    ["edit:before@1", "commit:before@1", "commit:after@1", "edit:after@1", "commit:before@2"],
)
def test_killed_anywhere_around_its_commit_the_edit_is_committed_once(
    desk: Desk, edit: EditRequest, point: str
) -> None:
    desk.decide(edit)
    assert fork(desk.engine.turn, KEDGE_KILL_AT=point).wait() == -signal.SIGKILL
    held_by = full(desk.run)
    assert runs.lapse(held_by.pk, fence=held_by.fence, why="killed", actor=SWEEPER)
    desk.engine.turn()
    run = full(desk.run)
    assert (run.status, run.head) == ("succeeded", 3)
    nodes = Checkpoint.objects.filter(run_id=run.pk).order_by("seq")
    assert list(nodes.values_list("node", flat=True)) == ["first", EDITED_NODE, "second"]
    edit.refresh_from_db()
    assert (edit.state, edit.used_seq) == ("used", 2)
    assert (head(run)["amount"], head(run)["seen"]) == (7, ["kept"])
    assert reading.verify_run(run) == []


@pytest.mark.parametrize("point", ["decide edit:before@1", "decide edit:after@1"])
def test_killed_around_the_yes_it_is_said_or_not_said(
    desk: Desk, edit: EditRequest, point: str
) -> None:
    deciding = partial(decide, edit, desk.second)
    assert fork(deciding, KEDGE_KILL_AT=point).wait() == -signal.SIGKILL
    run = full(desk.run)
    assert run.status == ("held" if "before" in point else "queued")
    decide(edit, desk.second)  # said again, it is the same
    desk.engine.turn()
    assert full(desk.run).status == "succeeded"
    assert (EditDecision.objects.count(), Verdict.objects.count()) == (1, 1)
