"""How these pages look to machines: no accessibility violation, nothing past the edge, nothing inline."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.approvals.asking import MAIL, asked_about, git_diff
from tests.browser import violations
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import approval_page, asked_for, inbox_page, press, waiting_run
from tests.reconciliation.deskwork import held, unknown_mail

pytestmark = pytest.mark.django_db(transaction=True)

SCREENS: dict[str, dict[str, Any]] = {
    "wide and light": {"color_scheme": "light"},
    "narrow and dark": {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}},
}
OPEN_ALL = "() => document.querySelectorAll('main details').forEach((each) => (each.open = true))"


def faultless(page: Page) -> None:
    page.evaluate(OPEN_ALL)
    assert violations(page) == []
    wide, seen = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide == seen
    assert page.locator("style, [style], script:not([src]), [onclick]").count() == 0


@pytest.mark.parametrize("screen", SCREENS)
def test_pages_of_approvals_are_faultless(engine: Bench, sit_down: SitDown, screen: str) -> None:
    page = sit_down(engine.approver, **SCREENS[screen])
    page.goto(inbox_page(engine))
    faultless(page)
    for asked in (
        asked_for(waiting_run(engine)),
        asked_about(git_diff(6), tenant=engine.tenant),
        asked_about(MAIL, "text/plain", tenant=engine.tenant),
        asked_about(b'{"after":[1],"before":[2]}', "application/json", tenant=engine.tenant),
    ):
        page.goto(approval_page(asked))
        faultless(page)
    press(page, "Approve")
    expect(page.get_by_text("You approved")).to_be_visible()
    faultless(page)


@pytest.mark.parametrize("screen", SCREENS)
def test_pages_of_cases_and_actions_are_faultless(
    engine: Bench, sit_down: SitDown, screen: str
) -> None:
    case = unknown_mail(engine)
    page = sit_down(engine.starter, **SCREENS[screen])
    for url in (
        inbox_page(engine),
        f"/t/{engine.tenant.slug}/cases/{case.pk}/",
        f"/t/{engine.tenant.slug}/cases/{held(engine.tenant, 'crash_loop', head=3).pk}/",
        f"/t/{engine.tenant.slug}/actions/{case.action_id}/",
        f"/t/{engine.tenant.slug}/runs/{case.run_id}/actions/",
        f"/t/{engine.tenant.slug}/runs/{case.run_id}/requests/",
    ):
        page.goto(url)
        faultless(page)
