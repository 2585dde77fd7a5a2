"""Second factors: asked for at sign-in and before risky things, encrypted at rest, always audited."""

import re

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from tenants.models import AuditRow, User
from tenants.signin.factors import Factors
from tests.people import ada, make_tenant
from tests.tenants import codes

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _site(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.tenants.pages"


@pytest.fixture
def user() -> User:
    person = ada(make_tenant())
    person.set_password(PASSWORD)
    person.save(update_fields=["password"])
    return person


def by_password(client: Client, url: str = "/sign-in/", **more: str) -> str:
    form = {"login": "ada@example.org", "password": PASSWORD, **more}
    return client.post(url, form).headers.get("Location", "")


def verbs() -> list[str]:
    return list(AuditRow.objects.order_by("audit_id").values_list("verb", flat=True))


def test_the_password_alone_does_not_sign_in_who_has_an_app(client: Client, user: User) -> None:
    codes.give_app(user)
    assert by_password(client) == "/sign-in/second-factor/"
    assert client.get("/").status_code == 302
    assert verbs() == []
    answer = client.post("/sign-in/second-factor/", {"code": codes.now(user)})
    assert answer.headers["Location"] == "/"
    assert client.get("/").content == b"home"
    assert AuditRow.objects.get(verb="sign_in").detail["methods"] == ["password", "app"]


def test_a_recovery_code_works_once(client: Client, user: User) -> None:
    codes.give_app(user)
    code = codes.recovery(user)
    for status in (302, 200):
        person = Client()
        by_password(person)
        assert person.post("/sign-in/second-factor/", {"code": code}).status_code == status
    assert AuditRow.objects.filter(verb="refused_sign_in").count() == 1


def test_an_app_code_works_once(client: Client, user: User) -> None:
    codes.give_app(user)
    code = codes.now(user)
    for status in (302, 200):
        person = Client()
        by_password(person)
        assert person.post("/sign-in/second-factor/", {"code": code}).status_code == status


def test_guessing_codes_is_stopped_even_with_the_right_one(client: Client, user: User) -> None:
    codes.give_app(user)
    by_password(client)
    for _ in range(5):
        client.post("/sign-in/second-factor/", {"code": "000000"})
    answer = client.post("/sign-in/second-factor/", {"code": codes.now(user)})
    assert answer.status_code == 200
    assert client.get("/").status_code == 302
    refused = AuditRow.objects.filter(verb="refused_sign_in")
    assert {row.subject for row in refused} == {user.email}


def test_keys_rest_encrypted_and_old_installation_keys_still_read_them(
    user: User, settings: Settings
) -> None:
    codes.give_app(user)
    row = Authenticator.objects.get(user=user, type=Authenticator.Type.TOTP)
    secret = Factors().decrypt(row.data["secret"])
    assert re.fullmatch("[A-Z2-7]{32}", secret)
    assert secret not in str(row.data)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "new" * 20
    assert Factors().decrypt(row.data["secret"]) == secret


def test_an_app_is_added_after_confirming_and_audited(client: Client, user: User) -> None:
    by_password(client)
    answer = client.get("/me/sign-in/app/")
    assert answer.headers["Location"] == "/confirm/?next=%2Fme%2Fsign-in%2Fapp%2F"
    led = client.post("/confirm/", {"password": PASSWORD, "next": "/me/sign-in/app/"})
    assert led.headers["Location"] == "/me/sign-in/app/"
    page = client.get("/me/sign-in/app/")
    assert "data:" in page.headers["Content-Security-Policy"]
    assert "data:" not in client.get("/me/sign-in/").headers["Content-Security-Policy"]
    made = client.post("/me/sign-in/app/", {"code": codes.of(page.context["form"].secret)})
    assert made.headers["Location"] == "/me/sign-in/codes/"
    assert "no-store" in client.get("/me/sign-in/codes/").headers["Cache-Control"]


def test_a_refused_post_is_never_replayed(client: Client, user: User) -> None:
    codes.give_app(user)
    by_password(client)
    client.post("/sign-in/second-factor/", {"code": codes.recovery(user)})
    answer = client.post("/me/sign-in/app/removal/")
    assert answer.headers["Location"] == "/confirm/code/?next=%2Fme%2Fsign-in%2Fapp%2Fremoval%2F"
    assert "account_reauthentication_state" not in client.session
    back = client.post(
        "/confirm/code/", {"code": codes.recovery(user), "next": "/me/sign-in/app/removal/"}
    )
    assert back.headers["Location"] == "/me/sign-in/app/removal/"
    assert Authenticator.objects.filter(user=user, type="totp").exists()
    client.post("/me/sign-in/app/removal/")
    assert not Authenticator.objects.filter(user=user).exists()
    assert verbs()[-1] == "remove_authenticator_app"


def test_the_password_confirms_nothing_for_who_has_a_second_factor(
    client: Client, user: User
) -> None:
    codes.give_app(user)
    by_password(client)
    client.post("/sign-in/second-factor/", {"code": codes.now(user)})
    for answer in (client.get("/confirm/"), client.post("/confirm/", {"password": PASSWORD})):
        assert answer.headers["Location"] == "/confirm/code/"


def test_a_wrong_confirmation_is_audited_by_person(client: Client, user: User) -> None:
    codes.give_app(user)
    by_password(client)
    client.post("/sign-in/second-factor/", {"code": codes.now(user)})
    client.post("/confirm/code/", {"code": "000000"})
    row = AuditRow.objects.get(verb="refused_confirm")
    assert (row.actor_kind, row.actor_id) == ("person", str(user.pk))


def test_who_lost_them_is_let_in_by_the_shell_on_record(client: Client, user: User) -> None:
    codes.give_app(user)
    call_command("second_factors", user.email)
    assert not Authenticator.objects.exists()
    assert by_password(client) == "/"
    row = AuditRow.objects.get(verb="take_second_factors_away")
    assert (row.actor_kind, row.subject, row.detail) == (
        "machine",
        f"person:{user.pk}",
        {"factors": 2},
    )
    with pytest.raises(CommandError):
        call_command("second_factors", "nobody@example.org")


def test_the_qr_code_is_on_white(client: Client, user: User) -> None:
    by_password(client)
    client.post("/confirm/", {"password": PASSWORD})
    page = client.get("/me/sign-in/app/")
    assert 'fill="white"' in page.context["totp_svg"]
