"""Taking permission away again: a yes before the quorum, an approval before its use."""

import pytest

from approvals import decisions, requests
from approvals.errors import (
    AlreadyDecidedError,
    NotApprovedError,
    NotPermittedError,
    ReasonMissingError,
)
from approvals.models import Approval, ApprovalRequest, TakenBack
from checkpoints.models import Run
from tenants.actors import Actor
from tenants.models import AuditRow, Tenant, User
from tests.approvals.questions import TWO, WORKER, approved_by, asked, decide, eve
from tests.people import ada, bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


def take_back(request: ApprovalRequest, user: User, reason: str = "Too fast.") -> ApprovalRequest:
    return decisions.take_back(request.id, actor=Actor.person(user), user=user, reason=reason)


def test_a_yes_taken_back_is_not_counted(tenant: Tenant) -> None:
    request = asked(requirement=TWO)
    decide(request, dee(tenant))
    assert take_back(request, dee()).state == "open"
    assert TakenBack.objects.get().reason == "Too fast."
    assert AuditRow.objects.order_by("-audit_id")[0].verb == "take_back"
    assert decide(request, eve(tenant)).state == "open"


def test_only_ones_own_standing_yes_can_be_taken_back(tenant: Tenant) -> None:
    request = asked(requirement=TWO)
    decide(request, dee(tenant))
    with pytest.raises(NotPermittedError):
        take_back(request, eve(tenant))
    with pytest.raises(NotPermittedError):
        decisions.take_back(request.id, actor=WORKER, user=dee(), reason="Too fast.")
    with pytest.raises(ReasonMissingError):
        take_back(request, dee(), reason="")
    take_back(request, dee())
    with pytest.raises(NotPermittedError):
        take_back(request, dee())


def test_an_approval_is_withdrawn_not_taken_back(tenant: Tenant) -> None:
    request = approved_by(asked(), dee(tenant))
    with pytest.raises(AlreadyDecidedError):
        take_back(request, dee())


@pytest.mark.parametrize("who", ["dee", "ada", "machine"])
def test_an_unused_approval_can_be_withdrawn(tenant: Tenant, who: str) -> None:
    request = approved_by(asked(), dee(tenant))
    people = {"dee": dee(), "ada": ada(tenant)}
    actor = Actor.person(people[who]) if who in people else WORKER
    decisions.withdraw_approval(request.id, actor=actor, reason="Freeze.")
    request.refresh_from_db()
    assert (request.state, request.closed_by) == ("withdrawn", actor.name)
    assert Approval.objects.get().state == "withdrawn"
    assert Run.objects.get().wakes == 2
    assert AuditRow.objects.order_by("-audit_id")[0].verb == "withdraw_approval"


def test_withdrawing_needs_a_right_and_a_reason(tenant: Tenant) -> None:
    request = approved_by(asked(), dee(tenant))
    for actor in (Actor.person(bob(tenant)), Actor.person(cy()), Actor.stranger("10.0.0.1")):
        with pytest.raises(NotPermittedError):
            decisions.withdraw_approval(request.id, actor=actor, reason="Freeze.")
    with pytest.raises(ReasonMissingError):
        decisions.withdraw_approval(request.id, actor=WORKER, reason=" ")
    assert Approval.objects.get().state == "unused"


def test_an_open_question_is_no_approval_to_withdraw(tenant: Tenant) -> None:
    request = asked()
    with pytest.raises(NotApprovedError):
        decisions.withdraw_approval(request.id, actor=WORKER, reason="Freeze.")
    request.refresh_from_db()
    assert request.state == "open"


def test_an_approval_that_is_gone_cannot_be_withdrawn(tenant: Tenant) -> None:
    request = approved_by(asked(), dee(tenant))
    requests.withdraw(request.action_id, actor=WORKER, reason="Cancelled.")
    with pytest.raises(AlreadyDecidedError) as refused:
        decisions.withdraw_approval(request.id, actor=WORKER, reason="Freeze.")
    assert refused.value.state == "withdrawn"
    assert decide(asked(), dee()).state == "approved"
