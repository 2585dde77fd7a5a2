"""Approving is held back until a person has opened all of it; then one press is enough."""

import pytest
from playwright.sync_api import expect

from approvals.models import ApprovalRequest, Decision
from approvals.people import reversibility
from approvals.rules import Requirement
from tests.approvals.asking import asked_about, git_diff
from tests.approvals.questions import ONE, WORKER
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import approval_page, press
from tests.journeys.test_looks import SCREENS, faultless

pytestmark = pytest.mark.django_db(transaction=True)

LARGE = git_diff(6, lines=60)
REASON = "I have looked at every line."


def asked(engine: Bench, kind: str = "reversible", demand: Requirement = ONE) -> ApprovalRequest:
    if kind:
        reversibility.set_class(engine.tenant, "git.push", kind, actor=WORKER, why="So it is.")
    return asked_about(LARGE, tenant=engine.tenant, requirement=demand)


@pytest.mark.parametrize("script", [True, False])
def test_a_yes_waits_until_all_is_opened(engine: Bench, sit_down: SitDown, *, script: bool) -> None:
    request = asked(engine, "")
    page = sit_down(engine.approver, java_script_enabled=script)
    page.goto(approval_page(request))
    button = page.get_by_role("button", name="Approve")
    expect(button).to_be_disabled()
    expect(page.get_by_text("5 parts of it are not opened yet.")).to_be_visible()
    expect(page.get_by_text("It cannot be undone here")).to_be_visible()
    page.locator("#decision").get_by_role("link", name="Open all on one page").click()
    expect(page.get_by_text("You opened everything there is to see.")).to_be_visible()
    page.get_by_label("Reason").fill(REASON)
    button.click()
    expect(page.get_by_text("You approved:")).to_be_visible()
    assert Decision.objects.get(request=request).reason == REASON


def test_each_opened_file_is_heard_in_place_and_what_is_typed_stays(
    engine: Bench, sit_down: SitDown
) -> None:
    request = asked(engine)
    page = sit_down(engine.approver)
    page.goto(approval_page(request))
    page.get_by_label("Reason").fill(REASON)
    for left in (4, 3, 2, 1):
        page.locator("details.diff-file:not([open]) > summary").first.click()
        told = f"{left} part{'s' if left > 1 else ''} of it"
        expect(page.get_by_text(told)).to_be_visible()
    page.locator("details.diff-file:not([open]) > summary").first.click()
    expect(page.get_by_text("You opened everything there is to see.")).to_be_visible()
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("You approved:")).to_be_visible()
    decided = Decision.objects.get(request=request)
    assert (decided.reason, decided.unopened) == (REASON, 0)


@pytest.mark.parametrize("script", [True, False])
def test_who_decides_without_says_so(engine: Bench, sit_down: SitDown, *, script: bool) -> None:
    request = asked(engine)
    page = sit_down(engine.approver, java_script_enabled=script)
    page.goto(approval_page(request))
    page.get_by_text("I decide without opening 5 parts…").click()
    page.get_by_role("button", name="Approve without opening 5 parts").click()
    expect(page.get_by_text("You approved:")).to_be_visible()
    expect(page.get_by_text("without opening 5 parts")).to_be_visible()
    assert Decision.objects.get(request=request).unopened == 5


@pytest.mark.parametrize("screen", SCREENS)
def test_what_is_left_to_open_is_faultless(engine: Bench, sit_down: SitDown, screen: str) -> None:
    request, must = asked(engine), asked(engine, "irreversible")
    page = sit_down(engine.approver, **SCREENS[screen])
    page.goto(approval_page(must))
    faultless(page)
    reversibility.set_class(engine.tenant, "git.push", "reversible", actor=WORKER, why="Again.")
    page.goto(approval_page(request))
    page.get_by_text("I decide without opening 5 parts…").click()
    faultless(page)
    page.goto(f"/t/{engine.tenant.slug}/approvals/batch/?r={request.pk}&r={must.pk}")
    faultless(page)
    press(page, "Send all back")
