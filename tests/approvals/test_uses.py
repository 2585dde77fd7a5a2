"""Using an approval up: once, for exactly what was approved, while people still stand by it."""

import uuid
from dataclasses import fields, replace
from typing import Any

import pytest
from django.db import transaction

from approvals import decisions, hashing, judging
from approvals.errors import NotApprovedError
from approvals.hashing import Bound
from approvals.models import Approval, ApprovalRequest
from tenants import access
from tenants.models import Tenant, User
from tests.approvals import using
from tests.approvals.questions import (
    TWO,
    WORKER,
    approved_by,
    ask,
    asked,
    decide,
    eve,
    make_due,
    make_question,
    make_run,
    tamper,
)
from tests.approvals.test_hashing import OTHER
from tests.people import ada, dee, make_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


@pytest.fixture
def request_(tenant: Tenant) -> ApprovalRequest:
    return approved_by(asked(), dee(tenant))


def use(request: ApprovalRequest, **changed: Any) -> Approval:
    values = {"expected_hash": request.action_hash, "attempt_id": uuid.uuid4(), **changed}
    with transaction.atomic():
        return using.use(request.action_id, **values)


def use_again(request: ApprovalRequest, **changed: Any) -> Approval:
    values = {"expected_hash": request.action_hash, "attempt_id": uuid.uuid4(), **changed}
    with transaction.atomic():
        return using.use(request.action_id, is_further=True, **values)


def refused(request: ApprovalRequest, code: str, **changed: Any) -> None:
    with pytest.raises(NotApprovedError) as caught:
        use(request, **changed)
    assert caught.value.code == code
    assert not Approval.objects.filter(state="used").exists()


def test_an_approval_is_used_by_one_attempt(request_: ApprovalRequest) -> None:
    attempt = uuid.uuid4()
    approval = use(request_, attempt_id=attempt)
    request_.refresh_from_db()
    assert (approval.state, approval.used_by_attempt, request_.state) == ("used", attempt, "used")
    assert approval.used_at is not None
    assert approval.request.action_hash == request_.action_hash


def test_an_approval_is_not_used_twice(request_: ApprovalRequest) -> None:
    use(request_)
    with pytest.raises(NotApprovedError) as caught:
        use(request_)
    assert caught.value.code == "used"


def test_an_action_nobody_asked_about_is_not_approved() -> None:
    with pytest.raises(NotApprovedError) as caught, transaction.atomic():
        using.use(uuid.uuid4(), expected_hash="0" * 64, attempt_id=uuid.uuid4())
    assert caught.value.code == "no_request"


def test_an_open_question_is_no_approval(tenant: Tenant) -> None:
    refused(asked(), "open")


@pytest.mark.parametrize(("verdict", "code"), [("reject", "rejected"), ("send_back", "sent_back")])
def test_a_no_is_no_approval(tenant: Tenant, verdict: str, code: str) -> None:
    refused(decide(asked(), dee(tenant), verdict), code)


def test_a_withdrawn_approval_is_refused(request_: ApprovalRequest) -> None:
    decisions.withdraw_approval(request_.id, actor=WORKER, reason="Freeze.")
    refused(request_, "withdrawn")


def test_an_expired_approval_is_refused_without_a_sweeper(request_: ApprovalRequest) -> None:
    make_due(request_)
    refused(request_, "expired")


@pytest.mark.parametrize("field", sorted(field.name for field in fields(Bound)))
def test_an_approval_fits_only_what_was_approved(request_: ApprovalRequest, field: str) -> None:
    """Rule of the action hash: one bound field that differs at dispatch, no effect."""
    approved = judging.bound_of(request_)
    fresh = replace(approved, **{field: OTHER[field]})
    refused(request_, "hash_differs", expected_hash=hashing.action_hash(fresh))
    assert use(request_, expected_hash=hashing.action_hash(approved)).state == "used"


def test_the_approval_of_an_older_question_is_refused(tenant: Tenant) -> None:
    question = make_question(make_run(tenant))
    old = approved_by(ask(question), dee(tenant))
    ask(replace(question, bound=replace(question.bound, rules_version="s" * 64)))
    refused(old, "open")


@pytest.mark.parametrize(
    "columns",
    [{"diff": b"-harmless\n"}, {"requirement": {"approvers": 0}}, {"parameters": b"{}"}],
)
def test_an_altered_request_covers_nothing(
    request_: ApprovalRequest, columns: dict[str, Any]
) -> None:
    tamper(request_, **columns)
    refused(request_, "damaged")


def test_an_approver_who_is_inactive_at_dispatch_does_not_count(
    request_: ApprovalRequest,
) -> None:
    User.objects.filter(pk=dee().pk).update(is_active=False)
    refused(request_, "too_few_approvers")


def test_an_approver_without_the_right_at_dispatch_does_not_count(
    tenant: Tenant, request_: ApprovalRequest
) -> None:
    access.revoke(tenant, dee(), "approve_actions")
    refused(request_, "too_few_approvers")


def test_dispatch_counts_distinct_people_against_the_requirement(tenant: Tenant) -> None:
    request = approved_by(asked(requirement=TWO), dee(tenant), eve(tenant))
    access.revoke(tenant, eve(), "approve_actions")
    refused(request, "too_few_approvers")
    access.grant(tenant, eve(), "approve_actions")
    assert use(request).state == "used"


def test_the_starter_does_not_count_at_dispatch(request_: ApprovalRequest) -> None:
    tamper(request_, starter=dee())
    refused(request_, "too_few_approvers")


def test_whom_the_run_works_for_does_not_count_at_dispatch(request_: ApprovalRequest) -> None:
    tamper(request_, on_behalf_of=" DEE@example.org")
    refused(request_, "too_few_approvers")


def test_a_further_attempt_goes_under_the_used_approval(request_: ApprovalRequest) -> None:
    first = use(request_)
    again = use_again(request_)
    assert (again.pk, again.used_by_attempt) == (first.pk, first.used_by_attempt)


def test_a_further_attempt_may_bring_an_approval_of_its_own(request_: ApprovalRequest) -> None:
    """Of a tool that cannot be asked each attempt needs a yes: it is used up like the first."""
    attempt = uuid.uuid4()
    assert use_again(request_, attempt_id=attempt).used_by_attempt == attempt


def test_the_same_attempt_is_no_further_one(request_: ApprovalRequest) -> None:
    approval = use(request_)
    with pytest.raises(NotApprovedError) as caught:
        use_again(request_, attempt_id=approval.used_by_attempt)
    assert caught.value.code == "used"


def test_a_further_attempt_passes_the_same_checks(tenant: Tenant) -> None:
    def code(request: ApprovalRequest, **changed: Any) -> str:
        with pytest.raises(NotApprovedError) as caught:
            use_again(request, **changed)
        return caught.value.code

    request = approved_by(asked(), dee(tenant))
    use(request)
    assert code(request, expected_hash="0" * 64) == "hash_differs"
    access.revoke(tenant, dee(), "approve_actions")
    assert code(request) == "too_few_approvers"
    access.grant(tenant, dee(), "approve_actions")
    make_due(request)
    assert code(request) == "expired"


def test_the_approval_of_another_action_does_not_carry_over(request_: ApprovalRequest) -> None:
    use(request_)
    other = asked()
    with pytest.raises(NotApprovedError) as caught:
        use_again(other)
    assert caught.value.code == "open"
    assert ada().pk == request_.starter_id
