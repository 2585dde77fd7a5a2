"""Drift: a yes to what moved is refused, by field, and people ask anew."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from approvals.drift import looks
from approvals.drift import moving as drift
from approvals.errors import AlreadyDecidedError, MovedError, NotPermittedError
from approvals.models import Approval, ApprovalRequest, Decision
from approvals.models.freshness import Freshness
from checkpoints.models import Event
from tenants.actors import Actor
from tenants.models import AuditRow, Tenant, User
from tests.approvals.drift.test_looks import MOVED, look_at, row
from tests.approvals.questions import (
    TWO,
    ask,
    asked,
    decide,
    eve,
    make_due,
    make_question,
    make_run,
)
from tests.people import ada, bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


@pytest.fixture
def request_(tenant: Tenant) -> ApprovalRequest:
    return asked()


def moved(request: ApprovalRequest) -> ApprovalRequest:
    assert looks.note_seen(look_at(request), MOVED)
    return request


def again(request: ApprovalRequest, user: User) -> ApprovalRequest:
    return drift.dry_run_again(request.pk, actor=Actor.person(user), user=user)


def test_a_yes_to_what_moved_is_refused_naming_the_field(
    tenant: Tenant, request_: ApprovalRequest
) -> None:
    with pytest.raises(MovedError) as refused:
        decide(moved(request_), dee(tenant))
    assert [each.field for each in refused.value.differences] == ["resources.origin/main"]
    request_.refresh_from_db()
    assert request_.state == "open"
    assert not Decision.objects.exists()
    assert not Approval.objects.exists()


@pytest.mark.parametrize("verdict", ["reject", "send_back"])
def test_a_no_to_what_moved_counts(tenant: Tenant, request_: ApprovalRequest, verdict: str) -> None:
    assert decide(moved(request_), dee(tenant), verdict).state != "open"


def test_the_last_yes_of_two_is_refused_when_it_moved_between_them(tenant: Tenant) -> None:
    request = asked(requirement=TWO)
    decide(request, dee(tenant))
    moved(request)
    with pytest.raises(MovedError):
        decide(request, eve(tenant))
    assert not Approval.objects.exists()


def test_a_yes_counts_again_when_the_world_moved_back(
    tenant: Tenant, request_: ApprovalRequest
) -> None:
    looks.note_seen(look_at(moved(request_)), [])
    assert decide(request_, dee(tenant)).state == "approved"


def test_what_could_not_be_seen_is_told_in_minutes(request_: ApprovalRequest) -> None:
    looks.note_unseen(look_at(request_), "the remote is gone")
    Freshness.objects.update(seen_at=Now() - timedelta(minutes=7, seconds=5))
    told = drift.told(request_)
    assert told is not None
    assert (told.unseen_for, told.error, told.moved) == (7, "the remote is gone", False)


def test_a_look_that_never_comes_is_told_too(request_: ApprovalRequest) -> None:
    """The sweeper is not there, or the tool hangs: nobody writes an error."""
    told = drift.told(request_)
    assert told is not None
    assert told.unseen_for == 0
    Freshness.objects.update(
        seen_at=Now() - timedelta(minutes=3), due_at=Now() - timedelta(seconds=61)
    )
    told = drift.told(request_)
    assert told is not None
    assert (told.unseen_for, told.error) == (3, "")


def test_what_moved_is_told_in_words(request_: ApprovalRequest) -> None:
    told = drift.told(moved(request_))
    assert told is not None
    (line,) = told.rows
    assert (line.name, line.saw.text, line.now.whole) == ("origin/main", "aaaaaaaa", "b" * 40)
    assert line.difference == "It moved in between."


def test_a_closed_request_has_nothing_to_tell(tenant: Tenant, request_: ApprovalRequest) -> None:
    assert drift.told(decide(moved(request_), dee(tenant), "reject")) is None


@pytest.mark.parametrize("person", [ada, dee])
def test_deciders_and_operators_ask_anew_and_it_is_on_record(
    tenant: Tenant, request_: ApprovalRequest, person: type
) -> None:
    user = person(tenant)
    closed = again(moved(request_), user)
    assert (closed.state, closed.closed_by) == ("withdrawn", str(user))
    assert closed.closed_because == "The question changed: origin/main."
    audit = AuditRow.objects.get(verb="dry_run_again")
    assert (audit.actor_name, audit.detail["moved"]) == (str(user), "resources.origin/main")
    assert Event.objects.filter(what="asked_anew").count() == 1
    closed.run.refresh_from_db()
    assert closed.run.wakes == 1


def test_the_new_question_has_a_new_hash_and_is_linked_to_the_old(tenant: Tenant) -> None:
    question = make_question(make_run())
    old = ask(question)
    again(moved(old), dee(tenant))
    new = ask(question)
    assert (new.replaces_id, new.revision, new.state) == (old.pk, 2, "open")
    assert new.action_hash != old.action_hash


def test_asking_anew_about_what_did_not_move_only_looks_again(
    tenant: Tenant, request_: ApprovalRequest
) -> None:
    assert again(request_, dee(tenant)).state == "open"
    due_at = row(request_).due_at
    assert due_at is not None
    assert due_at <= row(request_).seen_at + timedelta(seconds=10)
    assert [each.request_id for each in looks.claim("git.push", looks.Pace(1, 1, 1), room=1)] == [
        request_.pk
    ]
    assert not AuditRow.objects.filter(verb="dry_run_again").exists()


@pytest.mark.parametrize("person", [bob, cy])
def test_nobody_else_asks_anew(tenant: Tenant, request_: ApprovalRequest, person: type) -> None:
    user = cy() if person is cy else person(tenant)
    with pytest.raises(NotPermittedError):
        again(moved(request_), user)
    request_.refresh_from_db()
    assert request_.state == "open"


def test_a_machine_does_not_ask_anew_with_a_persons_rights(
    tenant: Tenant, request_: ApprovalRequest
) -> None:
    with pytest.raises(NotPermittedError) as refused:
        drift.dry_run_again(moved(request_).pk, actor=Actor.machine("token"), user=dee(tenant))
    assert refused.value.code == "machine"


def test_who_asks_anew_second_is_told_who_was_quicker(
    tenant: Tenant, request_: ApprovalRequest
) -> None:
    again(moved(request_), dee(tenant))
    with pytest.raises(AlreadyDecidedError) as told:
        again(request_, ada(tenant))
    assert (told.value.state, told.value.by) == ("withdrawn", "Dee")


def test_a_question_whose_time_is_over_is_not_asked_anew(
    tenant: Tenant, request_: ApprovalRequest
) -> None:
    make_due(moved(request_))
    with pytest.raises(AlreadyDecidedError) as told:
        again(request_, dee(tenant))
    assert told.value.state == "expired"
