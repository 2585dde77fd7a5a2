"""Sending: one message per person and channel, redacted, once; failures wait, then stay visible."""

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from django.db.models.functions import Now
from pytest_django import Settings

from tenants import access
from tenants.keys import hiding, people
from tenants.models import User
from tenants.notifications import outbox, sending
from tenants.notifications.models import Notification, NotificationChoice
from tenants.notifications.outbox import Matter
from tests.people import ada, bob, make_tenant
from tests.tenants.keys.rings import NEW, OLD, entry
from tests.tenants.notifications.receiver import Received, receiving

pytestmark = pytest.mark.django_db


def tell(*people: User, n: int = 1) -> None:
    for number in range(n):
        path = f"/t/acme/approvals/{number}/"
        text = hiding.text(f"Run <{number}> & co ask.")
        outbox.put(make_tenant(), people, Matter("request_asked", f"request:{number}", path, text))


def mails(mailbox: Path) -> list[EmailMessage]:
    found = [path.read_bytes() for path in sorted(mailbox.iterdir())]
    return [message_from_bytes(raw, policy=policy.default) for raw in found]


def by_webhook(user: User, address: str) -> None:
    kept = people.sealed(user.pk, address, use=people.WEBHOOK)
    NotificationChoice.objects.create(person=user, by_mail=False, webhook=kept)


def states() -> set[str]:
    return set(Notification.objects.values_list("state", flat=True))


@pytest.fixture
def chat(settings: Settings) -> Iterator[Received]:
    with receiving() as server:
        settings.KEDGE_DEMO = True
        listed = [f"localhost:{server.server_port}"]
        settings.KEDGE_WEBHOOK_HOSTS = settings.KEDGE_WEBHOOK_PRIVATE_HOSTS = listed
        yield server


def test_a_mail_says_what_waits_and_links_to_the_page(mailbox: Path) -> None:
    tell(ada(make_tenant()), n=2)
    assert sending.is_due()
    assert sending.send_due() == 2
    mail = mails(mailbox)[0]
    assert (mail["Delivered-To"], mail["Subject"]) == ("ada@example.org", "Kedge: 2 messages")
    text = mail.get_content().replace("\r\n", "\n")
    assert "Run <0> & co ask.\nhttps://kedge.example/t/acme/approvals/0/" in text
    assert "https://kedge.example/me/notifications/" in text
    assert states() == {"sent"}
    assert not sending.is_due()
    assert sending.send_due() == 0
    assert len(mails(mailbox)) == 1


def test_a_webhook_gets_text_that_calls_nobody(chat: Received) -> None:
    user = bob(make_tenant())
    address = f"http://localhost:{chat.server_port}/"
    by_webhook(user, address)
    tell(user)
    assert sending.send_due() == 1
    told = chat.bodies[0]["text"]
    assert told == "Run &lt;0&gt; &amp; co ask.\nhttps://kedge.example/t/acme/approvals/0/"


def test_a_webhook_that_does_not_open_is_told_nothing_until_the_key_is_back(
    chat: Received, settings: Settings
) -> None:
    settings.KEDGE_KEYS = entry("old", OLD)
    user = bob(make_tenant())
    by_webhook(user, f"http://localhost:{chat.server_port}/")
    tell(user)
    settings.KEDGE_KEYS = entry("new", NEW)
    assert sending.send_due() == 0
    row = Notification.objects.get()
    assert (row.state, row.tries, chat.bodies) == ("waiting", 1, [])
    assert row.error.startswith("KEDGE_KEYS has no key 'old'")
    settings.KEDGE_KEYS = entry("old", OLD)
    Notification.objects.update(not_before=Now())
    assert sending.send_due() == 1


def test_what_is_not_due_waits(mailbox: Path) -> None:
    user = ada(make_tenant())
    NotificationChoice.objects.create(person=user, digest="daily")
    tell(user)
    assert sending.send_due() == 0
    assert states() == {"waiting"}


def test_who_lost_the_right_is_told_nothing(mailbox: Path) -> None:
    user = bob(make_tenant())
    tell(user)
    access.revoke(make_tenant(), user, "view_runs")
    assert sending.send_due() == 0
    assert states() == {"dropped"}
    assert mails(mailbox) == []


def test_who_left_is_told_nothing(mailbox: Path) -> None:
    user = bob(make_tenant())
    tell(user)
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert sending.send_due() == 0
    assert states() == {"dropped"}


def test_a_server_that_is_away_is_tried_again_then_given_up() -> None:
    tell(ada(make_tenant()))
    for number in range(1, sending.MOST_TRIES + 1):
        assert sending.send_due() == 0
        row = Notification.objects.get()
        assert (row.tries, row.error) == (
            number,
            "the mail server did not take it: ConnectionRefusedError",
        )
        assert row.state == ("failed" if number == sending.MOST_TRIES else "waiting")
        Notification.objects.update(not_before=Now())
    assert sending.send_due() == 0


def test_a_claimed_row_is_nobody_elses(mailbox: Path) -> None:
    tell(ada(make_tenant()))
    assert len(sending._claimed(10)) == 1
    assert sending._claimed(10) == []


def test_a_long_list_is_counted_not_cut_in_silence(mailbox: Path) -> None:
    tell(ada(make_tenant()), n=25)
    assert sending.send_due(limit=30) == 25
    assert "5 more." in mails(mailbox)[0].get_content()


def test_a_refused_address_is_an_error_of_that_person_only(mailbox: Path) -> None:
    tenant = make_tenant()
    wrong = bob(tenant)
    User.objects.filter(pk=wrong.pk).update(email="bob+refuse@example.org")
    tell(wrong, ada(tenant))
    assert sending.send_due() == 1
    row = Notification.objects.get(person=wrong)
    assert (row.state, row.error) == ("waiting", "the mail server refused the address (550)")
