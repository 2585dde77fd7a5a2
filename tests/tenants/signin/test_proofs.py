"""What counts as proof that it is still you: which methods, and how old they may be."""

from datetime import UTC, datetime, timedelta

import pytest
from allauth.account.internal.flows.login import record_authentication
from django.contrib.sessions.backends.cache import SessionStore
from django.http import HttpRequest
from pytest_django import Settings

from tenants.actors import MOST_AGE, SKEW, Proof
from tenants.models import User
from tenants.signin import proofs
from tests.people import ada, bob
from tests.tenants import codes

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def request_of(user: User) -> HttpRequest:
    request = HttpRequest()
    request.user, request.session = user, SessionStore()
    return request


@pytest.mark.parametrize(
    ("age", "fresh"),
    [
        (timedelta(0), True),
        (MOST_AGE, True),
        (MOST_AGE + SECOND, False),
        (-SKEW, True),
        (-SKEW - SECOND, False),
    ],
    ids=str,
)
def test_a_proof_is_fresh_for_ten_minutes(age: timedelta, *, fresh: bool) -> None:
    assert Proof("password", NOW - age).is_fresh(NOW) is fresh


@pytest.mark.django_db
def test_a_sign_in_by_password_is_a_proof_until_there_is_a_second_factor() -> None:
    user = ada()
    request = request_of(user)
    assert proofs.latest(request) is None
    record_authentication(request, user, "password", email=user.email)
    found = proofs.latest(request)
    assert found is not None
    assert found.method == "password"
    codes.give_app(user)
    assert proofs.latest(request) is None
    record_authentication(request, user, "mfa", id=1, type="totp")
    found = proofs.latest(request)
    assert found is not None
    assert found.method == "app"


@pytest.mark.django_db
def test_a_provider_and_a_mailed_code_prove_nothing() -> None:
    user = ada()
    request = request_of(user)
    record_authentication(request, user, "socialaccount", provider="oidc", uid="1")
    record_authentication(request, user, "code")
    record_authentication(request, user, proofs.LINK)
    assert proofs.latest(request) is None
    assert proofs.signed_in_lately(request, datetime.now(UTC))


@pytest.mark.django_db
def test_a_link_proves_on_a_demo_only(settings: Settings) -> None:
    user = ada()
    request = request_of(user)
    record_authentication(request, user, proofs.LINK)
    settings.KEDGE_DEMO = True
    found = proofs.latest(request)
    assert found is not None
    assert found.method == "link"


@pytest.mark.django_db
def test_another_persons_proof_is_none() -> None:
    request = request_of(ada())
    record_authentication(request, ada(), "password")
    request.user = bob()
    assert proofs.latest(request) is None
