"""Stopping and lifting in a real browser: without script, on a phone, by two people."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from checkpoints.models import Stop
from checkpoints.scopes import Scope
from reconciliation import stopping
from tenants.actors import Actor
from tenants.models import User
from tests.browser import enter, new_page, violations
from tests.checkpoints.lifts import lifted, proposed
from tests.engine.turns import Bench
from tests.execution.pages.test_live import SCREENS
from tests.execution.pages.test_operating_views import unknown, waiting
from tests.execution.pages.visits import PASSWORD, at
from tests.people import eve

pytestmark = pytest.mark.django_db(transaction=True)


def plain(browser: Browser, user: User, url: str) -> Page:
    """A page without JavaScript, signed in."""
    made, _complaints = new_page(browser, url, java_script_enabled=False)
    enter(made.context, user, url)
    return made


def confirmed_first(page: Page, button: str) -> None:
    """Press; confirm that it is you; press again on the page, shown anew."""
    page.get_by_role("button", name=button).click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("button", name=button).click()


def test_one_stops_from_the_header_and_two_lift_without_javascript(
    browser: Browser, engine: Bench, live_server: Any
) -> None:
    engine.decide(waiting(engine))
    for user in (engine.starter, eve(engine.tenant)):
        user.set_password(PASSWORD)
        user.save()
    ada_page = plain(browser, engine.starter, live_server.url)
    ada_page.goto(at(engine, "runs/"))
    ada_page.get_by_role("link", name="Stop effects").click()
    ada_page.get_by_label("What", exact=True).select_option("here:tool:fake.void")
    ada_page.get_by_role("button", name="Show what a stop of this meets").click()
    ada_page.get_by_label("Reason").fill("wrong tool")
    ada_page.get_by_role("button", name="Stop effects: 1 approved held back, 0 out").click()
    strip = ada_page.get_by_label("Stops in force")
    expect(strip).to_contain_text("Effects with fake.void are stopped")
    strip.get_by_role("link").click()
    sheet = ada_page.get_by_role("region", name="Effects with fake.void are stopped")
    sheet.get_by_label("Reason").fill("repaired")
    confirmed_first(ada_page, "Propose to lift")
    expect(ada_page.get_by_role("button", name="Confirm")).to_be_disabled()
    eve_page = plain(browser, eve(engine.tenant), live_server.url)
    eve_page.goto(at(engine, "stop/"))
    confirmed_first(eve_page, "Lift it: 0 runs go on, 60 a minute")
    expect(eve_page.get_by_role("status")).to_contain_text("The stop is lifted.")
    assert Stop.objects.get().lifted_by == "Ada and Eve"
    for page in (ada_page, eve_page):
        page.context.close()


def test_a_page_of_no_tenant_has_the_button_too(
    browser: Browser, engine: Bench, live_server: Any
) -> None:
    page = plain(browser, engine.starter, live_server.url)
    page.goto("/system/")
    page.get_by_role("link", name="Stop effects").click()
    page.get_by_role("link", name="Everything, at every tenant").click()
    page.get_by_label("Reason").fill("incident")
    page.get_by_role("button", name="Stop effects: 0 approved held back").click()
    expect(page.get_by_label("Stops in force")).to_contain_text("Effects are stopped everywhere.")
    page.context.close()


@pytest.mark.parametrize("screen", SCREENS)
def test_stops_of_every_kind_are_faultless(
    browser: Browser, engine: Bench, live_server: Any, screen: str
) -> None:
    unknown(engine)
    actor = Actor.person(engine.starter)
    run = waiting(engine)
    keyed = Scope(engine.tenant, tool="fake.keyed")
    lifted(stopping.stop(keyed, "effects", why="w" * 60, actor=actor), per_minute=30)
    stopping.stop(engine.tenant, "effects", why="two mails", actor=actor)
    proposed(stopping.stop(None, "new_runs", why="restore", actor=Actor.machine("shell")))
    void = Scope(engine.tenant, tool="fake.void")
    proposed(stopping.stop(void, "effects", why="x", actor=actor))
    engine.decide(run)
    engine.turn()
    for user in (engine.starter, eve(engine.tenant)):
        page, complaints = new_page(browser, live_server.url, **SCREENS[screen])
        enter(page.context, user, live_server.url)
        for address in (at(engine, "stop/?where=here:tool:fake.void"), "/stop/"):
            page.goto(address)
            assert violations(page) == []
            wide, seen = page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
            )
            assert wide == seen, address
        page.context.close()
        assert complaints == []
