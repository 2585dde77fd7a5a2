"""How the components look to machines: no violation, nothing inline, nothing past the edge."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import new_page, violations

pytestmark = pytest.mark.urls("tests.ui.urls")

SCREENS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "narrow and light": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
    "narrow and dark": {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}},
}


@pytest.fixture(params=SCREENS, ids=str)
def gallery(request: pytest.FixtureRequest, browser: Browser, live_server: Any) -> Any:
    page, complaints = new_page(browser, live_server.url, **SCREENS[request.param])
    page.goto("/gallery/")
    yield page
    page.context.close()
    assert complaints == []


def test_nothing_has_an_accessibility_violation(gallery: Page) -> None:
    assert violations(gallery) == []
    for name in ("Tenant:", "Signed in:"):
        gallery.locator("summary", has_text=name).click()
        assert violations(gallery, within=".bar") == []


def test_nothing_reaches_past_the_edge(gallery: Page) -> None:
    wide, seen = gallery.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide == seen


def test_signed_out_page_shows_no_way_into_the_console(page: Page) -> None:
    page.goto("/signed-out/")
    assert violations(page) == []
    assert page.get_by_role("navigation").count() == 0
    assert page.get_by_role("link", name="Stop effects").count() == 0
    assert page.get_by_role("search").count() == 0


def test_page_carries_nothing_inline(page: Page) -> None:
    page.goto("/gallery/")
    html = page.content()
    assert "style=" not in html
    assert page.locator("style, script:not([src]), [onclick], [hx-on]").count() == 0


def test_dense_rows_are_34_pixels(page: Page) -> None:
    page.goto("/gallery/")
    heights = page.locator("#table tbody tr").evaluate_all(
        "rows => rows.map(row => Math.round(row.getBoundingClientRect().height))"
    )
    assert set(heights) <= {34, 35}  # 35 with the line between two rows


def test_decision_stays_in_sight_while_the_diff_moves(page: Page) -> None:
    page.goto("/gallery/")
    page.get_by_text("1,204 more lines of this file").last.scroll_into_view_if_needed()
    assert page.evaluate("scrollY") > 800
    box = page.get_by_role("complementary", name="Decision").bounding_box()
    assert box is not None
    assert 0 < box["y"] < 200


def test_times_are_utc_wherever_the_browser_is(page: Page) -> None:
    page.goto("/gallery/")
    assert page.evaluate("new Date(2026, 0, 1).getTimezoneOffset()") == -540
    assert page.get_by_text("2026-11-29 13:20:11 UTC").count() > 0
