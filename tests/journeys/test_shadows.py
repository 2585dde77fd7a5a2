"""What twins would have done, read by whoever decides about the candidate."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from checkpoints.models import Twin
from releases.shadows import keeping, starting, sweeping
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.test_looks import SCREENS, faultless
from tests.releases.shadows.beside import Stage, released, stage
from tests.releases.traffic import traffic

pytestmark = pytest.mark.django_db(transaction=True)


def shot(page: Page, name: str) -> None:
    folder = os.environ.get("KEDGE_TEST_PICTURES")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def compared(made: Stage) -> None:
    """A twin beside a live run that is done, compared."""
    live = made.live(what="the first draft of an answer")
    starting.start_due()
    made.bench.turn()
    made.allow(live)
    if sweeping.wake():
        made.bench.turn()
    keeping.keep_due()


@pytest.mark.parametrize("screen", SCREENS)
def test_disagreements_are_ranked_and_opened_side_by_side(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, sit_down: SitDown, screen: str
) -> None:
    made = stage(engine, monkeypatch, says="other")
    here = traffic(engine)
    release = released(here, made, drills=10_000)
    page = sit_down(here.ada, **SCREENS[screen])
    base = f"/t/{engine.tenant.slug}/releases/{release.number}/shadows/"
    page.goto(f"/t/{engine.tenant.slug}/releases/{release.number}/")
    page.get_by_role("link", name="What its shadows would have done").click()
    expect(page.get_by_text("No twin has been compared yet").first).to_be_visible()
    faultless(page)
    shot(page, f"empty {screen}")
    compared(made)
    page.goto(base)
    expect(page.get_by_text("1 twin: 1 different effect.")).to_be_visible()
    faultless(page)
    shot(page, f"list {screen}")
    page.get_by_role("rowheader").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name=re.compile("write "))).to_be_visible()
    faultless(page)
    shot(page, f"twin {screen}")
    page.get_by_role("link", name="Its twin").click()
    expect(page.get_by_text("it sends nothing")).to_be_visible()
    shot(page, f"run {screen}")
    assert Twin.objects.count() == 1
