"""Refusals appear in place: above the change, beside a form that keeps every word. With and without scripts."""

import pytest
from playwright.sync_api import Page, Route, expect

from approvals.models import Decision
from tests.approvals.questions import decide, eve
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import approval_page, asked_for, press, waiting_run

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = "I have looked at every line."


def test_a_refused_answer_stands_above_the_change_and_keeps_the_form(
    engine: Bench, sit_down: SitDown
) -> None:
    asked = asked_for(waiting_run(engine))
    page = sit_down(engine.approver)
    page.goto(approval_page(asked))
    page.get_by_label("Reason").fill(WORDS)
    here = page.url
    decide(asked, eve(engine.tenant), "reject", "Too late in the week.")
    press(page, "Approve")
    news = page.locator("#refused [role=alert]")
    expect(news.get_by_role("heading", name="This was decided already")).to_be_visible()
    expect(news).to_contain_text("Eve rejected it before you pressed: “Too late in the week.”")
    expect(page.get_by_label("Reason")).to_have_value(WORDS)
    assert page.url == here
    assert Decision.objects.get().user.name == "Eve"


def test_what_is_missing_is_said_beside_the_field(engine: Bench, sit_down: SitDown) -> None:
    asked = asked_for(waiting_run(engine))
    page = sit_down(engine.approver)
    page.goto(approval_page(asked))
    press(page, "Reject")
    expect(page.get_by_text("Say why: the run and the people behind it")).to_be_visible()
    page.get_by_label("Reason").fill(WORDS)
    press(page, "Reject")
    expect(page.get_by_text(f"Dee rejected this: “{WORDS}”")).to_be_visible()


def test_a_double_click_is_one_decision_and_one_effect(engine: Bench, sit_down: SitDown) -> None:
    asked = asked_for(waiting_run(engine))
    page = sit_down(engine.approver)
    page.goto(approval_page(asked))
    posts = _posts_of(page)
    page.get_by_role("button", name="Approve").first.dblclick()
    expect(page.get_by_text("Dee approved this.")).to_be_visible()
    engine.turn()
    assert len(posts) == 1
    assert Decision.objects.filter(request=asked).count() == 1
    assert len(effects()) == 1


def test_when_the_server_fails_the_page_says_that_it_does_not_answer(
    engine: Bench, sit_down: SitDown
) -> None:
    asked = asked_for(waiting_run(engine))
    page = sit_down(engine.approver)
    page.goto(approval_page(asked))
    page.get_by_label("Reason").fill(WORDS)

    def fail(route: Route) -> None:
        route.fulfill(status=503, body="<!doctype html><html><body><h1>Down</h1></body></html>")

    page.route("**/decision/", fail)
    press(page, "Approve")
    expect(page.locator("#cut-off")).to_be_visible()
    expect(page.get_by_role("heading", name="Down")).to_have_count(0)
    expect(page.get_by_label("Reason")).to_have_value(WORDS)
    page.unroute("**/decision/", fail)
    press(page, "Approve")
    expect(page.get_by_text("Dee approved this.")).to_be_visible()


def test_a_colleague_is_asked_and_finds_it_in_the_inbox(engine: Bench, sit_down: SitDown) -> None:
    asked = asked_for(waiting_run(engine))
    colleague = eve(engine.tenant)
    page, theirs = sit_down(engine.approver), sit_down(colleague)
    page.goto(approval_page(asked))
    page.get_by_text("Ask a colleague to decide…").click()
    page.get_by_label("Colleague").select_option(label="Eve")
    page.get_by_label("Note").fill("You wrote this tool.")
    press(page, "Ask this colleague")
    expect(page.get_by_text("You asked Eve to decide.")).to_be_visible()
    theirs.goto(f"/t/{engine.tenant.slug}/inbox/?kind=handed")
    expect(theirs.get_by_text("Dee asked you")).to_be_visible()
    theirs.get_by_role("link", name="write a").click()
    expect(theirs.get_by_text("“You wrote this tool.”")).to_be_visible()
    press(theirs, "Approve")
    expect(theirs.get_by_text("Eve approved this.")).to_be_visible()


def _posts_of(page: Page) -> list[str]:
    sent: list[str] = []
    page.on("request", lambda each: sent.append(each.url) if each.method == "POST" else None)
    return sent
