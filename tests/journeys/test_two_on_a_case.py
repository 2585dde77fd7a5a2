"""Two operators on one case: claimed, seen, taken over, handed over, decided and proven."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from playwright.sync_api import Page, expect
from pytest_django import Settings

from checkpoints.models import Case, Claim, Event
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import inbox_page
from tests.people import eve
from tests.reconciliation.deskwork import unknown_mail

pytestmark = pytest.mark.django_db(transaction=True)


def address(case: Case) -> str:
    return f"/t/{case.tenant.slug}/cases/{case.pk}/"


def decide(page: Page) -> None:
    if not page.get_by_label("Reason").first.is_visible():
        page.locator("details.verdict", has_text="It happened").locator("summary").first.click()
    page.get_by_label("Reason").first.fill("The customer has it.")
    page.get_by_label("Evidence").first.fill("Seen in the mailbox at 13:20 UTC.")


def taken_over_from(name: str) -> int:
    """How often, as the audit trail and the run's history say both."""
    events = Event.objects.filter(what="case claimed", detail__taken_from=name).count()
    assert AuditRow.objects.filter(verb="take over", detail__taken_from=name).count() == events
    return events


def test_claimed_seen_taken_over_handed_over_and_decided(engine: Bench, sit_down: SitDown) -> None:
    case = unknown_mail(engine)
    first, second = sit_down(engine.starter), sit_down(eve(engine.tenant))
    for page in (first, second):
        page.goto(address(case))
    first.get_by_role("button", name="Claim it").click()
    expect(first.locator("#case-work")).to_contain_text("You have claimed this since")
    # Eve's page hears of it by itself.
    expect(second.locator("#case-work")).to_contain_text("Ada has claimed this", timeout=30_000)
    second.get_by_text("Take over…").click()
    second.get_by_role("button", name="Take over from Ada", exact=True).click()
    expect(second.locator("#case-work")).to_contain_text("You have claimed this since")
    expect(second.locator("#story")).to_contain_text("Taken over from Ada")
    assert taken_over_from("Ada") == 1
    # What Ada typed meanwhile is asked about, and nothing of it is lost.
    decide(first)
    first.get_by_role("button", name="It happened", exact=True).click()
    expect(first.get_by_role("alert")).to_contain_text("Eve has claimed this since")
    expect(first.get_by_label("Reason").first).to_have_value("The customer has it.")
    assert Case.objects.get().decided_at is None
    # Eve hands it over with a note, and Ada decides.
    second.get_by_text("Hand over to a colleague…").click()
    second.get_by_label("Colleague").select_option("Ada")
    second.locator("#hand-over-note").fill("You have looked already.")
    second.get_by_role("button", name="Hand it over").click()
    expect(second.locator("#case-work")).to_contain_text("Ada has claimed this")
    first.goto(address(case))
    expect(first.locator("#case-work")).to_contain_text("Eve handed it over to you.")
    expect(first.locator("#story")).to_contain_text("You have looked already.")
    decide(first)
    first.get_by_role("button", name="It happened", exact=True).click()
    expect(first.get_by_role("heading", name="Sent, not yet proven")).to_be_visible()
    engine.turn()
    expect(first.get_by_text("Closed: ")).to_be_visible(timeout=30_000)
    assert Case.objects.get().closed_at is not None


def test_the_page_of_the_holder_keeps_it_by_itself(
    engine: Bench, sit_down: SitDown, settings: Settings
) -> None:
    settings.KEDGE_CLAIM_SECONDS = 12
    case = unknown_mail(engine)
    page = sit_down(engine.starter)
    page.goto(address(case))
    page.get_by_role("button", name="Claim it").click()
    expect(page.locator("#case-work")).to_contain_text("You have claimed this since")
    # As if nearly over: only the page itself can bring it further.
    Claim.objects.update(lease_until=Now() + timedelta(seconds=60))
    before = Claim.objects.get().lease_until
    settings.KEDGE_CLAIM_SECONDS = 3600
    page.wait_for_event("response", lambda answer: answer.url.endswith("/claim/keep/"))
    expect(page.locator("#case-work")).to_contain_text("You have claimed this since")
    assert Claim.objects.get(ended="").lease_until > before


def test_without_a_script_a_case_is_claimed_noted_and_waits(
    engine: Bench, sit_down: SitDown
) -> None:
    case = unknown_mail(engine)
    page = sit_down(engine.starter, java_script_enabled=False)
    page.goto(address(case))
    page.get_by_role("button", name="Claim it").click()
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_text("It is yours for a while longer.")).to_be_visible()
    page.locator("#note-text").fill("Rang the provider.")
    page.get_by_role("button", name="Add the note").click()
    expect(page.locator("#story")).to_contain_text("Rang the provider.")
    page.get_by_text("Wait for somebody outside…").click()
    page.get_by_label("For whom").fill("the provider")
    page.get_by_label("Why").fill("They look it up.")
    page.get_by_role("button", name="Let its age stand still").click()
    expect(page.locator("#case-work")).to_contain_text("Stands still")
    page.goto(inbox_page(engine))
    row = page.get_by_role("row", name="was sent and no answer came")
    expect(row).to_contain_text("claimed by you")
    expect(row).to_contain_text("waits for the provider")
    page.goto(address(case))
    page.get_by_role("button", name="They answered").click()
    expect(page.locator("#case-work")).not_to_contain_text("Stands still")
    page.get_by_role("button", name="Release it").click()
    expect(page.get_by_text("Nobody has claimed this.")).to_be_visible()
