"""Did it go out? Nobody knows, until a person looks and says what they saw."""

import pytest
from playwright.sync_api import Page, expect

from checkpoints.models import Case, Run, Verdict
from reconciliation.models import Action
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.places import inbox_page, press
from tests.reconciliation.deskwork import held, past_window, unknown_mail

pytestmark = pytest.mark.django_db(transaction=True)


def open_case(page: Page, engine: Bench) -> None:
    page.goto(inbox_page(engine))
    page.get_by_role("link", name="was sent and no answer came").click()
    expect(page.get_by_role("heading", name="Did this happen? write a-0")).to_be_visible()


def open_verdict(page: Page, words: str) -> None:
    page.locator("details.verdict", has_text=words).first.locator("summary").first.click()


def test_it_happened_with_evidence_closes_when_the_run_has_gone_past(
    engine: Bench, sit_down: SitDown
) -> None:
    case = unknown_mail(engine)
    page = sit_down(engine.starter)
    open_case(page, engine)
    open_verdict(page, "It happened")
    page.get_by_label("Reason").first.fill("The customer has it.")
    page.get_by_label("Evidence").first.fill("Seen in the mailbox at 13:20 UTC.")
    page.get_by_role("button", name="It happened", exact=True).click()
    expect(page.get_by_text("Sent, not yet proven: the case closes")).to_be_visible()
    engine.turn()
    expect(page.get_by_text("Closed: ")).to_be_visible(timeout=10_000)
    expect(page.get_by_role("heading", name="Closed")).to_be_visible()
    case.refresh_from_db()
    assert case.closed_at is not None
    assert Action.objects.get(run=case.run_id).outcome == "happened"
    assert len(effects()) == 1


def test_nothing_typed_is_lost_when_a_verdict_is_refused(engine: Bench, sit_down: SitDown) -> None:
    unknown_mail(engine)
    page = sit_down(engine.starter)
    open_case(page, engine)
    open_verdict(page, "It happened")
    page.get_by_label("Reason").first.fill("The customer has it.")
    page.get_by_label("Evidence").first.fill("   ")
    page.get_by_role("button", name="It happened", exact=True).click()
    expect(page.get_by_text("this verdict needs evidence")).to_be_visible()
    expect(page.get_by_label("Reason").first).to_have_value("The customer has it.")
    assert not Case.objects.filter(decided_at__isnull=False).exists()


def test_sending_again_asks_somebody_else_first(engine: Bench, sit_down: SitDown) -> None:
    case = unknown_mail(engine)
    past_window(case)
    for effect in engine.world.glob("effect-*"):
        effect.unlink()
    page = sit_down(engine.starter)
    open_case(page, engine)
    open_verdict(page, "ask to send it again")
    form = page.locator("details.verdict[open]")
    form.get_by_label("Evidence", exact=True).fill("Not in the mailbox.")
    form.get_by_label("Reason").fill("It must arrive today.")
    form.get_by_role("button", name="It did not happen: ask to send it again").click()
    expect(page.get_by_text("Nothing is sent before somebody else says yes.").first).to_be_visible()
    engine.turn()
    assert effects() == []
    approver = sit_down(engine.approver)
    approver.goto(inbox_page(engine))
    approver.get_by_role("link", name="write a-0", exact=True).click()
    press(approver, "Approve")
    expect(approver.get_by_text("Dee approved this.")).to_be_visible()
    engine.turn()
    assert len(effects()) == 1
    assert Run.objects.get(pk=case.run_id).status == "succeeded"


def test_enter_in_a_field_of_a_verdict_decides_nothing(engine: Bench, sit_down: SitDown) -> None:
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    case = held(engine.tenant, "damaged_checkpoint", run, head=6)
    page = sit_down(engine.starter)
    page.goto(f"/t/{engine.tenant.slug}/cases/{case.pk}/")
    open_verdict(page, "Go on from an earlier checkpoint")
    form = page.locator("details.verdict[open]")
    form.get_by_label("Reason").fill("It is intact.")
    form.get_by_label("Checkpoint to go on from").fill("3")
    form.get_by_label("Checkpoint to go on from").press("Enter")
    expect(page.get_by_role("heading", name="A checkpoint is damaged")).to_be_visible()
    assert not Verdict.objects.exists()
    form.get_by_role("button", name="Go on from an earlier checkpoint").click()
    expect(page.get_by_text("Sent, not yet proven: the case closes")).to_be_visible()
    assert Verdict.objects.get().detail == {"seq": 3}
