"""The demo's second thing, in a real browser: pull the plug, and read what became of it."""

import signal
from pathlib import Path

import pytest
from playwright.sync_api import expect
from redis import Redis

from config.demo.twin import asking
from tenants.models import User
from tests.browser import violations
from tests.config.demo import turns
from tests.journeys.conftest import SitDown, browser, sit_down

__all__ = ["browser", "sit_down"]


@pytest.mark.django_db(transaction=True)
def test_the_plug_is_pulled_and_the_page_tells_that_nothing_was_sent_again(
    demo: Path, own_redis: Redis, operator: User, small_remotes: Path, sit_down: SitDown
) -> None:
    run = turns.start("aiosmtpd")
    turns.turn()
    page = sit_down(operator)
    page.goto("/demo/")
    expect(
        page.get_by_role("heading", name="1 A push to 3 files waits for your yes")
    ).to_be_visible()
    assert violations(page) == []
    button = page.get_by_role("button", name="Approve the push and pull the plug")
    expect(button).to_be_disabled()
    page.get_by_role("link", name="Open the whole diff").click()
    expect(page.get_by_text("You opened everything there is to see.")).to_be_visible()
    page.goto("/demo/")
    button.click()
    expect(page.get_by_text("Your yes is recorded")).to_be_visible()
    assert turns.work(KEDGE_PLUGS=str(demo / "plugs")) == -signal.SIGKILL
    asking.ask_for_new(own_redis, None)
    turns.twin_works()
    turns.take_over()
    expect(page.get_by_text("nothing was sent again")).to_be_visible()
    expect(page.get_by_text("Commits on the remote: 1.")).to_contain_text("at the same point: 2.")
    page.get_by_role("link", name="Outside world", exact=True).click()
    headline = "Kedge: 1 asked, 1 arrived. Plain retry: 1 asked, 2 arrived."
    expect(page.get_by_text(headline)).to_be_visible()
    assert violations(page) == []
    remotes = small_remotes / "harbour", small_remotes / "harbour-twin"
    counted = [turns.commits(each / "aiosmtpd.git", run.business_key) for each in remotes]
    assert counted == [1, 2]
