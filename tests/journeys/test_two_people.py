"""Two people at once, stale tabs and a world that moves: one decision counts, and all hear of it."""

import pytest
from playwright.sync_api import expect

from approvals.models import Decision
from tests.approvals.questions import eve
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import approval_page, asked_for, press, waiting_run

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_second_of_two_is_told_of_the_first_and_loses_no_text(
    engine: Bench, sit_down: SitDown
) -> None:
    asked = asked_for(waiting_run(engine))
    first, second = sit_down(engine.approver), sit_down(eve(engine.tenant))
    for page in (first, second):
        page.goto(approval_page(asked))
        page.get_by_label("Reason").fill("I have looked at every line.")
    press(first, "Reject")
    expect(first.get_by_text("Dee rejected this")).to_be_visible()
    # Eve's page hears of it by itself, and her text stays where it is.
    expect(second.locator("#standing")).to_contain_text("Dee rejected this", timeout=10_000)
    expect(second.locator("#news-beside")).to_contain_text("is not counted any more")
    expect(second.get_by_label("Reason")).to_have_value("I have looked at every line.")
    press(second, "Approve")
    expect(second.get_by_role("heading", name="This was decided already")).to_be_visible()
    told = "Dee rejected it before you pressed: “I have looked at every line.” Nothing was sent."
    expect(second.get_by_text(told)).to_be_visible()
    expect(second.get_by_label("Reason")).to_have_value("I have looked at every line.")
    second.get_by_role("link", name="See what was decided").click()
    expect(second.get_by_text("Dee rejected this")).to_be_visible()
    assert list(Decision.objects.filter(request=asked).values_list("user__name", flat=True)) == [
        "Dee"
    ]


def test_a_stale_tab_sees_what_moved_and_where_the_question_stands_now(
    engine: Bench, sit_down: SitDown
) -> None:
    run = waiting_run(engine)
    asked = asked_for(run)
    stale = sit_down(eve(engine.tenant), java_script_enabled=False)
    stale.goto(approval_page(asked))
    engine.decide(run)
    (engine.world / "version").write_text("2")
    engine.turn()
    assert effects() == []
    press(stale, "Approve")
    heading = "What would happen has changed since your page was made"
    expect(stale.get_by_role("heading", name=heading)).to_be_visible()
    row = stale.get_by_role("row", name="world")
    expect(row).to_contain_text("1")
    expect(row).to_contain_text("2")
    expect(row).to_contain_text("It moved in between.")
    stale.get_by_role("link", name="Look at what would happen now").click()
    press(stale, "Approve")
    expect(stale.get_by_text("Eve approved this.")).to_be_visible()
    engine.turn()
    assert len(effects()) == 1


def test_whoever_started_the_run_reads_why_and_who_can(engine: Bench, sit_down: SitDown) -> None:
    asked = asked_for(waiting_run(engine))
    page = sit_down(engine.starter)
    page.goto(approval_page(asked))
    expect(page.get_by_text("so somebody else must decide.")).to_be_visible()
    decision = page.get_by_role("complementary", name="Decision")
    expect(decision.get_by_role("definition").filter(has_text="Dee")).to_be_visible()
    expect(decision.get_by_role("button", name="Approve")).to_be_disabled()
