"""Asking: one live question per action, and its ends without an answer."""

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from approvals import hashing, judging, requests
from approvals.errors import AlreadyDecidedError, QuestionRefusedError
from approvals.hashing import Difference
from approvals.models import Approval, ApprovalRequest
from approvals.requests import Question
from checkpoints.commits import Lease
from checkpoints.errors import LeaseLostError
from checkpoints.models import Event, Run
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.approvals.questions import (
    TWO,
    WORKER,
    approved_by,
    ask,
    asked,
    decide,
    make_due,
    make_question,
    make_run,
)  # fmt: skip
from tests.people import ada, dee, make_tenant

pytestmark = pytest.mark.django_db


def test_a_question_is_kept_as_it_was_shown() -> None:
    run = make_run()
    question = make_question(run)
    request = ask(question)
    request.refresh_from_db()
    assert (request.state, request.revision, request.replaces) == ("open", 1, None)
    assert bytes(request.diff) == question.diff
    assert bytes(request.parameters) == question.parameters
    assert request.expires_at - request.asked_at == timedelta(days=1)
    assert request.starter == run.started_by
    assert judging.bound_of(request).content() == question.bound
    assert request.action_hash == hashing.action_hash(
        question.bound.sealed(nonce=request.nonce, expires_at=request.expires_at)
    )


def test_asking_leaves_an_event_and_an_audit_row() -> None:
    request = asked()
    facts = {
        "request": str(request.id), "action": str(request.action_id), "hash": request.action_hash,
    }  # fmt: skip
    event, row = Event.objects.get(), AuditRow.objects.get()
    assert (event.run_id, event.what, event.detail) == (request.run_id, "asked", facts)
    assert (row.verb, row.subject, row.detail) == ("ask", f"request:{request.id}", facts)


def test_the_same_question_asked_again_is_the_same_request() -> None:
    question = make_question(make_run())
    assert ask(question).id == ask(question).id
    assert ApprovalRequest.objects.count() == 1
    assert Event.objects.count() == 1


def test_the_same_question_asked_again_finds_its_approval() -> None:
    question = make_question(make_run())
    request = approved_by(ask(question), dee(make_tenant()))
    again = ask(question)
    assert (again.id, again.state) == (request.id, "approved")


@pytest.mark.parametrize("answered", [False, True])
def test_another_question_withdraws_the_live_one(answered: bool) -> None:
    question = make_question(make_run())
    old = ask(question)
    if answered:
        approved_by(old, dee(make_tenant()))
    moved = replace(question.bound, resources={"origin/main": "b" * 40})
    new = ask(replace(question, bound=moved))
    old.refresh_from_db()
    why = "The question changed: origin/gone, origin/main."
    assert (old.state, old.closed_because) == ("withdrawn", why)
    assert (new.state, new.revision, new.replaces_id) == ("open", 2, old.id)
    assert [approval.state for approval in Approval.objects.all()] == ["withdrawn"] * answered


def test_another_requirement_is_another_question() -> None:
    question = make_question(make_run())
    old, new = ask(question), ask(replace(question, requirement=TWO))
    old.refresh_from_db()
    assert (old.state, new.replaces_id) == ("withdrawn", old.id)


@pytest.mark.parametrize("verdict", ["reject", "send_back"])
def test_an_action_that_people_refused_is_not_asked_again(verdict: str) -> None:
    question = make_question(make_run())
    decide(ask(question), dee(make_tenant()), verdict)
    with pytest.raises(AlreadyDecidedError) as refused:
        ask(question)
    assert refused.value.by == "Dee"
    assert ApprovalRequest.objects.count() == 1


def test_a_used_approval_does_not_answer_a_new_question() -> None:
    question = make_question(make_run())
    old = approved_by(ask(question), dee(make_tenant()))
    ApprovalRequest.objects.update(state="used")
    new = ask(question)
    assert (new.state, new.revision, new.replaces_id) == ("open", 2, old.id)


def test_an_expired_question_is_closed_as_expired_when_asked_again() -> None:
    question = make_question(make_run())
    old = ask(question)
    make_due(old)
    new = ask(question)
    old.refresh_from_db()
    assert (old.state, new.revision) == ("expired", 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"parameters": b"{}"},
        {"diff": b"-harmless"},
        {"bound": {"tenant": 999}},
        {"bound": {"run_id": str(uuid.UUID(int=9))}},
        {"bound": {"resources": {"x": "\ud800"}}},
        {"bound": {"volatile": ("date",)}},
        {"requirement": replace(TWO, approvers=0)},
    ],
)
def test_a_question_that_does_not_match_its_digests_is_refused(wrong: dict[str, Any]) -> None:
    question = make_question(make_run())
    if isinstance(wrong.get("bound"), dict):
        wrong = {"bound": replace(question.bound, **wrong["bound"])}
    with pytest.raises(QuestionRefusedError):
        ask(replace(question, **wrong))
    assert not ApprovalRequest.objects.exists()


def leased(question: Question, **shown: Any) -> Lease:
    run = Run.objects.get(pk=question.bound.run_id)
    seen = {"fence": run.fence, "holder": run.holder, **shown}
    return Lease(
        run.id, run.tenant_id, run.combo_id, head=0, wakes=0, attempts=1, ttl_seconds=10, **seen
    )


def test_a_stale_owner_cannot_ask() -> None:
    running: dict[str, Any] = {
        "status": "running",
        "reason": "working",
        "fence": 7,
        "holder": uuid.uuid4(),
    }
    run = make_run(**running, lease_until=Now() + timedelta(seconds=10))
    question = make_question(run)
    for stale in ({"fence": 6}, {"holder": uuid.uuid4()}):
        with pytest.raises(LeaseLostError):
            requests.ask(question, actor=WORKER, lease=leased(question, **stale))
    assert requests.ask(question, actor=WORKER, lease=leased(question)).state == "open"
    Run.objects.update(lease_until=Now() - timedelta(seconds=1))
    with pytest.raises(LeaseLostError):
        requests.ask(question, actor=WORKER, lease=leased(question))


@pytest.mark.parametrize("answered", [False, True])
def test_withdrawing_takes_question_and_unused_approval_away(answered: bool) -> None:
    request = asked()
    if answered:
        approved_by(request, dee(make_tenant()))
    boss = Actor.person(ada(make_tenant()))
    requests.withdraw(request.action_id, actor=boss, reason="Run cancelled.")
    request.refresh_from_db()
    assert (request.state, request.closed_by, request.closed_because) == (
        "withdrawn", "Ada", "Run cancelled.",
    )  # fmt: skip
    assert [approval.state for approval in Approval.objects.all()] == ["withdrawn"] * answered
    assert Run.objects.get().wakes == 1 + answered
    assert AuditRow.objects.order_by("-audit_id")[0].verb == "withdraw"


def test_there_may_be_nothing_to_withdraw() -> None:
    request = approved_by(asked(), dee(make_tenant()))
    ApprovalRequest.objects.update(state="used")
    for action_id in (request.action_id, uuid.uuid4()):
        assert requests.withdraw(action_id, actor=WORKER, reason="Cancelled.") is None
    assert requests.latest(request.action_id) == request


@pytest.mark.parametrize("answered", [False, True])
def test_the_sweeper_closes_what_nobody_used_in_time(answered: bool) -> None:
    request = asked()
    Run.objects.update(status="waiting", reason="for_approval")
    if answered:
        approved_by(request, dee(make_tenant()))
    make_due(request)
    fresh = asked()
    assert requests.expire_due(10) == 1
    assert requests.expire_due(10) == 0
    request.refresh_from_db()
    fresh.refresh_from_db()
    assert (request.state, request.closed_by, fresh.state) == ("expired", "", "open")
    assert [approval.state for approval in Approval.objects.all()] == ["expired"] * answered
    run = Run.objects.get(pk=request.run_id)
    assert (run.status, run.wakes) == ("queued", 1 + answered)


def test_the_sweeper_takes_no_more_than_its_limit() -> None:
    for _ in range(3):
        make_due(asked())
    assert [requests.expire_due(2), requests.expire_due(2)] == [2, 1]


def test_the_difference_between_two_questions_is_told_by_field() -> None:
    question = make_question(make_run())
    old = ask(question)
    moved = replace(question.bound, resources={**question.bound.resources, "origin/main": "b" * 40})
    new = ask(replace(question, bound=moved))
    told = hashing.differences(judging.bound_of(old).content(), judging.bound_of(new).content())
    assert told == [Difference("resources.origin/main", "a" * 40, "b" * 40)]
