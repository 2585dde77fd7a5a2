"""The base moves while people decide: the open page says so, and they go on from what is true now."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models.functions import Now
from playwright.sync_api import Page, expect

from approvals import requests
from approvals.models import ApprovalRequest
from approvals.models.freshness import Freshness
from execution import lookers, sweeper
from tests.browser import violations
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import approval_page, asked_for, press, waiting_run

pytestmark = pytest.mark.django_db(transaction=True)


def look_again() -> None:
    """What the sweeper does when the next look is due."""
    Freshness.objects.filter(due_at__isnull=False).update(due_at="2020-01-01T00Z")
    assert sweeper.sweep()["look again"] == 1
    assert lookers.wait(10)


def shot(page: Page, name: str) -> None:
    """A picture for whoever works on these pages, where KEDGE_SHOTS names a folder."""
    folder = os.environ.get("KEDGE_SHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_an_open_page_hears_that_the_base_moved_and_its_reader_asks_anew(
    engine: Bench, sit_down: SitDown
) -> None:
    run = waiting_run(engine)
    old = asked_for(run)
    page = sit_down(engine.approver)
    page.goto(approval_page(old))
    page.get_by_label("Reason").fill("I have read it.")
    expect(page.get_by_role("button", name="Approve")).to_be_enabled()
    (engine.world / "version").write_text("2")
    look_again()
    # Nobody touches the page: it asks by itself.
    expect(page.get_by_text("so nobody can approve it")).to_be_visible(timeout=10_000)
    expect(page.get_by_role("button", name="Approve")).to_be_disabled()
    expect(page.get_by_role("row", name="world")).to_contain_text("It moved")
    expect(page.get_by_label("Reason")).to_have_value("I have read it.")
    shot(page, "drift-moved")
    assert violations(page) == []
    press(page, "Dry run again")
    expect(page.get_by_text("The dry run is being made again.")).to_be_visible()
    engine.turn()
    page.get_by_role("link", name="Open the question that stands now").click(timeout=10_000)
    expect(page.get_by_role("heading", name="New since the question before")).to_be_visible()
    shot(page, "drift-new")
    new = asked_for(run)
    assert (new.replaces_id, new.action_hash == old.action_hash) == (old.pk, False)
    press(page, "Approve")
    expect(page.get_by_text("Dee approved this.")).to_be_visible()
    engine.turn()
    assert len(effects()) == 1


def test_a_page_whose_script_sleeps_is_refused_with_saw_now_and_difference(
    engine: Bench, sit_down: SitDown
) -> None:
    old = asked_for(waiting_run(engine))
    page = sit_down(engine.approver, java_script_enabled=False)
    page.goto(approval_page(old))
    (engine.world / "version").write_text("2")
    look_again()
    press(page, "Approve")
    expect(page.get_by_text("Your answer was not counted")).to_be_visible()
    expect(page.get_by_role("row", name="world")).to_contain_text("It moved")
    shot(page, "drift-refused")
    press(page, "Dry run again")
    expect(page.get_by_text("The dry run is being made again.")).to_be_visible()
    assert ApprovalRequest.objects.get().state == "withdrawn"
    assert requests.latest(old.action_id) == old


def test_a_world_that_cannot_be_seen_is_said_on_a_phone_in_the_dark(
    engine: Bench, sit_down: SitDown
) -> None:
    asked = asked_for(waiting_run(engine))
    error = "Unanswered: the remote does not answer"
    Freshness.objects.filter(pk=asked.pk).update(
        error=error, seen_at=Now() - timedelta(minutes=12), failures=3
    )
    page = sit_down(engine.approver, viewport={"width": 390, "height": 844}, color_scheme="dark")
    page.goto(approval_page(asked))
    expect(page.get_by_text("Could not be checked for 12 minutes")).to_be_visible()
    expect(page.get_by_text("nobody knows whether it still shows")).to_be_visible()
    expect(page.get_by_text(error)).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_be_enabled()
    shot(page, "drift-unseen")
    assert violations(page) == []
    press(page, "Check now")
    expect(page.get_by_text("It is being looked at.")).to_be_visible()
