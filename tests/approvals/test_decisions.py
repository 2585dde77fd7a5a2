"""Deciding: who may, on what, and what follows."""

import uuid
from dataclasses import replace
from typing import Any

import pytest

from approvals import decisions
from approvals.decisions import Given
from approvals.errors import (
    AlreadyDecidedError,
    DamagedRequestError,
    HashMismatchError,
    NotPermittedError,
    ReasonMissingError,
)
from approvals.models import Approval, ApprovalRequest, Decision
from checkpoints.models import Event, Run
from tenants import access
from tenants.actors import Actor
from tenants.models import AuditRow, Tenant, User
from tests.approvals.questions import (
    TWO,
    WORKER,
    ask,
    asked,
    eve,
    make_due,
    make_question,
    make_run,
    tamper,
)
from tests.opening import open_all
from tests.people import ada, bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


def nothing_happened() -> bool:
    verbs = AuditRow.objects.exclude(verb="deactivate_person").values_list("verb", flat=True)
    asked_only = {"ask"} >= set(verbs)
    untouched = set(Run.objects.values_list("wakes", flat=True)) == {0}
    return asked_only and untouched and not Decision.objects.exists()


def post(
    request: ApprovalRequest, user: User, actor: Actor | None = None, **changed: Any
) -> ApprovalRequest:
    """One answer of a person who has opened everything; `changed` are fields of what they give."""
    open_all(request.pk, user)
    given = replace(Given("approve", "", request.action_hash), **changed)
    return decisions.decide(request.id, given, actor=actor or Actor.person(user), user=user)


def test_one_yes_approves_and_wakes_the_run(tenant: Tenant) -> None:
    request = asked()
    Run.objects.update(status="waiting", reason="for_approval")
    decided = post(request, dee(tenant))
    approval, run = Approval.objects.get(), Run.objects.get()
    assert (decided.state, decided.closed_by, approval.state) == ("approved", "Dee", "unused")
    assert approval.request == request
    assert (run.status, run.sentence, run.wakes) == ("queued", "Dee decided: approved.", 1)


def test_a_decision_leaves_its_row_an_event_and_an_audit_row(tenant: Tenant) -> None:
    request = asked()
    post(request, dee(tenant), reason="Looks right.")
    decision = Decision.objects.get()
    assert (decision.user, decision.verdict, decision.reason, decision.posted_hash) == (
        dee(), "approve", "Looks right.", request.action_hash,
    )  # fmt: skip
    facts = {
        "request": str(request.id),
        "action": str(request.action_id),
        "reason": "Looks right.",
        "hash": request.action_hash,
        "state": "approved",
    }
    event, row = Event.objects.order_by("-id")[0], AuditRow.objects.order_by("-audit_id")[0]
    assert (event.what, event.actor, event.detail) == ("approved", "Dee", facts)
    assert (row.verb, row.actor_id, row.detail) == ("approve", str(dee().pk), facts)


@pytest.mark.parametrize(("verdict", "state"), [("reject", "rejected"), ("send_back", "sent_back")])
def test_a_no_closes_the_question_with_its_reason(tenant: Tenant, verdict: str, state: str) -> None:
    request = post(asked(requirement=TWO), dee(tenant), verdict=verdict, reason="Wrong branch.")
    request.refresh_from_db()
    assert (request.state, request.closed_by) == (state, "Dee")
    assert request.closed_because == "Wrong branch."
    assert not Approval.objects.exists()
    assert Run.objects.get().wakes == 1


@pytest.mark.parametrize("verdict", ["reject", "send_back"])
def test_a_no_needs_a_reason(tenant: Tenant, verdict: str) -> None:
    with pytest.raises(ReasonMissingError):
        post(asked(), dee(tenant), verdict=verdict, reason=" \n")
    assert nothing_happened()


def test_an_unknown_verdict_is_refused(tenant: Tenant) -> None:
    with pytest.raises(ValueError, match="maybe"):
        post(asked(), dee(tenant), verdict="maybe")


def test_two_distinct_people_are_needed_when_two_are_required(tenant: Tenant) -> None:
    request = asked(requirement=TWO)
    assert post(request, dee(tenant)).state == "open"
    assert post(request, dee(tenant)).state == "open"
    assert Run.objects.get().wakes == 0
    assert post(request, eve(tenant)).state == "approved"
    assert Approval.objects.count() == 1


def test_nobody_approves_a_run_they_started(tenant: Tenant) -> None:
    with pytest.raises(NotPermittedError) as refused:
        post(asked(), ada(tenant))
    assert refused.value.code == "own_run"
    assert nothing_happened()


def test_nobody_approves_a_run_that_works_on_their_behalf(tenant: Tenant) -> None:
    run = make_run(tenant, started_by=None, on_behalf_of=" DEE@example.org ")
    request = ask(make_question(run))
    with pytest.raises(NotPermittedError) as refused:
        post(request, dee(tenant))
    assert refused.value.code == "own_run"
    assert post(request, ada(tenant)).state == "approved"


def test_people_without_the_right_at_this_tenant_are_refused(tenant: Tenant) -> None:
    request = asked()
    stranger, elsewhere = cy(), eve(make_tenant("other"))
    for user in (bob(tenant), stranger, elsewhere):
        with pytest.raises(NotPermittedError) as refused:
            post(request, user)
        assert refused.value.code == "no_right"
    assert nothing_happened()


def test_an_inactive_person_is_refused_whatever_the_session_believes(tenant: Tenant) -> None:
    request, user = asked(), dee(tenant)
    User.objects.filter(pk=user.pk).update(is_active=False)
    with pytest.raises(NotPermittedError):
        post(request, user)
    assert nothing_happened()


@pytest.mark.parametrize("superuser", [False, True])
def test_a_machine_is_refused_before_rights_are_read(tenant: Tenant, superuser: bool) -> None:
    request, user = asked(), dee(tenant)
    User.objects.update(is_superuser=superuser)
    for actor in (WORKER, Actor.stranger("10.0.0.1"), Actor.person(eve(tenant))):
        with pytest.raises(NotPermittedError) as refused:
            post(request, user, actor=actor)
        assert refused.value.code == "machine"
    assert nothing_happened()


def test_a_superuser_without_the_right_is_refused(tenant: Tenant) -> None:
    request, user = asked(), cy()
    User.objects.filter(pk=user.pk).update(is_superuser=True)
    with pytest.raises(NotPermittedError):
        post(request, User.objects.get(pk=user.pk))


def test_another_hash_than_the_pages_is_refused(tenant: Tenant) -> None:
    request = asked()
    with pytest.raises(HashMismatchError) as refused:
        post(request, dee(tenant), shown="0" * 64)
    assert refused.value.differences == ()
    assert nothing_happened()


@pytest.mark.parametrize("on_the_old_page", [True, False])
def test_what_moved_since_the_page_was_shown_is_named(
    tenant: Tenant, on_the_old_page: bool
) -> None:
    question = make_question(make_run(tenant))
    old = ask(question)
    moved = replace(question.bound, resources={**question.bound.resources, "origin/main": "b" * 40})
    new = ask(replace(question, bound=moved))
    with pytest.raises(HashMismatchError) as refused:
        post(old if on_the_old_page else new, dee(tenant), shown=old.action_hash)
    told = {difference.field: difference for difference in refused.value.differences}
    assert refused.value.request_id == new.id
    assert {"resources.origin/main", "nonce"} <= set(told) <= {
        "resources.origin/main", "nonce", "expires_at",
    }  # fmt: skip
    assert told["resources.origin/main"].saw == "a" * 40
    assert not Decision.objects.exists()


@pytest.mark.parametrize(
    "columns",
    [
        {"diff": b"-harmless\n"},
        {"parameters": b'{"branch":"prod"}'},
        {"requirement": {"approvers": 0}},
        {"tool": "mail.send"},
        {"nonce": "n"},
        {"action_id": uuid.UUID(int=5)},
    ],
)
def test_a_request_altered_after_it_was_shown_cannot_be_decided(
    tenant: Tenant, columns: dict[str, Any]
) -> None:
    request = asked()
    tamper(request, **columns)
    with pytest.raises(DamagedRequestError):
        post(request, dee(tenant))
    assert nothing_happened()


def test_the_clock_closes_a_question_without_a_sweeper(tenant: Tenant) -> None:
    request = asked()
    make_due(request)
    with pytest.raises(AlreadyDecidedError) as refused:
        post(request, dee(tenant))
    assert (refused.value.state, refused.value.at) == ("expired", request.expires_at)
    assert nothing_happened()


def test_the_second_person_hears_who_decided_what_and_when(tenant: Tenant) -> None:
    request = post(asked(), dee(tenant), verdict="reject", reason="No.")
    with pytest.raises(AlreadyDecidedError) as refused:
        post(request, eve(tenant))
    request.refresh_from_db()
    told = refused.value
    assert (told.state, told.by, told.at) == ("rejected", "Dee", request.closed_at)
    assert Decision.objects.count() == 1


def test_a_double_click_gets_the_recorded_result(tenant: Tenant) -> None:
    request = asked()
    first, second = post(request, dee(tenant)), post(request, dee(tenant))
    assert (second.id, second.state) == (first.id, "approved")
    assert Decision.objects.count() == 1
    assert Run.objects.get().wakes == 1


def test_one_person_does_not_decide_twice(tenant: Tenant) -> None:
    request = asked(requirement=TWO)
    post(request, dee(tenant))
    with pytest.raises(AlreadyDecidedError) as refused:
        post(request, dee(tenant), verdict="reject", reason="Changed my mind.")
    assert (refused.value.state, refused.value.by) == ("approve", "Dee")


def test_a_yes_that_no_longer_counts_is_not_counted(tenant: Tenant) -> None:
    request = asked(requirement=TWO)
    post(request, dee(tenant))
    access.revoke(tenant, dee(), "approve_actions")
    assert post(request, eve(tenant)).state == "open"
    assert not Approval.objects.exists()
