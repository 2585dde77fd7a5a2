"""The page of one's own notifications: chosen by POST, secrets not shown again, failures visible."""

import re
from datetime import time

import pytest
from django.test import Client
from pytest_django import Settings

from tenants.models import AuditRow, User
from tenants.notifications import choosing, outbox, sending
from tenants.notifications.models import Notification, NotificationChoice
from tenants.notifications.outbox import Matter
from tests.people import ada, bob, make_tenant
from tests.tenants.keys.rings import NEW, OLD, entry

pytestmark = pytest.mark.django_db
PAGE = "/me/notifications/"
FORM = {"by_mail": "on", "digest": "at_once", "zone": "UTC", "quiet_from": "", "quiet_until": ""}


@pytest.fixture
def user() -> User:
    return ada(make_tenant())


@pytest.fixture
def mine(user: User, client: Client, settings: Settings) -> Client:
    settings.KEDGE_WEBHOOK_HOSTS = ["hooks.example"]
    client.force_login(user)
    return client


def test_without_a_choice_mails_come_at_once(mine: Client) -> None:
    page = mine.get(PAGE).content.decode()
    assert "By mail to ada@example.org" in page
    assert not NotificationChoice.objects.exists()


def test_a_choice_is_kept_and_audited_without_the_secret(mine: Client, user: User) -> None:
    hook = "https://hooks.example/services/secret-token"
    quiet = {"quiet_from": "22:00", "quiet_until": "07:00"}
    form = {**FORM, **quiet, "digest": "daily", "zone": "Asia/Tokyo", "webhook_url": hook}
    assert mine.post(PAGE, form).headers["Location"] == PAGE
    choice = NotificationChoice.objects.get(person=user)
    assert (choice.digest, choice.zone) == ("daily", "Asia/Tokyo")
    assert choosing.webhook_of(choice) == hook
    assert not {"hooks.example", "secret-token"} & set(re.split("[/:]", choice.webhook))
    assert (choice.quiet_from, choice.quiet_until) == (time(22), time(7))
    assert "secret-token" not in str(AuditRow.objects.get(verb="choose_notifications").detail)
    page = mine.get(PAGE).content.decode()
    assert "secret-token" not in page
    assert "Take the webhook at hooks.example away" in page


def test_an_empty_webhook_keeps_the_old_one_until_it_is_taken_away(
    mine: Client, user: User
) -> None:
    mine.post(PAGE, {**FORM, "webhook_url": "https://hooks.example/1"})
    mine.post(PAGE, FORM)
    assert choosing.webhook_of(NotificationChoice.objects.get()) == "https://hooks.example/1"
    mine.post(PAGE, {**FORM, "forget_webhook": "on"})
    assert NotificationChoice.objects.get().webhook == ""


def test_a_webhook_that_cannot_be_read_can_still_be_taken_away(
    mine: Client, settings: Settings
) -> None:
    settings.KEDGE_KEYS = entry("old", OLD)
    mine.post(PAGE, {**FORM, "webhook_url": "https://hooks.example/1"})
    settings.KEDGE_KEYS = entry("new", NEW)
    page = mine.get(PAGE).content.decode()
    assert "Take the webhook at an address that cannot be read now away" in page
    mine.post(PAGE, {**FORM, "forget_webhook": "on"})
    assert NotificationChoice.objects.get().webhook == ""


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"webhook_url": "https://evil.example/"}, "not on the list"),
        ({"webhook_url": "http://hooks.example/"}, "Only https"),
        ({"quiet_from": "22:00"}, "when they end"),
        ({"zone": "No/Where"}, "Select a valid choice"),
        ({"digest": "never"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_kept_is_said_and_nothing_is_kept(
    mine: Client, wrong: dict[str, str], said: str
) -> None:
    answer = mine.post(PAGE, {**FORM, **wrong})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not NotificationChoice.objects.exists()


def test_looking_changes_nothing(mine: Client) -> None:
    assert mine.get(PAGE, {"digest": "daily", "forget_webhook": "on"}).status_code == 200
    assert mine.head(PAGE).status_code == 200
    assert not NotificationChoice.objects.exists()
    assert not AuditRow.objects.exists()


def test_what_did_not_reach_me_is_there_to_see_and_nobody_elses(mine: Client, user: User) -> None:
    tenant = make_tenant()
    outbox.put(tenant, [user], Matter("stop_set", "stop:1", "/t/acme/stop/", "Ada set a stop."))
    outbox.put(tenant, [bob(tenant)], Matter("stop_set", "stop:2", "/t/acme/stop/", "Not mine."))
    sending.send_due()
    page = mine.get(PAGE).content.decode()
    assert "Ada set a stop." in page
    assert "not sent yet: the mail server did not take it" in page
    assert "Not mine." not in page
    Notification.objects.update(state="failed")
    assert "not sent, given up:" in mine.get(PAGE).content.decode()


def test_the_system_page_says_that_messages_do_not_arrive(mine: Client, user: User) -> None:
    outbox.put(
        make_tenant(), [user], Matter("stop_set", "stop:1", "/t/acme/stop/", "Ada set a stop.")
    )
    sending.send_due()
    Notification.objects.update(state="failed")
    page = mine.get("/system/").content.decode()
    assert "1 given up" in page
    assert "the mail server did not take it" in page
    assert "Ada set a stop." not in page
