"""What a rule allows passes without a person, as an approval like any other."""

from dataclasses import replace
from uuid import uuid4

import pytest

from approvals import judging, requests
from approvals.errors import AlreadyDecidedError, NotApprovedError
from approvals.models import Approval, ApprovalRequest, Decision
from approvals.rules import Requirement
from checkpoints.models import Run
from tenants.models import AuditRow, Tenant
from tests.approvals import using
from tests.approvals.questions import (
    DAY,
    ONE,
    WORKER,
    ask,
    decide,
    make_due,
    make_question,
    make_run,
    tamper,
)
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db

PASSES = Requirement(
    0,
    not_starter=True,
    permission="approve_actions",
    expires_after_seconds=DAY,
    rules=("small",),
    reversibility="reversible",
    automatic="small",
)


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


def passed() -> ApprovalRequest:
    return ask(make_question(make_run(), requirement=PASSES))


def test_an_approval_names_the_rule_and_nobody_decided(tenant: Tenant) -> None:
    request = passed()
    assert (request.state, request.closed_by) == ("approved", "The rule “small”")
    approval = Approval.objects.get(request=request)
    assert (approval.state, approval.rule) == ("unused", "small")
    assert not Decision.objects.exists()
    row = AuditRow.objects.get(verb="approve")
    assert (row.actor_kind, row.actor_name, row.detail["rule"]) == (
        "machine",
        "rule small",
        "small",
    )


def test_the_run_that_asked_itself_is_not_woken_and_one_asked_for_is(tenant: Tenant) -> None:
    passed()
    assert Run.objects.get().wakes == 1


def test_it_is_used_up_once() -> None:
    request, attempt = passed(), uuid4()
    used = using.use(request.action_id, expected_hash=request.action_hash, attempt_id=attempt)
    assert used.used_by_attempt == attempt
    with pytest.raises(NotApprovedError):
        using.use(request.action_id, expected_hash=request.action_hash, attempt_id=uuid4())


def test_another_hash_or_a_late_use_is_refused() -> None:
    request = passed()
    with pytest.raises(NotApprovedError, match="hash_differs"):
        using.use(request.action_id, expected_hash="0" * 64, attempt_id=uuid4())
    make_due(request)
    with pytest.raises(NotApprovedError, match="expired"):
        using.use(request.action_id, expected_hash=request.action_hash, attempt_id=uuid4())


def test_an_approval_by_no_rule_or_another_one_allows_nothing() -> None:
    """A demand changed to an automatic one after people were asked."""
    tenant = make_tenant()
    request = ask(make_question(make_run()))
    decide(request, dee(tenant))
    tamper(request, requirement=PASSES.as_json())
    with pytest.raises(NotApprovedError, match="too_few_approvers"):
        using.use(request.action_id, expected_hash=request.action_hash, attempt_id=uuid4())


def test_people_come_too_late_to_decide_and_can_still_withdraw(tenant: Tenant) -> None:
    request = passed()
    with pytest.raises(AlreadyDecidedError) as caught:
        decide(request, dee(tenant))
    assert caught.value.by == "The rule “small”"
    withdrawn = requests.withdraw(request.action_id, actor=WORKER, reason="Stop.")
    assert withdrawn is not None
    assert Approval.objects.get().state == "withdrawn"


def test_what_was_sent_once_is_asked_of_a_person_the_second_time(tenant: Tenant) -> None:
    """A verdict "send again" must not turn into an effect by a rule (rule 6)."""
    run = make_run()
    question = make_question(run, requirement=PASSES)
    first = ask(question)
    using.use(first.action_id, expected_hash=first.action_hash, attempt_id=uuid4())
    again = ask(question)
    assert (again.state, again.revision) == ("open", 2)
    assert judging.demands(again).approvers == 1
    assert ask(question) == again


def test_what_people_are_asked_covers_what_a_rule_would_pass_now(tenant: Tenant) -> None:
    question = make_question(make_run(), requirement=replace(ONE, reversibility="irreversible"))
    asked = ask(question)
    assert ask(replace(question, requirement=PASSES)) == asked


def test_what_a_rule_passed_is_asked_when_the_rules_ask_now(tenant: Tenant) -> None:
    question = make_question(make_run(), requirement=PASSES)
    first = ask(question)
    second = ask(replace(question, requirement=ONE))
    first.refresh_from_db()
    assert (first.state, second.state) == ("withdrawn", "open")
