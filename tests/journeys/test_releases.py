"""A release from its form to a canary and to a stop, by people who manage releases."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from checkpoints.models import Route
from checkpoints.registry import combo_of
from releases.models import Release
from tests.approvals.questions import make_run
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.test_looks import SCREENS, faultless
from tests.people import eve
from tests.releases.traffic import Traffic, traffic

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def here(engine: Bench) -> Traffic:
    made = traffic(engine)
    for combo in (combo_of("steps"), made.candidate):
        make_run(engine.tenant, task_type="steps", business_key=str(combo), combo=combo)
    return made


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=re.compile(f"^{name}")).click()


def choose(page: Page, move: str, why: str) -> None:
    page.get_by_role("radio", name=re.compile(f"^{move}")).check()
    page.get_by_label("Why now").fill(why)


def shot(page: Page, name: str) -> None:
    folder = os.environ.get("KEDGE_TEST_PICTURES")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def begun(page: Page, here: Traffic) -> None:
    """A release of the candidate, from the form to a shadow."""
    page.goto(f"/t/{here.tenant.slug}/releases/")
    expect(page.get_by_text("new runs get the combo of the code that is installed")).to_be_visible()
    page.get_by_role("link", name="Begin a release").click()
    page.get_by_label("Candidate").select_option(here.candidate.hex)
    page.get_by_label("Instead of").select_option(combo_of("steps").hex)
    page.get_by_label("What is better about it").fill("It asks once.")
    press(page, "Begin: no run gets it yet")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Release 1 of steps")
    choose(page, "Shadow", "Read and compared.")
    press(page, "Propose")
    press(page, "Make it a shadow")
    expect(page.get_by_text("The release was moved.")).to_be_visible()


def test_from_the_form_to_a_canary_and_a_stop(here: Traffic, sit_down: SitDown) -> None:
    page = sit_down(here.ada)
    begun(page, here)
    choose(page, "Canary", "A hundred twins agreed.")
    page.get_by_label("Share of runs that are not critical").fill("12.5")
    press(page, "Propose")
    expect(page.get_by_text("12.5 % of the new runs get it")).to_be_visible()
    assert Route.objects.get().share == 0
    press(page, "Send it 12.5 % of the runs")
    expect(
        page.get_by_text("It gets 12.5 % of the new runs, and 0 % of the critical ones.")
    ).to_be_visible()
    assert Route.objects.get().share == 1_250

    choose(page, "Stop", "It writes twice.")
    press(page, "Propose")
    press(page, "Stop it")
    expect(page.get_by_text("No new run gets it. It comes back as a shadow only")).to_be_visible()
    assert (Release.objects.get().place, Route.objects.get().candidate) == ("stopped", None)


def test_what_was_typed_stays_beside_what_is_wrong(here: Traffic, sit_down: SitDown) -> None:
    here.canary(1_250)
    page = sit_down(here.ada)
    page.goto(f"/t/{here.tenant.slug}/releases/1/")
    choose(page, "Canary", "Still good.")
    page.get_by_label("Share of runs that are not critical").fill("5")
    press(page, "Propose")
    expect(page.get_by_text("A canary only grows")).to_be_visible()
    assert page.get_by_label("Why now").input_value() == "Still good."


def test_another_page_than_the_one_that_was_shown_moves_nothing(
    here: Traffic, sit_down: SitDown
) -> None:
    release = here.begin()
    move = here.propose(release, "begin")
    page = sit_down(here.dee)
    page.goto(f"/t/{here.tenant.slug}/releases/1/")
    page.evaluate(
        "document.querySelectorAll('[name=digest]').forEach((each) => (each.value = 'f00'))"
    )
    press(page, "Make it a shadow")
    expect(page.get_by_text("This is not the move that your page showed")).to_be_visible()
    move.refresh_from_db()
    assert move.ended == ""


@pytest.mark.parametrize("screen", SCREENS)
def test_pages_of_releases_are_faultless(here: Traffic, sit_down: SitDown, screen: str) -> None:
    page = sit_down(here.ada, **SCREENS[screen])
    base = f"/t/{here.tenant.slug}/releases"
    here.propose(here.canary(2_500, 500), "widen", 5_000, 500)
    pages = {"task": f"{base}/of/steps/", "problems": f"{base}/problems/?task=steps"}
    pages |= {"list": f"{base}/", "new": f"{base}/new/", "waiting": f"{base}/1/"}
    for name, url in pages.items():
        page.goto(url)
        faultless(page)
        shot(page, f"{name} {screen}")
    press(page, "Take it back")
    faultless(page)
    shot(page, f"move {screen}")


def test_who_may_not_move_is_told_who_may(here: Traffic, sit_down: SitDown) -> None:
    here.propose(here.begin(), "begin")
    page = sit_down(eve(here.tenant))
    page.goto(f"/t/{here.tenant.slug}/releases/1/")
    expect(page.get_by_text(re.compile("may do this"))).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Make it"))).to_have_count(0)


def test_whoever_proposes_beside_an_open_move_is_told_of_it(
    here: Traffic, sit_down: SitDown
) -> None:
    release = here.begin()
    page = sit_down(here.ada)
    page.goto(f"/t/{here.tenant.slug}/releases/1/")
    here.propose(release, "begin")
    choose(page, "Stop", "It writes twice.")
    press(page, "Propose")
    expect(page.get_by_role("alert")).to_contain_text("Another move of it is open")
    expect(page.get_by_role("button", name=re.compile("^Make it a shadow"))).to_be_visible()
