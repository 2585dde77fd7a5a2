"""Night 4: a run is stuck and nobody knows why. Home says so, nine answers say why, a person revokes."""

import pytest
from playwright.sync_api import expect
from pytest_django import Settings

from checkpoints.models import Run
from checkpoints.registry import codes
from execution import processes
from tests.concurrency.test_revoking import Gate, gate, hang, run, stalled, take_turns
from tests.engine.turns import Bench
from tests.execution.problems.making import past
from tests.execution.runs import full
from tests.forks import Child
from tests.journeys.conftest import SitDown

pytestmark = pytest.mark.django_db(transaction=True)

__all__ = ["gate", "run", "stalled"]


def test_home_to_the_nine_answers_to_revoke_to_done(
    engine: Bench,
    sit_down: SitDown,
    settings: Settings,
    run: Run,
    gate: Gate,
    stalled: list[Child],
) -> None:
    settings.KEDGE_LEASE_SECONDS = 60
    processes.started("worker-1", "worker", codes=codes())
    processes.started("sweeper-1", "sweeper")
    hang(stalled, gate)
    past(run.pk, created_at=9999, progressed_at=9999, woken_at=9999)
    page = sit_down(engine.starter)
    page.goto(f"/t/{engine.tenant.slug}/")
    page.get_by_role("link", name="1 run of odd · stuck: a worker is at it").click()
    page.get_by_role("link", name="Why?").click()
    panel = page.get_by_role("region", name="Why is it not running?")
    expect(panel).to_contain_text("A worker renewed its lease")
    expect(panel.get_by_text("No", exact=True)).to_have_count(1)
    expect(panel.get_by_text("Yes", exact=True)).to_have_count(8)
    panel.get_by_role("link", name="Revoke it from that worker").click()
    expect(page.get_by_text("Nothing is on its way outside.")).to_be_visible()
    page.get_by_label("Reason").fill("It hangs in the second node.")
    page.get_by_role("button", name="Revoke: 0 effects sent again").click()
    expect(page.get_by_text("Taken from its worker.")).to_be_visible()
    assert full(run).status == "queued"
    take_turns()
    expect(page.locator("#standing").get_by_text("Succeeded")).to_be_visible(timeout=15_000)
    gate.open.touch()
    page.goto(f"/t/{engine.tenant.slug}/")
    expect(page.get_by_text("No problem is open")).to_be_visible()
