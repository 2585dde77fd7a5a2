"""An outage in one piece: doors close, the provider's report comes, one plan, and all is closed.

`SOME` refunds show every step; the whole night of 1,400 is the same journey, marked slow
(`python -m pytest -m slow tests/journeys/test_outage_closed.py`). Three clicks either way.
"""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from checkpoints import registry
from checkpoints.models import Case, Run, Verdict
from execution.plans import computing
from execution.plans.models import Plan
from reconciliation.doors.models import Door
from reconciliation.models import Action, Attempt
from tests.engine import declared
from tests.engine.test_outage import TOOL, all_due, back, probe, refund, use, work
from tests.engine.turns import Bench
from tests.execution.plans.held import carried
from tests.journeys.conftest import SitDown
from tests.servers.provider import DECLARATION, Provider

pytestmark = pytest.mark.django_db(transaction=True)

SOME, ALL = 60, 1_400
BEHIND = 8  # so many wait behind the door when it closes


@pytest.fixture
def provider() -> Iterator[Provider]:
    made = Provider()
    yield made
    made.close()


@pytest.fixture
def bench(engine: Bench, provider: Provider, settings: Settings) -> Iterator[Bench]:
    settings.KEDGE_AGENTS = "tests.engine.declared"
    settings.KEDGE_DOOR_RUNS_PER_MINUTE = 6_000
    registry.agents.cache_clear()
    use(provider, DECLARATION)
    yield engine
    declared.TOOLS.by_name.clear()


class Clicks:
    """Presses buttons, and counts them."""

    def __init__(self, page: Page) -> None:
        self.page, self.number = page, 0

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=re.compile(f"^{name}")).click()
        self.number += 1


def report_of(provider: Provider, path: Path) -> Path:
    """What the provider's own books have, as its export."""
    with path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["id", "order", "our reference", "cents", "currency", "status"])
        for each in provider.books:
            told = (each["id"], each["order"], each["reference"], each["cents"], "EUR", "paid")
            lines.writerow(told)
    return path


@pytest.mark.parametrize("count", [SOME, pytest.param(ALL, marks=pytest.mark.slow)])
def test_three_clicks_close_what_the_provider_knows(
    bench: Bench, provider: Provider, sit_down: SitDown, settings: Settings, count: int
) -> None:
    sent = count - BEHIND
    settings.KEDGE_DOOR_UNKNOWNS = sent  # as many as were on their way when it closed
    runs = outage(bench, provider, count)
    page = sit_down(bench.starter)
    upload(page, bench, report_of(provider, bench.world.parent / "export.csv"))
    clicks = Clicks(page)
    clicks.press(f"Match {sent:,} lines")
    expect(page.get_by_text(f"Of {sent:,} lines: {sent:,} matched, 0 different")).to_be_visible()
    clicks.press(f"Plan: {sent:,} happened")
    review(page, sent)
    clicks.press(f"Believe the report of {sent} effects")
    expect(page.get_by_text(f"of {sent} runs carried out.").first).to_be_visible()
    assert clicks.number == 3
    carried(Plan.objects.get())
    work()
    is_closed(bench, sent)
    assert provider.asked["POST"] == sent

    # The provider is back: what waited behind the door is sent once, and nobody is called.
    provider.come_back()
    probe()
    back(runs)
    assert provider.times() == {f"o-{n}": 1 for n in range(count)}
    assert set(Action.objects.values_list("outcome", flat=True)) == {"happened"}
    assert Case.objects.count() == Verdict.objects.count() == sent
    page.goto(f"/t/{bench.tenant.slug}/")
    expect(page.get_by_text("Nobody has to do anything")).to_be_visible()
    expect(page.get_by_text("No problem is open")).to_be_visible()


def outage(bench: Bench, provider: Provider, count: int) -> list[Run]:
    """The provider books what is sent and answers nothing; the rest waits behind the closed door."""
    sent = count - BEHIND
    runs = refund(bench, count)
    provider.lose_answers()
    work()
    assert provider.asked["POST"] == Attempt.objects.count() == sent
    assert Door.objects.get().closed_at is not None
    all_due()
    work()
    assert set(Run.objects.values_list("status", "reason")) == {("waiting", "for_door")}
    assert not Case.objects.exists()
    return runs


def upload(page: Page, bench: Bench, file: Path) -> None:
    page.goto(f"/t/{bench.tenant.slug}/reports/")
    page.get_by_label("Tool").select_option(TOOL)
    page.get_by_label("Report of the provider").set_input_files(file)
    page.get_by_role("button", name="Read it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What the report says")
    page.get_by_label("Amounts are in").select_option("minor")


def review(page: Page, sent: int) -> None:
    """The page shows the plan when it is worked out; above 100 the number is typed."""
    plan = Plan.objects.get()
    while computing.compute(plan.pk):
        pass
    go = page.get_by_role("button", name=re.compile(f"^Believe the report of {sent} effects"))
    expect(go).to_be_visible()
    touched = f"What these effects touch together: {sent:,}.00 EUR"
    expect(page.get_by_text(touched)).to_be_visible()
    if sent > 100:
        page.get_by_label(f"Type {sent} to go ahead").fill(str(sent))


def is_closed(bench: Bench, sent: int) -> None:
    """What the provider knew is closed while it is still away, by a person's word and a line each."""
    plan = Plan.objects.get()
    assert (plan.done + plan.unproven, plan.failed, plan.skipped) == (sent, 0, 0)
    known = Verdict.objects.filter(verdict="it_happened", given_by=bench.starter)
    assert known.filter(evidence__contains=" line ").count() == sent
    assert Action.objects.filter(outcome="happened", stands="settled").count() == sent
    assert not Case.objects.filter(closed_at=None).exists()
    assert Run.objects.filter(status="succeeded").count() == sent
