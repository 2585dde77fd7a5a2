"""A person follows a mark to its field, says why, and sees the value once; credentials are noted."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from checkpoints.models import Run
from reconciliation.credentials.models import Credential
from tenants.access import grant
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.test_looks import SCREENS, faultless
from tests.secrecy.conftest import careless, run
from tests.secrecy.registry import PASSWORD

__all__ = ["careless", "run"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_value_is_shown_once_for_a_reason(
    careless: Bench, run: Run, sit_down: SitDown, screen: str
) -> None:
    careless.turn()
    page = sit_down(careless.starter, **SCREENS[screen])
    page.goto(f"/t/{careless.tenant.slug}/runs/{run.pk}/")
    page.get_by_role("link", name="Encrypted fields").first.click()
    expect(page.get_by_role("heading", name="Encrypted in: Input")).to_be_visible()
    faultless(page)
    page.get_by_label("/password").check()
    page.get_by_label("Reason").fill("the customer is on the phone")
    page.get_by_role("button", name="Show this value once").click()
    expect(page.get_by_text(PASSWORD)).to_be_visible()
    faultless(page)
    page.goto(page.url)
    expect(page.get_by_text(PASSWORD)).to_have_count(0)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_credential_is_noted_and_warned_about(
    careless: Bench, sit_down: SitDown, screen: str
) -> None:
    grant(careless.tenant, careless.starter, "manage_tenant")
    page = sit_down(careless.starter, **SCREENS[screen])
    page.goto(f"/t/{careless.tenant.slug}/credentials/")
    faultless(page)
    page.get_by_label("Acts as").fill("robot@example.org")
    page.get_by_label("Kept at").fill("env:CARELESS_TOKEN")
    page.get_by_label("Version").fill("3")
    page.get_by_role("button", name="Note it").click()
    expect(page.get_by_text("not checked yet")).to_be_visible()
    Credential.objects.update(expires_at=timezone.now() + timedelta(days=3))
    page.reload()
    expect(page.get_by_text("1 credential expires soon")).to_be_visible()
    faultless(page)
