"""Who writes a state, in which case, and what keeps it from being proposed."""

from uuid import uuid4

import pytest

from approvals.edits import hashing
from approvals.errors import NotPermittedError, ReasonMissingError
from approvals.models import EditRequest
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, Event, Run
from execution.edits import judging, proposing
from execution.edits.errors import EditRefusedError, UnreconciledError
from reconciliation import verdicts
from tenants.access import grant, revoke
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.approvals.edits.rows import service
from tests.engine import registry
from tests.engine.turns import Bench
from tests.execution.edits.desks import Desk, crashed, propose, written
from tests.execution.runs import full
from tests.people import bob, eve
from tests.reconciliation.deskwork import guards_off, unknown_mail

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return crashed(engine, monkeypatch)


def test_an_edit_is_bound_to_where_the_run_stood(desk: Desk) -> None:
    edit = desk.write({"amount": 7})
    run, bound = full(desk.run), hashing.from_bytes(bytes(edit.bound))
    assert (bound.fence, bound.head_seq, bound.parent_seq) == (run.fence, 1, 1)
    assert bound.head_digest == bound.parent_digest == judging.head_digest(run)
    assert (bound.author, bound.next_node, bound.kind) == (desk.author.pk, "second", "edit_state")
    assert judging.bound_of(edit) == bound
    assert Event.objects.get(run=run, what="edit proposed").actor == "Eve"
    assert AuditRow.objects.filter(verb="propose_edit").count() == 1
    assert run.status == "held"


def test_only_a_person_with_every_right_it_takes_writes_one(desk: Desk) -> None:
    text, tenant = written(desk.run, {"amount": 7}), desk.engine.tenant
    robot = service()
    grant(tenant, robot, *judging.WRITING)
    for user in (robot, bob(tenant), desk.second):
        with pytest.raises(NotPermittedError):
            propose(desk.case, user, text)
    with pytest.raises(NotPermittedError):
        proposing.propose(desk.case.pk, text, actor=Actor.machine("model"), user=desk.author)
    revoke(tenant, desk.author, "read_payloads")
    with pytest.raises(NotPermittedError):
        propose(desk.case, desk.author, text)
    assert not EditRequest.objects.exists()


def test_it_takes_a_reason(desk: Desk) -> None:
    with pytest.raises(ReasonMissingError):
        desk.write({"amount": 7}, reason=" ")


def test_while_an_effect_is_out_nobody_writes_another_state(desk: Desk) -> None:
    Run.objects.filter(pk=desk.run.pk).update(effect_in_flight=uuid4())
    with pytest.raises(UnreconciledError):
        desk.write({"amount": 7})


def test_a_case_about_an_effect_is_not_mended_by_a_state(engine: Bench) -> None:
    case = unknown_mail(engine)
    with pytest.raises(UnreconciledError):
        propose(case, eve(engine.tenant), written(case.run, {"x": 1}))
    with guards_off():
        Run.objects.filter(pk=case.run_id).update(effect_in_flight=None)
    with pytest.raises(UnreconciledError):  # the ledger says so too
        propose(case, eve(engine.tenant), written(case.run, {"x": 1}))


def test_other_kinds_of_case_take_no_state(desk: Desk) -> None:
    Case.objects.filter(pk=desk.case.pk).update(kind="contradicted")
    with pytest.raises(EditRefusedError, match="not mended"):
        desk.write({"amount": 7})


def test_a_case_that_is_decided_takes_none(desk: Desk) -> None:
    text = written(desk.run, {"amount": 7})
    verdicts.give(desk.case.pk, verdicts.Given("try_again", "once more"), user=desk.author)
    with pytest.raises(IllegalMoveError):
        propose(desk.case, desk.author, text)


def test_one_at_a_time_and_a_withdrawn_one_makes_room(desk: Desk) -> None:
    desk.write({"amount": 7})
    with pytest.raises(EditRefusedError, match="Eve has proposed one already"):
        desk.write({"amount": 8})
    with guards_off():
        EditRequest.objects.update(asked_at="2020-01-01T00Z", expires_at="2020-01-02T00Z")
    edit = desk.write({"amount": 8})
    states = EditRequest.objects.order_by("id").values_list("state", flat=True)
    assert (list(states), edit.state) == (["expired", "open"], "open")


def test_other_code_than_the_run_is_pinned_to_writes_none(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "manifest", lambda name: {"task_type": name, "code": "other"})
    with pytest.raises(EditRefusedError, match="version combo"):
        desk.write({"amount": 7})


def test_an_earlier_checkpoint_can_be_the_one_it_follows(desk: Desk) -> None:
    edit = desk.write({"amount": 7, "people": None, "token": None}, parent_seq=0)
    assert (edit.parent_seq, edit.next_node) == (0, "first")
