"""Remarks are marked as seen before a yes where the rules want it; nothing else waits for a look."""

from dataclasses import replace

import pytest

from approvals.errors import AlreadyDecidedError, NotPermittedError, RemarksUnseenError
from approvals.looking import seen
from approvals.models import ApprovalRequest, Decision, SecondLook, SeenRemarks
from tenants.actors import Actor
from tenants.models import AuditRow, User
from tests.approvals.looking.lookers import (
    LOOKED_AT,
    NOTHING,
    SEEN_FIRST,
    asked,
    look_at,
    remark,
    unusable,
)
from tests.approvals.questions import approved_by, decide, eve
from tests.people import ada, bob, dee

pytestmark = pytest.mark.django_db

HERE = remark("facts", "Push")


@pytest.fixture
def request_() -> ApprovalRequest:
    return asked()


def see(look: SecondLook, user: User) -> None:
    seen.see(look.request_id, look.pk, actor=Actor.person(user), user=user)


def test_a_yes_counts_only_after_its_remarks_were_seen(request_: ApprovalRequest) -> None:
    look, user = look_at(request_, HERE), dee(request_.tenant)
    with pytest.raises(RemarksUnseenError) as refused:
        decide(request_, user)
    assert refused.value.remarks == 1
    assert not Decision.objects.exists()
    see(look, user)
    assert approved_by(request_, user).state == "approved"
    row = AuditRow.objects.get(verb="approve")
    assert (row.detail["second_look"], row.detail["seen_remarks"]) == (str(look.pk), "1")


def test_each_person_sees_for_themselves() -> None:
    request = asked(replace(SEEN_FIRST, approvers=2))
    look, first, second = look_at(request, HERE), dee(request.tenant), eve(request.tenant)
    see(look, first)
    decide(request, first)
    with pytest.raises(RemarksUnseenError):
        decide(request, second)
    see(look, second)
    assert approved_by(request, second).state == "approved"


def test_only_who_decides_is_asked_to_see(request_: ApprovalRequest) -> None:
    look = look_at(request_, HERE)
    see(look, dee(request_.tenant))
    other = bob(request_.tenant)
    with pytest.raises(NotPermittedError):
        see(look, other)
    with pytest.raises(NotPermittedError):
        see(look, ada(request_.tenant))  # who started the run decides nothing about it
    assert SeenRemarks.objects.count() == 1


def test_seeing_twice_is_once(request_: ApprovalRequest) -> None:
    look, user = look_at(request_, HERE), dee(request_.tenant)
    see(look, user)
    see(look, user)
    assert AuditRow.objects.filter(verb="see_remarks").count() == 1


@pytest.mark.parametrize("says", [None, [NOTHING], [unusable()]])
def test_without_remarks_a_yes_waits_for_nothing(
    request_: ApprovalRequest, says: list[object] | None
) -> None:
    if says is not None:
        look_at(request_, *says)
    assert approved_by(request_, dee(request_.tenant)).state == "approved"
    assert "second_look" not in AuditRow.objects.get(verb="approve").detail


@pytest.mark.parametrize("verdict", ["reject", "send_back"])
def test_a_no_never_waits_for_a_look(request_: ApprovalRequest, verdict: str) -> None:
    look_at(request_, HERE)
    decide(request_, dee(request_.tenant), verdict)
    request_.refresh_from_db()
    assert request_.state == {"reject": "rejected", "send_back": "sent_back"}[verdict]


def test_where_remarks_are_only_shown_a_yes_counts_at_once() -> None:
    request = asked(LOOKED_AT)
    look_at(request, HERE)
    assert approved_by(request, dee(request.tenant)).state == "approved"


def test_after_the_decision_there_is_nothing_to_see(request_: ApprovalRequest) -> None:
    look = look_at(request_, HERE)
    decide(request_, dee(request_.tenant), "reject")
    with pytest.raises(AlreadyDecidedError):
        see(look, dee(request_.tenant))


def test_a_look_of_another_question_is_none_of_this(request_: ApprovalRequest) -> None:
    look_at(request_, HERE)
    other, user = look_at(asked(), HERE), dee(request_.tenant)
    with pytest.raises(SecondLook.DoesNotExist):
        seen.see(request_.pk, other.pk, actor=Actor.person(user), user=user)


def test_a_machine_has_seen_nothing(request_: ApprovalRequest) -> None:
    look, user = look_at(request_, HERE), dee(request_.tenant)
    with pytest.raises(NotPermittedError):
        seen.see(request_.pk, look.pk, actor=Actor.machine("agent"), user=user)
