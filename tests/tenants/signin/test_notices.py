"""A change of how somebody signs in is mailed to them: always, at once, and without anything secret."""

from datetime import time
from io import StringIO
from pathlib import Path

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings

from tenants.models import AuditRow, User
from tenants.notifications import sending
from tenants.notifications.models import Notification, NotificationChoice
from tests.people import ada, make_tenant
from tests.tenants import codes
from tests.tenants.notifications.conftest import _on, mailbox  # noqa: F401 - fixtures
from tests.tenants.notifications.test_sending import mails

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _site(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.tenants.pages"


@pytest.fixture
def user() -> User:
    """Ada, who wants no mail, a digest each morning, and quiet all day."""
    person = ada(make_tenant())
    person.set_password(PASSWORD)
    person.save(update_fields=["password"])
    NotificationChoice.objects.create(
        person=person,
        by_mail=False,
        digest="daily",
        quiet_from=time(0, 0),
        quiet_until=time(23, 59),
    )
    return person


@pytest.fixture
def client(user: User) -> Client:
    person = Client()
    person.post("/sign-in/", {"login": user.email, "password": PASSWORD})
    return person


def told() -> list[str]:
    return list(
        Notification.objects.filter(kind="sign_in_changed", channel="mail")
        .order_by("pk")
        .values_list("text", flat=True)
    )


def added(client: Client) -> str:
    """The key of an authenticator app, added on the page."""
    client.post("/confirm/", {"password": PASSWORD})
    key = client.get("/me/sign-in/app/").context["form"].secret
    client.post("/me/sign-in/app/", {"code": codes.of(key)})
    return str(key)


def test_a_new_password_is_mailed_whatever_the_person_chose(client: Client, mailbox: Path) -> None:  # noqa: F811
    new = "another horse entirely"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    client.post("/me/sign-in/password/", form)
    assert sending.send_due() == 1
    (mail,) = mails(mailbox)
    text = mail.get_content()
    assert mail["Delivered-To"] == "ada@example.org"
    assert "The password of your Kedge account was changed at " in text
    assert "https://kedge.example/me/sign-in/" in text
    assert PASSWORD not in text
    assert new not in text


@pytest.mark.django_db(transaction=True)  # allauth tells of it on commit
def test_an_app_added_and_removed_is_told_without_its_key(client: Client, user: User) -> None:
    key = added(client)
    assert Authenticator.objects.filter(user=user, type="totp").exists()
    client.post("/me/sign-in/codes/new/")
    client.post("/confirm/code/", {"code": codes.recovery(user)})
    client.post("/me/sign-in/app/removal/")
    said = " ".join(told())
    for what in ("app was added", "recovery codes were made", "code of your", "app was removed"):
        assert what in said
    assert key not in said


def test_a_used_recovery_code_is_told_and_on_record_at_sign_in(user: User) -> None:
    codes.give_app(user)
    code, person = codes.recovery(user), Client()
    person.post("/sign-in/", {"login": user.email, "password": PASSWORD})
    person.post("/sign-in/second-factor/", {"code": "000000"})
    assert told() == []
    person.post("/sign-in/second-factor/", {"code": code})
    assert [said.split(" at ")[0] for said in told()] == [
        "A recovery code of your Kedge account was used"
    ]
    assert code not in told()[0]
    assert AuditRow.objects.filter(verb="use_recovery_code", actor_id=str(user.pk)).count() == 1


def test_the_code_of_an_app_is_nothing_to_tell(user: User) -> None:
    codes.give_app(user)
    person = Client()
    person.post("/sign-in/", {"login": user.email, "password": PASSWORD})
    person.post("/sign-in/second-factor/", {"code": codes.now(user)})
    assert AuditRow.objects.filter(verb="sign_in").exists()
    assert told() == []


def test_factors_taken_away_by_a_command_are_told_to_whose_they_were(user: User) -> None:
    codes.give_app(user)
    call_command("second_factors", user.email, stdout=StringIO())
    assert len(told()) == 1
    assert "taken away by who looks after Kedge here" in told()[0]


def test_where_no_mail_is_sent_nothing_is_kept(client: Client, settings: Settings) -> None:
    settings.KEDGE_NOTIFICATIONS = False
    added(client)
    assert told() == []
