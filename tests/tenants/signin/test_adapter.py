"""Signing in and out: what works, what is refused, where it leads, and what the trail keeps."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from tenants.models import AuditRow, User
from tests.people import ada, make_tenant

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


def sign_in(client: Client, password: str = PASSWORD, **more: str) -> tuple[int, str]:
    response = client.post("/sign-in/", {"login": "ada@example.org", "password": password, **more})
    return response.status_code, response.headers.get("Location", "")


def test_the_right_password_signs_in_and_is_audited(client: Client, user: User) -> None:
    assert sign_in(client) == (302, "/")
    assert client.get("/").content == b"home"
    row = AuditRow.objects.get()
    assert (row.tenant, row.verb, row.actor_id) == (None, "sign_in", str(user.pk))
    assert row.detail == {"address": "127.0.0.1", "methods": ["password"]}


def test_the_session_cookie_is_closed_to_scripts_and_ends_after_eight_hours(
    client: Client, user: User
) -> None:
    sign_in(client)
    cookie = client.cookies["kedge_session"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert cookie["max-age"] == 8 * 60 * 60


def test_capital_letters_in_the_address_do_not_matter(client: Client, user: User) -> None:
    response = client.post("/sign-in/", {"login": "ADA@Example.org", "password": PASSWORD})
    assert response.status_code == 302


def test_a_wrong_password_signs_nobody_in_and_goes_to_the_installation(
    client: Client, user: User
) -> None:
    status, _ = sign_in(client, "hunter22")
    assert status == 200
    assert client.get("/").status_code == 302
    row = AuditRow.objects.get()
    assert (row.tenant, row.verb, row.actor_kind) == (None, "refused_sign_in", "stranger")
    assert (row.actor_id, row.subject) == ("127.0.0.1", "ada@example.org")
    assert "hunter22" not in str(row.detail)


def test_an_unknown_and_an_inactive_person_look_like_a_wrong_password(
    client: Client, user: User
) -> None:
    wrong = client.post("/sign-in/", {"login": user.email, "password": "wrong"})
    User.objects.update(is_active=False)
    inactive = client.post("/sign-in/", {"login": user.email, "password": PASSWORD})
    unknown = client.post("/sign-in/", {"login": "no@example.org", "password": PASSWORD})
    errors = [page.context["form"].errors for page in (wrong, inactive, unknown)]
    assert errors[0] == errors[1] == errors[2]
    assert AuditRow.objects.filter(verb="refused_sign_in").count() == 3


def test_guessing_is_stopped_after_five_even_with_the_right_password(
    client: Client, user: User
) -> None:
    for _ in range(5):
        sign_in(client, "wrong")
    status, _ = sign_in(client)
    assert status == 200
    assert client.get("/").status_code == 302


def test_somebody_deactivated_is_signed_out_at_once(client: Client, user: User) -> None:
    sign_in(client)
    User.objects.update(is_active=False)
    assert client.get("/").status_code == 302


@pytest.mark.parametrize(
    ("asked", "led"),
    [
        ("/t/acme/decision/?tab=2", "/t/acme/decision/?tab=2"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("http://localhost/", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_next_leads_to_a_page_of_this_site_only(
    client: Client, user: User, asked: str, led: str
) -> None:
    assert sign_in(client, next=asked) == (302, led)


def test_the_form_carries_next_on(client: Client) -> None:
    page = client.get("/sign-in/", {"next": "/t/acme/decision/"})
    assert b'name="next" value="/t/acme/decision/"' in page.content


def test_signing_out_takes_a_post_and_is_audited(client: Client, user: User) -> None:
    sign_in(client)
    assert client.get("/sign-out/").status_code == 200
    assert client.get("/").status_code == 200
    assert client.post("/sign-out/").headers["Location"] == "/sign-in/"
    assert client.get("/").status_code == 302
    assert AuditRow.objects.filter(verb="sign_out", actor_id=str(user.pk)).count() == 1


def test_signing_out_twice_is_no_error(client: Client) -> None:
    assert client.post("/sign-out/").headers["Location"] == "/sign-in/"


def test_asking_for_json_gets_the_page(client: Client) -> None:
    page = client.get("/sign-in/", headers={"Accept": "application/json"})
    assert page.headers["Content-Type"].startswith("text/html")


def test_a_page_costs_two_queries_for_its_person(
    client: Client, user: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    sign_in(client)
    with django_assert_num_queries(2):
        client.get("/")
