"""Pages for getting in: the one-use link shows a button first, an old form is refused aloud."""

import pytest
from django.test import Client
from pytest_django import Settings

from tenants.actors import Actor
from tenants.models import AuditRow, SignInLink
from tenants.signin.links import make_link
from tests.people import ada, make_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _site(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.tenants.pages"
    settings.KEDGE_DEMO = True


@pytest.fixture
def url() -> str:
    token = make_link(ada(make_tenant()), actor=Actor.machine("test"))
    return f"/sign-in/link/{token}/"


def test_looking_at_the_link_uses_nothing_up(client: Client, url: str) -> None:
    for _ in range(3):
        page = client.get(url)
        assert page.status_code == 200
        assert "no-store" in page.headers["Cache-Control"]
    assert client.head(url).status_code == 200
    assert SignInLink.objects.get().used_at is None
    assert client.get("/").status_code == 302


def test_the_button_signs_in_once(client: Client, url: str) -> None:
    assert client.post(url).headers["Location"] == "/"
    assert client.get("/").content == b"home"
    verbs = set(AuditRow.objects.values_list("verb", flat=True))
    assert verbs == {"make_sign_in_link", "use_sign_in_link", "sign_in"}
    second = Client()
    assert second.get(url).status_code == 410
    assert second.post(url).status_code == 410
    assert second.get("/").status_code == 302
    assert AuditRow.objects.get(verb="refused_use_sign_in_link").actor_id == "127.0.0.1"


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"REMOTE_ADDR": "10.0.0.7"},
        {"REMOTE_ADDR": ""},
        {"HTTP_X_FORWARDED_FOR": "10.0.0.7"},
        {"HTTP_FORWARDED": "for=10.0.0.7"},
    ],
)
def test_the_link_works_on_this_machine_only(
    client: Client, url: str, elsewhere: dict[str, str]
) -> None:
    assert client.get(url, **elsewhere).status_code == 404  # type: ignore[arg-type]
    assert client.post(url, **elsewhere).status_code == 404  # type: ignore[arg-type]
    assert SignInLink.objects.get().used_at is None


def test_the_link_works_on_a_demo_installation_only(
    client: Client, url: str, settings: Settings
) -> None:
    settings.KEDGE_DEMO = False
    assert client.post(url).status_code == 404
    assert SignInLink.objects.get().used_at is None


def test_a_made_up_link_is_refused(client: Client) -> None:
    assert client.post("/sign-in/link/made-up/").status_code == 410


def test_a_form_older_than_the_sign_in_is_refused_in_a_sentence() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada(make_tenant()))
    page = client.post("/t/acme/decision/", headers={"Referer": "http://testserver/t/acme/"})
    assert page.status_code == 403
    assert "Nothing was done and nothing was decided." in page.content.decode()
    assert 'href="/t/acme/"' in page.content.decode()


def test_what_a_foreign_form_says_is_never_shown() -> None:
    client = Client(enforce_csrf_checks=True)
    page = client.post("/t/acme/decision/", {"reason": "call this number now"})
    assert page.status_code == 401
    assert "call this number" not in page.content.decode()


def test_a_sign_in_form_without_its_token_is_refused_as_a_form() -> None:
    page = Client(enforce_csrf_checks=True).post("/sign-in/", {"login": "ada@example.org"})
    assert page.status_code == 403
    assert "too old" in page.content.decode()
