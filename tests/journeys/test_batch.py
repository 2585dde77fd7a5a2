"""Many small actions decided in one form, in a browser: chosen, looked at, decided, told."""

import pytest
from playwright.sync_api import expect

from approvals.models import Decision
from tests.approvals.asking import asked_about, git_diff
from tests.approvals.people.test_handovers import hand
from tests.approvals.questions import decide, eve
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import approval_page, asked_for, inbox_page, press, waiting_run
from tests.journeys.test_looks import SCREENS, faultless

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("script", [True, False])
def test_a_batch_is_chosen_decided_and_each_is_sent_alone(
    engine: Bench, sit_down: SitDown, *, script: bool
) -> None:
    runs = [waiting_run(engine, what=what) for what in ("a", "b", "c")]
    page = sit_down(engine.approver, java_script_enabled=script)
    page.goto(inbox_page(engine))
    for what in ("a", "b"):
        page.get_by_label(f"Choose: write {what}").check()
    press(page, "Decide the chosen together")
    expect(page.get_by_role("heading", name="Decide 2 actions together")).to_be_visible()
    for run in runs[:2]:
        expect(page.get_by_text(asked_for(run).action_hash[:8]).first).to_be_visible()
    late = asked_for(runs[1])
    decide(late, eve(engine.tenant), "reject", "This one not.")
    press(page, "Approve these 2")
    expect(page.get_by_role("heading", name="1 of 2 approved")).to_be_visible()
    expect(page.get_by_text("Eve rejected it before you pressed: “This one not.”")).to_be_visible()
    here = page.url
    page.go_back()
    press(page, "Approve")
    expect(page).to_have_url(here)
    for _woken in runs[:2]:
        engine.turn()
    assert [effect["what"] for effect in effects()] == ["a-0"]
    assert Decision.objects.count() == 2
    assert asked_for(runs[2]).state == "open"


@pytest.mark.parametrize("screen", SCREENS)
def test_pages_of_batches_are_faultless(engine: Bench, sit_down: SitDown, screen: str) -> None:
    runs = [waiting_run(engine, what=what) for what in ("a", "b", "c")]
    asked_about(git_diff(6), tenant=engine.tenant)
    hand(asked_for(runs[0]), engine.approver, eve(engine.tenant))
    engine.decide(runs[2])
    page = sit_down(engine.approver, **SCREENS[screen])
    page.goto(inbox_page(engine))
    faultless(page)
    page.get_by_role("link", name="Look at all 3 of this page").click()
    faultless(page)
    decide(asked_for(runs[1]), eve(engine.tenant), "reject", "This one not.")
    press(page, "Approve these 3")
    expect(page.get_by_role("heading", name="2 of 3 approved")).to_be_visible()
    faultless(page)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_refusal_in_place_is_faultless(engine: Bench, sit_down: SitDown, screen: str) -> None:
    asked = asked_for(waiting_run(engine))
    hand(asked, engine.starter, eve(engine.tenant))
    page = sit_down(engine.approver, **SCREENS[screen])
    page.goto(approval_page(asked))
    page.get_by_label("Reason").fill("I have looked at every line.")
    decide(asked, eve(engine.tenant), "reject", "Too late in the week.")
    press(page, "Approve")
    expect(page.locator("#refused [role=alert]")).to_be_visible()
    faultless(page)
