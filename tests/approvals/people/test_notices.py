"""Who is told of a request: all who may decide, redacted, once; reminders and the owner in time."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from pytest_django import Settings

from approvals import clock, requests
from approvals.models import Approval, ApprovalRequest, Decision, HandOver
from approvals.people import handovers, notices
from tenants.actors import Actor
from tenants.models import AuditRow, User
from tenants.notifications import sending
from tenants.notifications.models import Notification, NotificationChoice
from tests.approvals.questions import TWO, asked, decide, eve, expire_in, make_due, tamper
from tests.checkpoints.records import by_force
from tests.people import ada, bob, dee, make_tenant
from tests.tenants.notifications.conftest import mailbox  # noqa: F401 - a fixture
from tests.tenants.notifications.test_sending import mails

pytestmark = pytest.mark.django_db
WORKER = Actor.machine("worker-1")


@pytest.fixture(autouse=True)
def _on(settings: Settings) -> None:
    settings.KEDGE_NOTIFICATIONS = True


@pytest.fixture
def people() -> list[User]:
    tenant = make_tenant()
    return [ada(tenant), bob(tenant), dee(tenant)]


def told(kind: str = "request_asked") -> list[User]:
    rows = Notification.objects.filter(kind=kind).exclude(state="dropped").order_by("person_id")
    return [row.person for row in rows]


def earlier(request: ApprovalRequest, by: timedelta) -> None:
    tamper(request, asked_at=request.asked_at - by)


def test_everybody_who_may_decide_is_told_with_the_question(people: list[User]) -> None:
    request = asked()
    assert people[2] in told()
    assert people[1] not in told()
    assert request.starter not in told()


def test_the_text_names_no_target_parameters_diff_or_business_key(people: list[User]) -> None:
    request = asked()
    row = Notification.objects.filter(kind="request_asked")[0]
    for secret in (request.target, request.run.business_key, "branch", "+new", request.describe):
        assert secret not in row.text
    assert request.tool in row.text


def test_a_rolled_back_question_is_told_to_nobody() -> None:
    assert told() == []


@pytest.mark.parametrize("verdict", ["approve", "reject", "send_back"])
def test_a_decided_request_is_told_no_more(people: list[User], verdict: str) -> None:
    decide(asked(), people[2], verdict)
    assert told() == []


def test_a_withdrawn_or_expired_request_is_told_no_more(people: list[User]) -> None:
    requests.withdraw(asked().action_id, actor=WORKER, reason="Cancelled.")
    make_due(asked())
    requests.expire_due(10)
    assert told() == []


def test_before_it_expires_those_who_did_not_answer_are_told_once(people: list[User]) -> None:
    other = eve(make_tenant())
    request = asked(requirement=TWO)
    decide(request, people[2])
    assert notices.remind(10) == 0
    expire_in(request, seconds=3000)
    assert notices.remind(10) == 1
    assert notices.remind(10) == 0
    assert told("approval_expiring") == [other]


def test_nobody_came_so_the_owner_is_told_once(people: list[User], settings: Settings) -> None:
    request = asked()
    assert notices.escalate(10) == 0
    earlier(request, timedelta(minutes=settings.KEDGE_ESCALATE_MINUTES + 1))
    people[1].groups.add(Group.objects.create(name=settings.PRACTICE["owner"]))
    assert notices.escalate(10) == 1
    assert notices.escalate(10) == 0
    assert told("unclaimed") == [people[1]]


def test_a_request_somebody_took_up_is_not_escalated(people: list[User]) -> None:
    answered, handed = asked(requirement=TWO), asked()
    for request in (answered, handed):
        earlier(request, timedelta(hours=2))
    decide(answered, people[2])
    HandOver.objects.create(request=handed, given_by=people[0], given_to=people[2])
    assert notices.escalate(10) == 0


def handed(request: ApprovalRequest, giver: User, colleague: User) -> HandOver:
    return handovers.hand_over(
        request.pk,
        actor=Actor.person(giver),
        user=giver,
        colleague=colleague,
        note="The amount, I think, is wrong.",
    )


def test_who_is_asked_by_a_colleague_is_told_who_asks_and_nothing_of_the_note(
    people: list[User],
) -> None:
    request = asked()
    handed(request, people[0], people[2])
    assert told("handed_over") == [people[2]]
    row = Notification.objects.get(kind="handed_over")
    assert row.text.startswith("Ada asks you to decide a request of “")
    assert "amount" not in row.text
    decide(request, people[2])
    assert told("handed_over") == []


def test_a_hand_over_taken_back_is_told_no_more_and_given_again_it_is(people: list[User]) -> None:
    request = asked()
    given = handed(request, people[0], people[2])
    handovers.take_back(given.pk, actor=Actor.person(people[0]), user=people[0])
    assert told("handed_over") == []
    handed(request, people[0], people[2])
    assert told("handed_over") == [people[2]]


def granted(request: ApprovalRequest, by: timedelta) -> None:
    with by_force():
        Approval.objects.filter(request=request).update(granted_at=clock.now() - by)


def test_what_is_approved_and_not_sent_is_told_once_to_who_said_yes_and_the_owner(
    people: list[User], settings: Settings
) -> None:
    request = asked()
    decide(request, people[2])
    granted(request, timedelta(minutes=settings.KEDGE_ESCALATE_MINUTES - 1))
    assert notices.unsent(10) == 0
    granted(request, timedelta(minutes=settings.KEDGE_ESCALATE_MINUTES + 1))
    people[1].groups.add(Group.objects.create(name=settings.PRACTICE["owner"]))
    assert notices.unsent(10) == 1
    assert notices.unsent(10) == 0
    assert told("approval_unsent") == [people[1], people[2]]
    assert "nothing was sent yet" in Notification.objects.filter(kind="approval_unsent")[0].text


def test_what_was_sent_meanwhile_is_told_to_nobody(people: list[User]) -> None:
    request = asked()
    decide(request, people[2])
    granted(request, timedelta(hours=3))
    assert notices.unsent(10) == 1
    tamper(request, state="used")
    assert notices.unsent(10) == 0
    assert told("approval_unsent") == []


def test_a_mail_server_gets_what_was_handed_over_and_not_what_it_says(
    people: list[User],
    mailbox: Path,  # noqa: F811
) -> None:
    request = asked()
    Notification.objects.all().delete()
    handed(request, people[0], people[2])
    assert sending.send_due() == 1
    (mail,) = mails(mailbox)
    text = " ".join(mail.get_content().split())
    assert mail["Delivered-To"] == people[2].email
    assert "Ada asks you to decide" in text
    assert f"/t/acme/approvals/{request.pk}/" in text
    for secret in ("amount", request.target, request.describe, request.run.business_key):
        assert secret not in text


def test_quiet_hours_and_digests_hold_for_what_is_not_sent(people: list[User]) -> None:
    NotificationChoice.objects.create(person=people[2], digest="daily")
    request = asked()
    decide(request, people[2])
    granted(request, timedelta(hours=3))
    assert notices.unsent(10) == 1
    row = Notification.objects.get(kind="approval_unsent", person=people[2])
    assert row.not_before > clock.now()


@pytest.mark.parametrize("method", ["get", "head"])
def test_no_link_in_a_notification_decides_anything(people: list[User], method: str) -> None:
    """Mail scanners, previews and prefetching open every link; nothing is decided by it."""
    request = asked()
    client = Client()
    client.force_login(people[2])
    before = facts(request)
    for row in Notification.objects.all():
        for headers in ({}, {"Sec-Purpose": "prefetch"}):
            assert getattr(client, method)(row.path, headers=headers).status_code in {200, 405}
    assert facts(request) == before


def facts(request: ApprovalRequest) -> object:
    row = ApprovalRequest.objects.values().get(pk=request.pk)
    run = type(request.run).objects.values("status", "wakes", "fence").get(pk=request.run_id)
    return (
        row,
        run,
        list(Decision.objects.values()),
        list(Approval.objects.values()),
        list(AuditRow.objects.values_list("audit_id", flat=True)),
        list(Notification.objects.values()),
    )


def test_switched_off_nothing_is_written(people: list[User], settings: Settings) -> None:
    settings.KEDGE_NOTIFICATIONS = False
    asked()
    assert notices.remind(10) == notices.escalate(10) == notices.unsent(10) == 0
    assert not Notification.objects.exists()
