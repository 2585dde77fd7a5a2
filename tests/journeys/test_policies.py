"""A tenant's own policy, from what holds to a release that carries another."""

import pytest
from playwright.sync_api import Page, expect

from releases.usual.models import UsualPolicy
from tests.engine.turns import Bench
from tests.execution.pages.visits import PASSWORD
from tests.journeys.conftest import SitDown
from tests.journeys.test_looks import SCREENS, faultless
from tests.journeys.test_releases import here, press, shot
from tests.releases.traffic import Traffic

__all__ = ["here"]
pytestmark = pytest.mark.django_db(transaction=True)


def typed(page: Page, drills: str, looks: str) -> None:
    page.get_by_label("Twins that are drills").fill(drills)
    page.get_by_label("Looks").fill(looks)
    press(page, "Show what that changes")


def seen(page: Page, name: str) -> None:
    faultless(page)
    shot(page, f"policy {name} {page.viewport_size and page.viewport_size['width']}")


def confirmed(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()


@pytest.mark.parametrize("screen", SCREENS)
def test_another_policy_is_shown_confirmed_said_and_carried(
    engine: Bench, here: Traffic, sit_down: SitDown, screen: str
) -> None:
    here.ada.set_password(PASSWORD)
    here.ada.save(update_fields=["password"])
    page = sit_down(here.ada, **SCREENS[screen])
    page.goto(f"/t/{here.tenant.slug}/releases/policy/")
    seen(page, "of all")
    page.get_by_role("link", name="steps").first.click()
    page.get_by_text("What it says, field by field").click()
    gate = page.get_by_role("group", name="When a gate finds it worse")
    gate.get_by_label("It stops and rolls back by itself").check()
    typed(page, "101", "50, many")
    expect(page.get_by_text("2 fields have to be mended")).to_be_visible()
    seen(page, "wrong")
    typed(page, "30", "50, 100")
    expect(page.get_by_role("heading", name="What that changes")).to_be_visible()
    seen(page, "change")
    page.get_by_label("Reason").fill("Nobody is awake at three.")
    press(page, "Say it from the next release on")
    confirmed(page)
    expect(page.get_by_label("Reason")).to_have_value("Nobody is awake at three.")
    assert not UsualPolicy.objects.exists()
    press(page, "Say it from the next release on")
    expect(page.get_by_text("Said. Releases that begin from now on take it.")).to_be_visible()
    seen(page, "said")
    here.begin()
    page.goto(f"/t/{here.tenant.slug}/releases/1/")
    expect(page.get_by_role("region", name="Its policy")).to_contain_text("by itself, once")
    seen(page, "carried")
