"""How an edit ends without becoming a checkpoint: withdrawn, run out, overtaken."""

import pytest

from approvals.errors import AlreadyDecidedError, NotPermittedError, ReasonMissingError
from approvals.models import EditRequest
from checkpoints.models import Case, Event
from execution import sweeper
from execution.edits import ending
from reconciliation import verdicts
from tenants.actors import Actor
from tenants.models import User
from tests.engine.turns import Bench
from tests.execution.edits.desks import Desk, crashed
from tests.execution.runs import full
from tests.people import bob
from tests.reconciliation.deskwork import guards_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return crashed(engine, monkeypatch)


def withdraw(edit: EditRequest, user: User, reason: str = "a slip") -> EditRequest:
    return ending.withdraw(edit.pk, reason=reason, actor=Actor.person(user), user=user)


def run_out(edit: EditRequest) -> None:
    with guards_off():
        EditRequest.objects.filter(pk=edit.pk).update(
            asked_at="2020-01-01T00Z", expires_at="2020-01-02T00Z"
        )


def test_its_author_and_who_decides_may_withdraw_it_for_a_reason(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    with pytest.raises(NotPermittedError):
        withdraw(edit, bob(desk.engine.tenant))
    with pytest.raises(ReasonMissingError):
        withdraw(edit, desk.author, " ")
    assert withdraw(edit, desk.author).state == "withdrawn"
    with pytest.raises(AlreadyDecidedError):
        withdraw(edit, desk.author)
    again = desk.write({"amount": 8})
    assert withdraw(again, desk.second).closed_by == "Dee"
    assert full(desk.run).status == "held"


def test_withdrawn_after_the_yes_it_is_not_committed_and_the_run_is_held_again(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    desk.decide(edit)
    withdraw(edit, desk.author, "seven is wrong")
    desk.engine.turn()
    run = full(desk.run)
    assert (run.status, run.reason, run.head) == ("held", "crash_loop", 1)
    assert "withdrawn" in Case.objects.get(run=run, decided_at=None).sentence


def test_the_sweeper_ends_what_ran_out(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    assert ending.end_due(10) == 0
    run_out(edit)
    assert sweeper.sweep()["end edits"] == 1
    edit.refresh_from_db()
    assert (edit.state, ending.end_due(10)) == ("expired", 0)
    assert Event.objects.filter(run=desk.run, what="edit expired").count() == 1


def test_the_sweeper_ends_what_another_verdict_overtook(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    verdicts.give(desk.case.pk, verdicts.Given("try_again", "once more"), user=desk.author)
    assert ending.end_due(10) == 1
    edit.refresh_from_db()
    assert (edit.state, edit.closed_by) == ("withdrawn", "sweeper")


def test_what_ran_out_after_the_yes_is_not_committed(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    desk.decide(edit)
    run_out(edit)
    desk.engine.turn()
    run = full(desk.run)
    assert (run.status, run.head) == ("held", 1)
    assert "expired" in Case.objects.get(run=run, decided_at=None).sentence
