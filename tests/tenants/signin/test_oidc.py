"""Who a provider vouches for is somebody known here by a verified address, or nobody."""

import pytest
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.internal.flows.login import complete_login
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.cache import SessionStore
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from config.oidc import provider
from tenants import people
from tenants.actors import Actor
from tenants.models import AuditRow, User
from tests.people import ada, bob
from tests.tenants import codes

pytestmark = pytest.mark.django_db
ENVIRONMENT = {
    "KEDGE_OIDC_URL": "https://id.example",
    "KEDGE_OIDC_CLIENT_ID": "kedge",
    "KEDGE_OIDC_SECRET": "sesame",
    "KEDGE_OIDC_NAME": "the office",
}


@pytest.fixture(autouse=True)
def _site(settings: Settings) -> None:
    found = provider(ENVIRONMENT, production=True)
    assert found is not None
    settings.ROOT_URLCONF = "tests.tenants.provider_pages"
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": found.as_allauth()}


def arrive(
    email: str, *, verified: bool = True, uid: str = "7"
) -> tuple[HttpRequest, HttpResponse]:
    """Come back from the provider with what it says, past the exchange with it."""
    request = RequestFactory().get("/sign-in/provider/oidc/back/")
    request.session, request.user = SessionStore(), AnonymousUser()
    request.allauth = type("Allauth", (), {})()  # type: ignore[attr-defined]
    with context.request_context(request):
        said = SocialLogin(
            user=User(email=email),
            account=SocialAccount(provider="oidc", uid=uid),
            email_addresses=[EmailAddress(email=email, verified=verified, primary=True)],
            provider=get_adapter().get_provider(request, "oidc"),
        )
        said.state = {"process": "login"}
        return request, complete_login(request, said)


def test_a_verified_address_signs_its_person_in_and_keeps_the_password() -> None:
    user = ada()
    user.set_password("correct horse battery")
    user.save()
    request, answer = arrive("Ada@example.org")
    assert (answer.status_code, request.user) == (302, user)
    user.refresh_from_db()
    assert user.check_password("correct horse battery")
    assert [row.verb for row in AuditRow.objects.order_by("pk")] == ["link_provider", "sign_in"]


def test_the_link_stays_when_the_address_changes() -> None:
    user = ada()
    arrive("ada@example.org")
    request, _ = arrive("new@example.org")
    assert request.user == user


@pytest.mark.parametrize(
    ("email", "verified"), [("ada@example.org", False), ("nobody@example.org", True)]
)
def test_others_are_told_that_they_are_not_known(email: str, *, verified: bool) -> None:
    ada()
    request, answer = arrive(email, verified=verified)
    assert not request.user.is_authenticated
    assert "Nobody was signed in" in answer.content.decode()
    assert User.objects.count() == 1
    assert AuditRow.objects.get().verb == "refused_sign_in"


def test_service_users_and_who_left_are_nobody() -> None:
    people.add_service_user("ci@example.org", "CI", actor=Actor.machine("test"))
    bob()
    User.objects.filter(email="bob@example.org").update(is_active=False)
    for number, email in enumerate(["ci@example.org", "bob@example.org"]):
        request, _ = arrive(email, uid=str(number))
        assert not request.user.is_authenticated


def test_the_second_factor_is_asked_for_here_too() -> None:
    codes.give_app(ada())
    request, answer = arrive("ada@example.org")
    assert answer.headers["Location"] == "/sign-in/second-factor/"
    assert not request.user.is_authenticated


def test_the_sign_in_page_offers_the_provider(client: Client) -> None:
    page = client.get("/sign-in/").content.decode()
    assert "Sign in with the office" in page
    assert 'action="/sign-in/provider/oidc/"' in page
