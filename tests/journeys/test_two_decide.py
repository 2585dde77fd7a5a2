"""Two people decide a case together, and one takes a verdict back, in the browser."""

import pytest
from playwright.sync_api import Page, expect

from checkpoints.models import Case, ProposedVerdict, Run
from reconciliation.models import Action
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import inbox_page
from tests.people import eve
from tests.reconciliation.deskwork import unknown_mail
from tests.reconciliation.verdicts.twopeople import TWO, demand

pytestmark = pytest.mark.django_db(transaction=True)


def open_case(page: Page, engine: Bench) -> None:
    page.goto(inbox_page(engine))
    page.get_by_role("link", name="was sent and no answer came").click()


def open_verdict(page: Page, words: str) -> None:
    page.locator("details.verdict", has_text=words).first.locator("summary").first.click()


def test_an_unknown_mail_is_written_off(engine: Bench, sit_down: SitDown) -> None:
    case = unknown_mail(engine)
    page = sit_down(engine.starter)
    open_case(page, engine)
    expect(page.get_by_role("link", name="The page of the world")).to_be_visible()
    open_verdict(page, "Nobody can know: write it off")
    form = page.locator("details.verdict[open]")
    form.get_by_label("Reason").fill("Their log is gone, and the customer does not answer.")
    form.get_by_role("button", name="Nobody can know: write it off", exact=True).click()
    expect(page.get_by_text("Not yet proven: the case closes")).to_be_visible()
    engine.turn()
    expect(page.get_by_text("Closed: ")).to_be_visible(timeout=10_000)
    assert Action.objects.get(run=case.run_id).outcome == "written_off"
    assert len(effects()) == 1


def test_what_one_proposes_another_agrees_on(
    engine: Bench, sit_down: SitDown, monkeypatch: pytest.MonkeyPatch
) -> None:
    demand(monkeypatch, engine.tenant, TWO)
    case = unknown_mail(engine)
    first = sit_down(engine.starter)
    open_case(first, engine)
    open_verdict(first, "It happened")
    form = first.locator("details.verdict[open]").first
    form.get_by_label("Evidence", exact=True).fill("In the mailbox of the customer at 13:20 UTC.")
    form.get_by_text("Where it was seen: a reference, a link, a file").click()
    form.get_by_label("Reference of the provider").fill("R-17")
    form.get_by_label("Reason").fill("The customer has it.")
    form.get_by_role("button", name="Propose: It happened").first.click()
    expect(first.get_by_role("heading", name="Proposed: It happened")).to_be_visible()
    assert Run.objects.get(pk=case.run_id).status == "held"
    second = sit_down(eve(engine.tenant))
    open_case(second, engine)
    expect(second.get_by_text("R-17")).to_be_visible()
    code = ProposedVerdict.objects.get().terms[:8]
    second.get_by_role("button", name=f"Agree: It happened ({code})").click()
    agreed = second.get_by_text("Eve agreed on exactly this.").first
    expect(agreed).to_be_visible(timeout=15_000)
    engine.turn()
    expect(second.get_by_text("Closed: ")).to_be_visible(timeout=10_000)
    assert Action.objects.get(run=case.run_id).outcome == "happened"
    assert len(effects()) == 1


def test_a_verdict_is_taken_back_and_another_given(engine: Bench, sit_down: SitDown) -> None:
    case = unknown_mail(engine)
    page = sit_down(engine.starter)
    open_case(page, engine)
    open_verdict(page, "Nobody can know: write it off")
    form = page.locator("details.verdict[open]")
    form.get_by_label("Reason").fill("Their log is gone.")
    form.get_by_role("button", name="Nobody can know: write it off", exact=True).click()
    open_verdict(page, "Take this verdict back")
    back = page.locator("#take-back")
    back.get_by_label("Reason").fill("They found their log.")
    back.get_by_role("button", name="Take it back").click()
    expect(page.get_by_text("Taken back by Ada").first).to_be_visible()
    expect(page.get_by_role("heading", name="What you can decide")).to_be_visible()
    assert Case.objects.get(pk=case.pk).decided_at is None
    assert Action.objects.get(run=case.run_id).outcome == "unknown"
