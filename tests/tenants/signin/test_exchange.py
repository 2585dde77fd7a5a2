"""The whole exchange with a real provider of OpenID Connect: who gets in, and who never does."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from config.oidc import provider as configured
from tenants.models import AuditRow, User
from tenants.notifications.models import Notification
from tests.people import ada
from tests.tenants.signin.providers import here, knows, press, provider, query_of, with_query

pytestmark = pytest.mark.django_db
LEAVE = "/sign-in/provider/oidc/"
SUB = "account-17"


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with provider() as url:
        yield url


@pytest.fixture(autouse=True)
def _site(settings: Settings, issuer: str) -> None:
    settings.ROOT_URLCONF = "tests.tenants.provider_pages"
    configure(settings, issuer)
    knows(issuer, SUB, email="Ada@example.org", email_verified=True, name="Ada")


def configure(settings: Settings, url: str, **overrides: str) -> None:
    environment = {
        "KEDGE_OIDC_URL": url,
        "KEDGE_OIDC_CLIENT_ID": "kedge",
        "KEDGE_OIDC_SECRET": "sesame",
        "KEDGE_OIDC_NAME": "the office",
    }
    found = configured(environment, production=False)
    assert found is not None
    told = found.as_allauth()
    told["APPS"][0]["settings"]["openid_configuration_overrides"] = overrides
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": told}


def leave(client: Client) -> str:
    """Press the button of the sign-in page: the question, as it goes to the provider."""
    assert LEAVE in client.get("/sign-in/").content.decode()
    answer = client.post(LEAVE)
    assert answer.status_code == 302
    return str(answer.headers["Location"])


def back(client: Client, url: str) -> Any:
    return client.get(here(url))


def is_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def whys() -> list[str]:
    found = AuditRow.objects.filter(verb="refused_sign_in").order_by("audit_id")
    return [row.detail["why"] for row in found]


def test_a_known_person_gets_in_by_the_whole_exchange(client: Client, issuer: str) -> None:
    user = ada()
    question = leave(client)
    asked = query_of(question)
    assert question.startswith(f"{issuer}/oauth2/authorize?")
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    assert asked["state"]
    assert len(asked["nonce"]) >= 40
    answer = back(client, press(question, SUB))
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert is_in(client)
    assert answer.wsgi_request.user == user
    assert [row.verb for row in AuditRow.objects.order_by("audit_id")] == [
        "link_provider",
        "sign_in",
    ]


def test_being_linked_is_mailed_to_the_person_once(
    client: Client, issuer: str, settings: Settings
) -> None:
    settings.KEDGE_NOTIFICATIONS = True
    user = ada()
    for person in (client, Client()):
        back(person, press(leave(person), SUB))
        assert is_in(person)
    told = Notification.objects.get(kind="sign_in_changed")
    assert (told.person, told.channel) == (user, "mail")
    assert "linked to an account at your sign-in provider" in told.text
    assert SUB not in told.text


@pytest.mark.parametrize(
    "claims",
    [
        {"email": "nobody@example.org", "email_verified": True},
        {"email": "ada@example.org", "email_verified": False},
        {"email": "ada@example.org"},
        {},
    ],
    ids=["unknown", "not vouched for", "silent about it", "no address"],
)
def test_nobody_else_gets_in_and_it_is_on_record(
    client: Client, issuer: str, claims: dict[str, Any]
) -> None:
    ada()
    knows(issuer, "somebody", **claims)
    answer = back(client, press(leave(client), "somebody"))
    assert not is_in(client)
    assert "not known here" in whys()
    assert not AuditRow.objects.filter(verb__in=["sign_in", "link_provider"]).exists()
    assert User.objects.count() == 1
    assert answer.status_code in {200, 302}


def test_an_answer_with_another_nonce_is_refused(client: Client, issuer: str) -> None:
    """A code that was got for another question, put into this one."""
    ada()
    question = with_query(leave(client), nonce="of-another-question")
    answer = back(client, press(question, SUB))
    assert (answer.status_code, is_in(client)) == (401, False)
    assert whys() == ["the ID token has another nonce"]


def test_an_answer_with_another_state_or_to_another_browser_is_refused(
    client: Client, issuer: str
) -> None:
    ada()
    answered = press(leave(client), SUB)
    other = Client()
    assert back(client, with_query(answered, state="guessed")).status_code == 401
    assert back(other, answered).status_code == 401
    assert (is_in(client), is_in(other)) == (False, False)
    assert whys() == ["no question of this session"] * 2


def test_an_answer_is_good_once(client: Client, issuer: str) -> None:
    ada()
    answered = press(leave(client), SUB)
    back(client, answered)
    client.logout()
    assert (back(client, answered).status_code, is_in(client)) == (401, False)


def test_a_token_of_another_issuer_is_refused(
    client: Client, issuer: str, settings: Settings
) -> None:
    """The code is exchanged where the tokens are somebody else's."""
    ada()
    elsewhere = issuer.replace("127.0.0.1", "localhost")
    configure(settings, issuer, token_endpoint=f"{elsewhere}/oauth2/token")
    answer = back(client, press(leave(client), SUB))
    assert (answer.status_code, is_in(client)) == (401, False)
    assert whys() == ["the ID token is not good: InvalidIssuerError"]


def test_a_provider_that_names_another_issuer_than_ours_is_refused(
    client: Client, issuer: str, settings: Settings
) -> None:
    ada()
    configure(settings, issuer, issuer="https://id.example")
    assert back(client, press(leave(client), SUB)).status_code == 401
    assert not is_in(client)
    assert whys() == ["the provider names another issuer"]


def test_a_token_signed_with_another_key_is_refused(
    client: Client, issuer: str, settings: Settings
) -> None:
    ada()
    with provider() as other:
        configure(settings, issuer, jwks_uri=f"{other}/jwks")
        answer = back(client, press(leave(client), SUB))
    assert (answer.status_code, is_in(client)) == (401, False)
    assert whys() == ["the ID token is not good: InvalidSignatureError"]


def test_what_a_token_endpoint_refuses_lets_nobody_in(client: Client, issuer: str) -> None:
    ada()
    answered = with_query(press(leave(client), SUB), code="guessed")
    assert (back(client, answered).status_code, is_in(client)) == (401, False)
    assert whys() == ["the exchange failed: OAuth2Error"]


def test_cancelling_at_the_provider_lets_nobody_in(client: Client, issuer: str) -> None:
    ada()
    question = leave(client)
    denied = with_query(press(question, SUB, action="deny"), state=query_of(question)["state"])
    assert back(client, denied).status_code == 302
    assert not is_in(client)
    assert whys() == ["cancelled at the provider"]


def test_an_address_of_ours_cannot_change_what_is_asked(client: Client, issuer: str) -> None:
    answer = client.post(f"{LEAVE}?auth_params=nonce%3Dmine%26prompt%3Dnone&scope=everything")
    asked = query_of(str(answer.headers["Location"]))
    assert asked["nonce"] != "mine"
    assert "prompt" not in asked
    assert set(asked["scope"].split()) == {"openid", "profile", "email"}
