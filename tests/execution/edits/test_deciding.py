"""A second person decides an edit, on its hash, while nothing has moved; nobody else does."""

from uuid import uuid4

import pytest

from approvals.errors import (
    AlreadyDecidedError,
    HashMismatchError,
    NotPermittedError,
    ReasonMissingError,
)
from approvals.models import EditDecision, EditRequest
from checkpoints.models import Case, Checkpoint, Event, Run, Verdict
from execution.edits import deciding
from execution.edits.deciding import Given
from execution.edits.errors import UnreconciledError
from reconciliation import verdicts
from tenants.access import grant
from tenants.actors import Actor
from tenants.models import AuditRow, User
from tests.approvals.edits.rows import service
from tests.engine.turns import Bench
from tests.execution.edits.desks import Desk, crashed, decide
from tests.execution.runs import full
from tests.people import ada
from tests.reconciliation.deskwork import guards_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return crashed(engine, monkeypatch)


@pytest.fixture
def edit(desk: Desk) -> EditRequest:
    return desk.write({"amount": 7})


def nothing_happened(desk: Desk) -> bool:
    run = full(desk.run)
    open_case = Case.objects.filter(run=run, decided_at=None, closed_at=None).exists()
    said = EditDecision.objects.exists() or Verdict.objects.exists()
    return (run.status, run.head) == ("held", 1) and open_case and not said


def test_a_yes_decides_the_case_and_names_author_and_approver(
    desk: Desk, edit: EditRequest
) -> None:
    desk.decide(edit)
    edit.refresh_from_db()
    run = full(desk.run)
    assert (edit.state, edit.closed_by, run.status, run.head) == ("approved", "Dee", "queued", 1)
    verdict = Verdict.objects.get()
    assert (verdict.verdict, verdict.given_by, verdict.reason) == (
        "edit_state",
        desk.second,
        "the amount is wrong",
    )
    assert (verdict.detail["edit"], verdict.detail["author"]) == (str(edit.pk), "Eve")
    told = Event.objects.get(run=run, what="edit approved")
    assert (told.actor, told.detail["author"], told.detail["hash"]) == (
        "Dee",
        "Eve",
        edit.edit_hash,
    )
    assert AuditRow.objects.filter(verb="approve_edit").count() == 1


def test_neither_author_nor_starter_nor_a_machine_nor_somebody_without_the_right_decides(
    desk: Desk, edit: EditRequest
) -> None:
    starter = ada(desk.engine.tenant)
    grant(desk.engine.tenant, desk.author, "approve_actions")
    robot = service()
    grant(desk.engine.tenant, robot, "approve_actions", "view_runs", "read_payloads")
    watcher = User.objects.create_user("w@example.org")
    grant(desk.engine.tenant, watcher, "view_runs", "read_payloads")
    blind = User.objects.create_user("blind@example.org")
    grant(desk.engine.tenant, blind, "view_runs", "approve_actions")
    refusals = [
        (desk.author, "own_edit"),
        (starter, "own_run"),
        (robot, "machine"),
        (watcher, "no_right"),
        (blind, "not_shown"),
    ]
    for user, code in refusals:
        with pytest.raises(NotPermittedError) as refusal:
            decide(edit, user)
        assert refusal.value.code == code
    given = Given("approve", "", edit.edit_hash)
    with pytest.raises(NotPermittedError):
        deciding.decide(edit.pk, given, actor=Actor.machine("model"), user=desk.second)
    assert nothing_happened(desk)


def test_on_whose_behalf_it_runs_does_not_decide(desk: Desk, edit: EditRequest) -> None:
    with guards_off():
        EditRequest.objects.filter(pk=edit.pk).update(on_behalf_of="DEE@example.org ")
    with pytest.raises(NotPermittedError):
        desk.decide(edit)
    assert nothing_happened(desk)


def test_another_hash_than_that_of_the_page_decides_nothing(desk: Desk, edit: EditRequest) -> None:
    given = Given("approve", "yes", "0" * 64)
    with pytest.raises(HashMismatchError):
        deciding.decide(edit.pk, given, actor=Actor.person(desk.second), user=desk.second)
    assert nothing_happened(desk)


@pytest.mark.parametrize(
    ("change", "field"), [({"fence": 99}, "fence"), ({"next_node": "x"}, ""), ({"head": 2}, "head")]
)
def test_what_moved_since_it_was_written_is_refused_by_name(
    desk: Desk, edit: EditRequest, change: dict[str, object], field: str
) -> None:
    if "head" in change:
        with guards_off():
            move_head(desk.run)
    else:
        Run.objects.filter(pk=desk.run.pk).update(**change)
    if not field:  # what is not bound may move
        desk.decide(edit)
        return
    with pytest.raises(HashMismatchError) as refusal:
        desk.decide(edit)
    assert any(each.field.startswith(field) for each in refusal.value.differences)
    assert not EditDecision.objects.exists()


def move_head(run: Run) -> None:
    """As if another process had committed: the same checkpoint once more, as the next."""
    row = Checkpoint.objects.get(run_id=run.pk, seq=1)
    row.seq, row.parent_seq = 2, 1
    row.digest = bytes(32)
    row.save(force_insert=True)
    Run.objects.filter(pk=run.pk).update(head=2)


def test_a_case_that_was_decided_otherwise_is_told(desk: Desk, edit: EditRequest) -> None:
    given = verdicts.Given("try_again", "once more")
    verdicts.give(desk.case.pk, given, user=desk.author)
    with pytest.raises(HashMismatchError) as refusal:
        desk.decide(edit)
    assert {"case", "run"} <= {each.field for each in refusal.value.differences}


def test_while_an_effect_is_out_nobody_allows_another_state(desk: Desk, edit: EditRequest) -> None:
    Run.objects.filter(pk=desk.run.pk).update(effect_in_flight=uuid4())
    with pytest.raises(UnreconciledError):
        desk.decide(edit)
    assert nothing_happened(desk)


def test_after_its_time_it_is_over(desk: Desk, edit: EditRequest) -> None:
    with guards_off():
        EditRequest.objects.filter(pk=edit.pk).update(
            asked_at="2020-01-01T00Z", expires_at="2020-01-02T00Z"
        )
    with pytest.raises(AlreadyDecidedError) as refusal:
        desk.decide(edit)
    assert refusal.value.state == "expired"
    assert nothing_happened(desk)


@pytest.mark.parametrize(("verdict", "state"), [("reject", "rejected"), ("send_back", "sent_back")])
def test_a_no_needs_a_reason_and_leaves_the_run_on_hold(
    desk: Desk, edit: EditRequest, verdict: str, state: str
) -> None:
    with pytest.raises(ReasonMissingError):
        desk.decide(edit, verdict, " ")
    desk.decide(edit, verdict, "not like this")
    edit.refresh_from_db()
    assert (edit.state, edit.closed_because) == (state, "not like this")
    assert (full(desk.run).status, Verdict.objects.count()) == ("held", 0)
    assert desk.write({"amount": 8}).state == "open"


def test_said_again_it_is_one_decision_and_another_person_comes_too_late(
    desk: Desk, edit: EditRequest
) -> None:
    desk.decide(edit)
    desk.decide(edit)
    assert EditDecision.objects.count() == 1
    late = User.objects.create_user("late@example.org")
    grant(desk.engine.tenant, late, "view_runs", "read_payloads", "approve_actions")
    with pytest.raises(AlreadyDecidedError):
        decide(edit, late)


def test_words_quote_nothing_that_is_encrypted(desk: Desk, edit: EditRequest) -> None:
    desk.decide(edit, "reject", "tok-secret-1 is not ours")
    edit.refresh_from_db()
    assert "tok-secret-1" not in edit.closed_because
    assert "tok-secret-1" not in EditDecision.objects.get().reason
