"""From the inbox to the effect: one yes, one effect, and the page tells both."""

import pytest
from playwright.sync_api import Page, expect

from approvals.models import Decision
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import approval_page, asked_for, inbox_page, press, waiting_run

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_yes_leads_to_one_effect_and_the_open_page_hears_of_it(
    engine: Bench, sit_down: SitDown
) -> None:
    run = waiting_run(engine)
    asked = asked_for(run)
    page = sit_down(engine.approver)
    page.goto(inbox_page(engine))
    page.get_by_role("link", name="write a-0").click()
    expect(page.get_by_text("Nothing is sent before a yes.")).to_be_visible()
    expect(page.get_by_text("+a-0")).to_be_visible()
    button = page.get_by_role("button", name=f"Approve {asked.action_hash[:8]}")
    expect(button).to_have_accessible_description(
        "A worker makes the dry run once more. If it shows exactly this, it is sent, once. "
        "If anything has moved, nothing is sent and people are asked again."
    )
    assert effects() == []
    button.click()
    expect(page.get_by_text("You approved: write a-0")).to_be_visible()
    expect(page.get_by_text("Dee approved this.")).to_be_visible()
    engine.turn()
    expect(page.get_by_text("and it was sent once.")).to_be_visible(timeout=10_000)
    # Nobody can be writing on this page, so all of it is made anew.
    expect(page.get_by_role("heading", name="Approved and used")).to_be_visible()
    expect(page.get_by_text("Withdraw the approval…")).to_be_hidden()
    page.get_by_role("link", name="See what became of it").click()
    expect(page.get_by_text("It happened: the tool answered so.")).to_be_visible()
    assert len(effects()) == 1
    run.refresh_from_db()
    assert run.status == "succeeded"


def test_all_of_it_works_without_scripts(engine: Bench, sit_down: SitDown) -> None:
    run = waiting_run(engine)
    page = sit_down(engine.approver, java_script_enabled=False)
    page.goto(inbox_page(engine))
    page.get_by_role("link", name="Decide the oldest that is mine").click()
    press(page, "Approve")
    expect(page.get_by_text("Nothing else here waits for you.")).to_be_visible()
    engine.turn()
    page.goto(f"/t/{engine.tenant.slug}/runs/{run.pk}/actions/")
    expect(page.get_by_text("It happened: the tool answered so.")).to_be_visible()
    assert len(effects()) == 1


def test_a_double_click_is_one_decision(engine: Bench, sit_down: SitDown) -> None:
    asked = asked_for(waiting_run(engine))
    page = sit_down(engine.approver)
    page.goto(approval_page(asked))
    page.get_by_role("button", name="Approve").dblclick()
    expect(page.get_by_text("Dee approved this.")).to_be_visible()
    assert Decision.objects.filter(request=asked).count() == 1


def test_two_presses_without_scripts_are_one_decision_and_no_error(
    engine: Bench, sit_down: SitDown
) -> None:
    asked = asked_for(waiting_run(engine))
    page = sit_down(engine.approver, java_script_enabled=False)
    page.goto(approval_page(asked))
    second = page.context.new_page()
    second.goto(approval_page(asked))
    press(page, "Approve")
    press(second, "Approve")
    expect(second.get_by_text("Dee approved this.")).to_be_visible()
    assert Decision.objects.filter(request=asked).count() == 1


def test_enter_decides_nothing(engine: Bench, sit_down: SitDown) -> None:
    asked = asked_for(waiting_run(engine))
    page = sit_down(engine.approver)
    page.goto(approval_page(asked) + "?onward=1")
    page.get_by_label("Reason").press("Enter")
    page.get_by_label("Reason").press("Control+Enter")
    # Nothing else of the form takes the focus but its buttons and a link.
    focusable = page.locator("form:has([name=shown]) :is(input:not([type=hidden]), select)")
    expect(focusable).to_have_count(0)
    expect(page.get_by_role("button", name="Approve")).to_be_visible()
    assert not Decision.objects.filter(request=asked).exists()


@pytest.mark.parametrize("script", [True, False])
def test_going_back_and_pressing_again_changes_nothing(
    engine: Bench, sit_down: SitDown, *, script: bool
) -> None:
    asked = asked_for(waiting_run(engine))
    page = sit_down(engine.approver, java_script_enabled=script)
    page.goto(approval_page(asked) + "?onward=1")
    press(page, "Approve")
    expect(page.get_by_text("You approved")).to_be_visible()
    engine.turn()
    page.go_back()
    _press_if_it_is_still_there(page)
    page.goto(approval_page(asked))
    expect(page.get_by_text("and it was sent once.")).to_be_visible(timeout=10_000)
    assert Decision.objects.filter(request=asked).count() == 1
    assert len(effects()) == 1


def _press_if_it_is_still_there(page: Page) -> None:
    """The browser may show the page as it was, or ask for it again."""
    button = page.get_by_role("button", name="Approve")
    if button.count():
        button.click()
