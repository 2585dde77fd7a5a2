"""Handing a question over: a named colleague is asked, gets no right by it, and it can be undone."""

import pytest
from django.db import IntegrityError, transaction

from approvals import decisions, judging
from approvals.errors import AlreadyDecidedError, CannotTakeItError, NotPermittedError
from approvals.models import ApprovalRequest, HandOver
from approvals.people import handovers
from checkpoints.models import Event, Run
from tenants import access
from tenants.actors import Actor
from tenants.models import AuditRow, Tenant, User
from tests.approvals.questions import TWO, WORKER, asked, decide, eve, make_due
from tests.people import ada, bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


def hand(request: ApprovalRequest, by: User, to: User, note: str = "You know it.") -> HandOver:
    return handovers.hand_over(request.id, actor=Actor.person(by), user=by, colleague=to, note=note)


def test_a_hand_over_leaves_a_row_an_event_and_an_audit_row(tenant: Tenant) -> None:
    request, to = asked(), eve(tenant)
    given = hand(request, dee(tenant), to)
    assert (given.given_by, given.given_to, given.note) == (dee(), to, "You know it.")
    event, row = Event.objects.order_by("-id")[0], AuditRow.objects.order_by("-audit_id")[0]
    assert (event.what, event.actor, event.detail["to"]) == ("handed_over", "Dee", "Eve")
    assert (row.verb, row.actor_id, row.detail["to_id"]) == (
        "hand_over", str(dee().pk), str(to.pk),
    )  # fmt: skip
    assert Run.objects.get().wakes == 0
    assert handovers.standing([request.id]) == {request.id: [given]}


def test_asking_the_same_colleague_twice_is_one_hand_over(tenant: Tenant) -> None:
    request, to = asked(), eve(tenant)
    assert hand(request, dee(tenant), to) == hand(request, dee(), to, "Again.")
    assert HandOver.objects.count() == 1


def test_a_hand_over_is_no_right(tenant: Tenant) -> None:
    request, to = asked(), eve(tenant)
    hand(request, dee(tenant), to)
    access.revoke(tenant, to, "approve_actions")
    with pytest.raises(NotPermittedError):
        decide(request, to)


def test_whoever_handed_it_over_may_still_decide(tenant: Tenant) -> None:
    request = asked()
    hand(request, dee(tenant), eve(tenant))
    assert decide(request, dee()).state == "approved"


def test_only_a_colleague_who_may_decide_can_be_asked(tenant: Tenant) -> None:
    request, giver = asked(), dee(tenant)
    for to in (bob(tenant), cy(), ada(tenant), giver):  # a viewer, a stranger, the starter, oneself
        with pytest.raises(CannotTakeItError):
            hand(request, giver, to)
    assert not HandOver.objects.exists()


def test_who_has_answered_cannot_be_asked(tenant: Tenant) -> None:
    request = asked(requirement=TWO)
    decide(request, dee(tenant))
    with pytest.raises(CannotTakeItError):
        hand(request, eve(tenant), dee())


def test_the_starter_may_ask_a_colleague_and_a_viewer_may_not(tenant: Tenant) -> None:
    request, to = asked(), dee(tenant)
    assert hand(request, ada(tenant), to).given_by == ada()
    for nobody in (bob(tenant), cy()):
        with pytest.raises(NotPermittedError):
            hand(request, nobody, to)


def test_a_machine_hands_nothing_over(tenant: Tenant) -> None:
    request, to = asked(), dee(tenant)
    for actor in (WORKER, Actor.person(eve(tenant))):
        with pytest.raises(NotPermittedError) as refused:
            handovers.hand_over(request.id, actor=actor, user=ada(tenant), colleague=to)
        assert refused.value.code == "machine"


def test_what_is_closed_or_over_is_not_handed_over(tenant: Tenant) -> None:
    closed, over, to = asked(), asked(), eve(tenant)
    decide(closed, dee(tenant), "reject")
    make_due(over)
    for request, state in ((closed, "rejected"), (over, "expired")):
        with pytest.raises(AlreadyDecidedError) as refused:
            hand(request, ada(tenant), to)
        assert refused.value.state == state


def test_it_is_taken_back_by_whoever_gave_it_once(tenant: Tenant) -> None:
    request, to = asked(), eve(tenant)
    given = hand(request, dee(tenant), to)
    for other in (to, ada(tenant)):
        with pytest.raises(NotPermittedError):
            handovers.take_back(given.pk, actor=Actor.person(other), user=other)
    for _press in range(2):
        back = handovers.take_back(given.pk, actor=Actor.person(dee()), user=dee())
        assert back.taken_back_at is not None
    assert Event.objects.filter(what="hand_over_taken_back").count() == 1
    assert handovers.standing([request.id]) == {}
    assert hand(request, dee(), to).pk != given.pk


def test_the_database_keeps_hand_overs_as_they_were(tenant: Tenant) -> None:
    given = hand(asked(), dee(tenant), eve(tenant))
    rows = HandOver.objects.filter(pk=given.pk)
    for change in ({"note": "Another."}, {"given_to": ada(tenant)}, {"given_by": eve()}):
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.update(**change)
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.delete()


def test_a_hand_over_counts_nothing_towards_the_quorum(tenant: Tenant) -> None:
    request = asked(requirement=TWO)
    decide(request, dee(tenant))
    hand(request, dee(), eve(tenant))
    assert judging.standing(request) == {dee().pk}
    assert (
        decisions.take_back(request.id, actor=Actor.person(dee()), user=dee(), reason="No.").state
        == "open"
    )
