"""A no has a path: the run hears it, and people see what it did with it."""

import pytest
from playwright.sync_api import expect

from checkpoints import reading
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import approval_page, asked_for, inbox_page, press, waiting_run

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_rejection_needs_a_reason_and_the_run_goes_on_without_the_effect(
    engine: Bench, sit_down: SitDown
) -> None:
    run = waiting_run(engine)
    page = sit_down(engine.approver)
    page.goto(approval_page(asked_for(run)))
    expect(page.get_by_text("goes on without it.")).to_be_visible()
    press(page, "Reject")
    expect(page.get_by_text("Say why: the run and the people behind it")).to_be_visible()
    page.get_by_label("Reason").fill("Not in this file.")
    press(page, "Reject")
    expect(page.get_by_text("Dee rejected this: “Not in this file.”")).to_be_visible()
    engine.turn()
    page.get_by_role("link", name="See what became of it").click()
    expect(page.get_by_text("It was rejected and never sent.")).to_be_visible()
    expect(page.get_by_text("“Not in this file.”")).to_be_visible()
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert reading.load_head(run).state["heard"] == [["rejected", "Not in this file."]]
    assert effects() == []


def test_the_page_says_when_a_no_ends_the_run(engine: Bench, sit_down: SitDown) -> None:
    run = engine.start("strict", tool="fake.void", what="a")
    engine.turn()
    page = sit_down(engine.approver)
    page.goto(approval_page(asked_for(run)))
    expect(page.get_by_text("The run ends: it has no way on after this answer.")).to_have_count(2)
    page.get_by_label("Reason").fill("No.")
    press(page, "Reject")
    expect(page.get_by_text("Dee rejected this")).to_be_visible()
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.stop_reason) == ("failed", "rejected")


def test_a_note_sends_it_back_and_the_run_proposes_something_else(
    engine: Bench, sit_down: SitDown
) -> None:
    run = waiting_run(engine)
    page = sit_down(engine.approver)
    page.goto(approval_page(asked_for(run)))
    page.get_by_label("Reason").fill("Another name, please.")
    press(page, "Send back")
    expect(page.get_by_text("Dee sent this back: “Another name, please.”")).to_be_visible()
    engine.turn()
    page.goto(inbox_page(engine))
    page.get_by_role("link", name="write a-1").click()
    press(page, "Approve")
    expect(page.get_by_text("Dee approved this.")).to_be_visible()
    engine.turn()
    assert [effect["what"] for effect in effects()] == ["a-1"]
    run.refresh_from_db()
    assert reading.load_head(run).state["heard"][0] == ["sent_back", "Another name, please."]
