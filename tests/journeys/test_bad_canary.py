"""From a bad canary to an empty board, in the browser: plan, start, six phases, undo, accept, closed."""

import pytest
from playwright.sync_api import Page, expect

from checkpoints.models import Route, Run
from checkpoints.registry import combo_of
from releases.models import Release
from releases.rollbacks import carrying, phases
from releases.rollbacks.models import Rollback
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.test_releases import press, shot
from tests.releases.rollbacks.rolling import Rolling
from tests.releases.traffic import traffic

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rolling(engine: Bench) -> Rolling:
    return Rolling(engine, traffic(engine))


def test_from_a_bad_canary_to_an_empty_board(rolling: Rolling, sit_down: SitDown) -> None:
    release = rolling.canary()
    done, kept, asking = rolling.done(), rolling.done(what="c"), rolling.asking(what="b")
    page = sit_down(rolling.traffic.ada)
    planned(page, rolling, release)
    assert Route.objects.get().share == 10_000
    press(page, "Roll back now")
    rollback = rolling.carry(Rollback.objects.get(), until=phases.CLOSING)
    rolling.turns()
    carrying.carry_on(rollback.pk)
    assert (Route.objects.get().stable, Route.objects.get().candidate) == (combo_of("steps"), None)

    undone(page, rolling, done)
    accepted(page, rolling, kept)
    rollback = rolling.carry(rollback)
    page.goto(f"/t/{rolling.bench.tenant.slug}/rollbacks/1/")
    expect(page.get_by_text("Closed: nothing is open.").first).to_be_visible()
    shot(page, "rollback closed")
    page.goto(f"/t/{rolling.bench.tenant.slug}/releases/{release.number}/")
    expect(page.get_by_text("Rolled back, nothing open.")).to_be_visible()
    expect(page.get_by_role("link", name="Roll back…")).to_have_count(0)
    assert (rollback.ended, Release.objects.get().place) == ("closed", "stopped")
    asking.refresh_from_db()
    assert asking.combo == combo_of("steps")
    assert sorted(effect["what"] for effect in effects()) == ["a-0", "c-0", "undo-a-0"]


def planned(page: Page, rolling: Rolling, release: Release) -> None:
    """What would happen is read before anything moves."""
    page.goto(f"/t/{rolling.bench.tenant.slug}/releases/{release.number}/")
    page.get_by_role("link", name="Roll back…").click()
    expect(page.get_by_text("Nothing has moved yet.")).to_be_visible()
    shot(page, "rollback new")
    page.get_by_label("What is wrong with it").fill("It writes nonsense.")
    press(page, "Plan it")
    shot(page, "rollback planned")


def undone(page: Page, rolling: Rolling, run: Run) -> None:
    """An effect is undone by a run of its own, with its own yes."""
    board(page, rolling)
    expect(page.get_by_role("heading", level=1)).to_contain_text("2 effects open")
    shot(page, "rollback board")
    row = page.get_by_role("row").filter(has_text=run.business_key)
    row.get_by_text("Compensate…").click()
    row.get_by_label("Why").fill("Nobody checked it.")
    row.get_by_role("button", name="Begin the run that undoes it").click()
    undo = Run.objects.latest("created_at")
    rolling.turns()
    rolling.approve(undo)
    rolling.turns()


def accepted(page: Page, rolling: Rolling, run: Run) -> None:
    """An effect is let stand by a named person, with a reason."""
    board(page, rolling)
    page.get_by_role("row").filter(has_text=run.business_key).get_by_role("checkbox").check()
    page.get_by_label("Why they may stand").fill("It was right all the same.")
    press(page, "Accept: they stand")


def board(page: Page, rolling: Rolling) -> None:
    page.goto(f"/t/{rolling.bench.tenant.slug}/rollbacks/1/board/")
