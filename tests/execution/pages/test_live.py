"""Pages in a real browser: they move with the run, need no script, and break no rule."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from checkpoints import stops
from tenants.actors import Actor
from tests.browser import enter, new_page, violations
from tests.engine.turns import Bench
from tests.execution.pages.visits import at, page_of

pytestmark = pytest.mark.django_db(transaction=True)

SCREENS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "narrow and dark": {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}},
}


@pytest.fixture
def operator(page: Page, engine: Bench, live_server: Any) -> Page:
    enter(page.context, engine.starter, live_server.url)
    return page


def test_a_run_page_follows_its_run_to_the_end(operator: Page, engine: Bench) -> None:
    run = engine.start(steps=3)
    operator.goto(page_of(engine, run))
    expect(operator.locator("#standing")).to_contain_text("Queued")
    engine.turn()
    expect(operator.locator("#standing")).to_contain_text("Succeeded", timeout=10_000)
    expect(operator.locator("#timeline")).to_contain_text("count \u00d73")
    expect(operator.locator("#standing")).not_to_have_attribute("hx-get", ".*")
    expect(operator.get_by_role("link", name="Start another like it")).to_be_visible()


def test_a_list_patches_its_rows_and_offers_new_ones(operator: Page, engine: Bench) -> None:
    run = engine.start(steps=1)
    operator.goto(at(engine, "runs/"))
    expect(operator.locator(f"#run-{run.id}")).to_contain_text("Queued")
    engine.start(steps=1)
    engine.turn()
    engine.turn()
    expect(operator.locator(f"#run-{run.id}")).to_contain_text("Succeeded", timeout=10_000)
    assert operator.locator("#run-rows tr").count() == 1
    operator.get_by_role("link", name="1 new run").click(timeout=10_000)
    expect(operator.locator("#run-rows tr")).to_have_count(2)


def test_a_run_is_started_and_cancelled_without_javascript(
    browser: Browser, engine: Bench, live_server: Any
) -> None:
    plain, complaints = new_page(browser, live_server.url, java_script_enabled=False)
    enter(plain.context, engine.starter, live_server.url)
    plain.goto(at(engine, "runs/start/"))
    plain.get_by_label("Task", exact=True).select_option("steps")
    plain.get_by_label("Business key", exact=True).fill("by hand")
    plain.get_by_label("Input", exact=True).fill('{"steps": 2}')
    plain.get_by_role("button", name="Start").click()
    expect(plain.locator("h1")).to_have_text("by hand")
    plain.get_by_role("link", name="Effects of this run").click()
    expect(plain.locator("main")).to_contain_text("No effects yet")
    plain.go_back()
    plain.get_by_role("link", name="Cancel this run").click()
    plain.get_by_label("Reason").fill("no longer wanted")
    plain.get_by_role("button", name="Cancel: 0 effects stand, 0 more will be sent").click()
    expect(plain.locator("#standing")).to_contain_text("Ada asked to cancel it already.")
    plain.context.close()
    assert complaints == []


@pytest.mark.parametrize("screen", SCREENS)
def test_no_page_has_an_accessibility_violation_or_reaches_past_the_edge(
    browser: Browser, engine: Bench, live_server: Any, screen: str
) -> None:
    run = engine.start(steps=3, tool="fake.void", what="a long word " + "x" * 60)
    engine.turn()
    ended = engine.start(steps=2)
    engine.turn()
    stops.stop(engine.tenant, "new_runs", why="a test", actor=Actor.person(engine.starter))
    page, complaints = new_page(browser, live_server.url, **SCREENS[screen])
    enter(page.context, engine.starter, live_server.url)
    parts = (
        "",
        "checkpoints/",
        "checkpoints/2/",
        "difference/?old=1&new=2",
        "log/",
        "cancellation/",
    )
    addresses = [
        *(at(engine, rest) for rest in ("", "runs/", "runs/start/", "search/?q=x", "stop/")),
        *(page_of(engine, run, part) for part in parts),
        page_of(engine, ended),
        at(engine, "runs/?status=failed"),
        at(engine, "runs/00000000-0000-7000-8000-000000000000/"),
        "/system/",
    ]
    for address in addresses:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        assert (address, violations(page)) == (address, [])
        wide, seen = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert (address, wide) == (address, seen)
        assert page.locator("[style], style, script:not([src])").count() == 0
    page.context.close()
    assert complaints == []
