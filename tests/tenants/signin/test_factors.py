"""Second factors: asked for at sign-in and before risky things, encrypted at rest, always audited."""

import re
from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from pytest_django import Settings

from tenants.actors import Actor
from tenants.keys import keeping, people
from tenants.models import AuditRow, User
from tenants.signin.factors import Factors
from tests.people import ada, make_tenant
from tests.tenants import codes
from tests.tenants.keys.rings import NEW, OLD, entry

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


def stored(user: User) -> str:
    """The table's own bytes about this person's factors."""
    rows = "SELECT string_agg(row::text, ' ') FROM mfa_authenticator AS row WHERE user_id = %s"
    with connection.cursor() as cursor:
        cursor.execute(rows, [user.pk])
        return str(cursor.fetchone()[0])


def sealed(user: User) -> list[str]:
    return re.findall(r"kedge-person-1:[^\"\\\\]+", stored(user))


def second_factor(user: User, code: str) -> int:
    """The answer to a right password and this code."""
    person = Client()
    by_password(person)
    answer = person.post("/sign-in/second-factor/", {"code": code})
    assert (person.get("/").status_code == 200) == (answer.status_code == 302)
    return answer.status_code


def test_no_secret_and_no_seed_stands_in_the_table(user: User) -> None:
    codes.give_app(user)
    for name in ("secret", "seed"):
        row = Authenticator.objects.get(user=user, data__has_key=name)
        plain = Factors().decrypt(row.data[name])
        assert re.fullmatch("[A-Z2-7]{32}|[0-9a-f]{80}", plain)
        assert plain not in stored(user)


def test_app_and_codes_work_on_after_a_rotation(user: User, settings: Settings) -> None:
    settings.KEDGE_KEYS = entry("old", OLD)
    codes.give_app(user)
    before = sealed(user)
    assert second_factor(user, codes.now(user)) == 302
    settings.KEDGE_KEYS = f"{entry('new', NEW)},{entry('old', OLD)}"
    call_command("keys", "rotate", stdout=StringIO())
    settings.KEDGE_KEYS = entry("new", NEW)
    assert second_factor(user, codes.recovery(user)) == 302
    assert sealed(user) == before


def test_a_wrong_ring_refuses_and_never_passes_over_the_factor(
    user: User, settings: Settings
) -> None:
    settings.KEDGE_KEYS = entry("old", OLD)
    codes.give_app(user)
    code, recovery = codes.now(user), codes.recovery(user)
    settings.KEDGE_KEYS = entry("new", NEW)
    for each in (code, recovery, "000000"):
        person = Client()
        assert by_password(person) == "/sign-in/second-factor/"
        answer = person.post("/sign-in/second-factor/", {"code": each})
        assert answer.status_code == 409
        assert "KEDGE_KEYS has no key &#x27;old&#x27;" in answer.content.decode()
        assert person.get("/").status_code == 302
    settings.KEDGE_KEYS = f"{entry('new', NEW)},{entry('old', OLD)}"
    assert second_factor(user, recovery) == 302


def test_an_erased_key_refuses_too_until_the_factors_are_taken_away(
    client: Client, user: User
) -> None:
    codes.give_app(user)
    code = codes.now(user)
    keeping.erase_own(user, actor=Actor.machine("test"), reason="asked for it")
    assert second_factor(user, code) == 409
    call_command("second_factors", user.email, stdout=StringIO())
    assert by_password(client) == "/"


def test_an_app_is_added_after_confirming_and_audited(client: Client, user: User) -> None:
    by_password(client)
    answer = client.get("/me/sign-in/app/")
    assert answer.headers["Location"] == "/confirm/?next=%2Fme%2Fsign-in%2Fapp%2F"
    led = client.post("/confirm/", {"password": PASSWORD, "next": "/me/sign-in/app/"})
    assert led.headers["Location"] == "/me/sign-in/app/"
    page = client.get("/me/sign-in/app/")
    assert "data:" in page.headers["Content-Security-Policy"]
    assert "data:" not in client.get("/me/sign-in/").headers["Content-Security-Policy"]
    secret = page.context["form"].secret
    assert people.is_sealed(client.session[SECRET_SESSION_KEY])
    made = client.post("/me/sign-in/app/", {"code": codes.of(secret)})
    assert made.headers["Location"] == "/me/sign-in/codes/"
    assert Factors().decrypt(Authenticator.objects.get(type="totp").data["secret"]) == secret
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
