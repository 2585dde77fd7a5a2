"""Getting in, in a real browser: passkeys, the second factor, and confirming in mid-approval."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from playwright.sync_api import Page, expect

from approvals.models import ApprovalRequest, Decision
from tenants.models import AuditRow, User
from tests.approvals.questions import ONE, asked
from tests.browser import new_page, violations
from tests.journeys.conftest import SitDown
from tests.journeys.places import approval_page, press
from tests.people import dee
from tests.tenants import codes

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "correct horse battery staple"


@pytest.fixture
def user() -> User:
    person = dee()
    person.set_password(PASSWORD)
    person.save()
    return person


@pytest.fixture
def stranger(browser: Any, live_server: Any) -> Iterator[Page]:
    page, complaints = new_page(browser, live_server.url)
    yield page
    page.context.close()
    assert complaints == []


def with_passkeys(page: Page) -> None:
    """Plug a virtual authenticator into the page: it verifies its user and keeps passkeys."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def by_password(page: Page, user: User) -> None:
    page.goto("/sign-in/")
    page.get_by_label("Email").fill(user.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_a_passkey_is_added_and_signs_in_without_a_password(stranger: Page, user: User) -> None:
    page = stranger
    with_passkeys(page)
    by_password(page, user)
    page.goto("/me/sign-in/passkeys/new/")
    expect(page.get_by_role("heading", name="Confirm that it is you")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Confirm")
    expect(page.get_by_role("heading", name="Add a passkey")).to_be_visible()
    page.get_by_label("Let it sign me in without a password").check()
    press(page, "Add the passkey")
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    assert violations(page) == []
    page.context.clear_cookies(name="kedge_session")
    page.goto("/sign-in/?next=/me/sign-in/")
    press(page, "Sign in with a passkey")
    expect(page.get_by_role("heading", name="How I sign in")).to_be_visible()
    assert Authenticator.objects.filter(user=user, type="webauthn").count() == 1
    last = AuditRow.objects.filter(verb="sign_in").latest("audit_id")
    assert last.detail["methods"] == ["passkey"]
    assert AuditRow.objects.filter(verb="add_passkey").count() == 1


def test_a_passkey_that_is_not_there_is_said_in_words(stranger: Page) -> None:
    page = stranger
    with_passkeys(page)
    page.goto("/sign-in/")
    press(page, "Sign in with a passkey")
    expect(page.get_by_role("alert").filter(has_text="No passkey was used")).to_be_visible(
        timeout=30_000
    )


def test_the_app_code_comes_after_the_password(stranger: Page, user: User) -> None:
    codes.give_app(user)
    by_password(stranger, user)
    expect(stranger.get_by_role("heading", name="Second factor")).to_be_visible()
    assert violations(stranger) == []
    stranger.get_by_label("Code").fill(codes.now(user))
    stranger.get_by_role("button", name="Sign in", exact=True).click()
    expect(stranger).to_have_url(re.compile(r"/$"))


def risky() -> ApprovalRequest:
    return asked(requirement=replace(ONE, reauthenticate=True))


def test_confirming_in_mid_approval_keeps_the_reason_and_decides_nothing_by_itself(
    sit_down: SitDown, user: User
) -> None:
    codes.give_app(user)
    request = risky()
    dee(request.tenant)
    page = sit_down(user)
    page.goto(approval_page(request))
    page.get_by_label("Reason").first.fill("I have looked at every line.")
    press(page, "Approve")
    expect(page.get_by_role("heading", name="Confirm that it is you")).to_be_visible()
    assert violations(page) == []
    page.get_by_label("Code").fill(codes.now(user))
    press(page, "Confirm")
    expect(page).to_have_url(re.compile(re.escape(approval_page(request))))
    expect(page.get_by_label("Reason").first).to_have_value("I have looked at every line.")
    assert not Decision.objects.exists()
    press(page, "Approve")
    expect(page.get_by_text("Dee approved this.")).to_be_visible()
    assert Decision.objects.get().proved_by == "app"


@pytest.mark.parametrize(
    "look",
    [{}, {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}],
    ids=["wide", "narrow"],
)
@pytest.mark.parametrize(
    "address", ["/me/sign-in/", "/me/notifications/", "/me/sign-in/password/", "/confirm/"]
)
def test_ones_own_pages_are_accessible_and_fit(
    sit_down: SitDown, user: User, look: dict[str, Any], address: str
) -> None:
    page = sit_down(user, **look)
    page.goto(address)
    assert violations(page) == []
    wide = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert wide <= 0
