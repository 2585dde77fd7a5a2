"""Night 1 and night 5 in the browser: a tool falls silent and comes back; a credential is renewed."""

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from checkpoints.models import Case, Run, Verdict
from execution import credentialchecks, doorways, sweeper
from execution.plans import proving
from execution.plans.models import Plan
from reconciliation.credentials import keeping
from reconciliation.credentials.keeping import Noted
from reconciliation.models import Attempt
from reconciliation.tools import CredentialInvalid
from tenants import access
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.execution.plans.held import carried, totals
from tests.execution.runs import waiting
from tests.journeys.conftest import SitDown
from tests.journeys.places import press
from tests.people import eve
from tests.reconciliation.doors.silence import probe_due
from tests.reconciliation.oddtools import Odd, put
from tests.reconciliation.verdicts.twopeople import demand

pytestmark = pytest.mark.django_db(transaction=True)

TWO_LET_GO_ON = {"name": "two-let-go-on", "verdicts": ["try_again"], "people": 2}


@pytest.fixture
def tool(engine: Bench, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Odd:
    settings.KEDGE_DOOR_UNKNOWNS = 5
    settings.KEDGE_DOOR_RUNS_PER_MINUTE = 6_000
    access.grant(engine.tenant, engine.starter, "operate_runs", "manage_tenant")
    return put(monkeypatch, "fake.look_up")


def outage(engine: Bench, tool: Odd) -> list[Run]:
    """Eight approved effects meet a tool that takes calls and answers nothing."""
    runs = [waiting(engine, tool.name) for _ in range(8)]
    for run in runs:
        engine.decide(run)
    tool.lose_the_request()
    engine.fault("silent")
    for _ in runs:
        engine.turn()
    return runs


def test_an_outage_is_one_line_that_goes_away_by_itself(
    engine: Bench, sit_down: SitDown, tool: Odd
) -> None:
    runs = outage(engine, tool)
    page = sit_down(engine.starter)
    page.goto(f"/t/{engine.tenant.slug}/")
    line = page.get_by_role("listitem").filter(has_text="five unknown in a row")
    expect(line).to_contain_text("next probe")
    line.get_by_role("link", name="What is known of it").click()
    expect(page.get_by_role("heading", name=tool.name)).to_be_visible()
    expect(page.get_by_text("it opens by itself when a probe is answered")).to_be_visible()
    # A run that waits says so, and leads here.
    page.goto(f"/t/{engine.tenant.slug}/runs/{runs[-1].pk}/")
    expect(page.get_by_text("The door of fake.look_up is closed since").first).to_be_visible()
    page.get_by_role("link", name="See the door").first.click()
    expect(page.get_by_role("heading", name="Doors")).to_be_visible()

    tool.performing = None
    (engine.world / "fault-silent").unlink()
    probe_due()
    sweeper.sweep()
    assert doorways.wait(20)
    page.reload()
    expect(page.get_by_text("Every door is open")).to_be_visible()
    expect(page.get_by_text("by sweeper")).to_be_visible()
    assert not Case.objects.exists()


def test_a_person_keeps_a_door_closed_and_opens_it(
    engine: Bench, sit_down: SitDown, tool: Odd
) -> None:
    outage(engine, tool)
    page = sit_down(engine.starter)
    page.goto(f"/t/{engine.tenant.slug}/doors/")
    page.get_by_label("Reason").first.fill("They call us first.")
    press(page, "Keep it closed until a person opens it")
    expect(page.get_by_text("by Ada: They call us first.")).to_be_visible()
    page.get_by_label("Reason").first.fill("They called.")
    press(page, "Open it: ")
    expect(page.get_by_text("Every door is open")).to_be_visible()


def noted(engine: Bench, tool: Odd, version: str) -> None:
    noted = Noted("refunds@example.org", "env:PAYMENTS_TOKEN", version, None)
    keeping.note(engine.tenant, tool.name, noted, owner=engine.starter, user=engine.starter)


def check(page: Page, verdict: str) -> None:
    """Have it checked now, and see what it said."""
    page.get_by_role("button", name="Check now").click()
    expect(page.get_by_text("being checked").first).to_be_visible()
    assert credentialchecks.check() == 1
    assert credentialchecks.wait(20)
    page.reload()
    expect(page.get_by_role("cell", name=verdict).first).to_be_visible()


def test_a_renewed_credential_is_checked_and_one_plan_lets_its_runs_go_on(
    engine: Bench, sit_down: SitDown, tool: Odd, monkeypatch: pytest.MonkeyPatch
) -> None:
    demand(monkeypatch, engine.tenant, TWO_LET_GO_ON)
    noted(engine, tool, "1")
    works = [False]

    def try_it(tenant: str) -> None:
        if not works[0]:
            raise CredentialInvalid("the token was withdrawn")

    monkeypatch.setattr(tool, "check_credential", try_it)
    for what in ("a", "b", "c"):
        engine.start(tool=tool.name, what=what)
        engine.turn()
    assert Case.objects.filter(kind="credential_invalid").count() == 3
    page = sit_down(engine.starter)
    page.goto(f"/t/{engine.tenant.slug}/credentials/")
    expect(page.get_by_text("3 runs that use it are held for a credential.")).to_be_visible()
    expect(page.get_by_text("Ada can renew it")).to_be_visible()
    check(page, "does not work")
    works[0] = True
    noted(engine, tool, "2")
    check(page, "works")
    page.get_by_role("link", name="It works: let 3 held runs go on").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("A plan for 3 runs held for")
    let_go_on(page, sit_down(eve(engine.tenant)), engine)
    went_on(page, engine)


def let_go_on(page: Page, second: Page, engine: Bench) -> None:
    """The plan is worked out, seconded and started; carried out, the runs are not held any more."""
    page.get_by_label("Reason").fill("The token is renewed.")
    press(page, "Work the plan out")
    expect(page.get_by_text("Somebody else has to say yes to it first.")).to_be_visible()
    press(page, "Let 3 runs go on")
    expect(page.get_by_role("alert")).to_contain_text("This plan takes a second person")
    assert not Verdict.objects.exists()
    for each in (second, page):
        each.goto(f"/t/{engine.tenant.slug}/plans/1/")
        if each is second:
            press(second, "Yes, as the second person")
        expect(each.get_by_text("Eve said yes to exactly this.")).to_be_visible()
    press(page, "Let 3 runs go on")
    expect(page.get_by_text("0 of 3 runs carried out.").first).to_be_visible()
    carried(Plan.objects.get())
    given = Verdict.objects.values_list("verdict", "given_by", "agreed_by").distinct()
    assert list(given) == [("try_again", engine.starter.pk, eve(engine.tenant).pk)]
    assert Verdict.objects.count() == 3


def went_on(page: Page, engine: Bench) -> None:
    """Past the node they were held at: each asks, is approved, and has one effect; then all agree."""
    before = dict(Run.objects.values_list("pk", "head"))
    for _ in before:
        engine.turn()
    for run in Run.objects.order_by("pk"):
        assert (run.status, run.reason) == ("waiting", "for_approval")
        assert run.head > before[run.pk]
        engine.decide(run)
        engine.turn()
    assert sorted(effect["what"] for effect in effects()) == ["a-0", "b-0", "c-0"]
    assert list(Attempt.objects.values_list("outcome", flat=True)) == ["happened"] * 3
    assert set(Run.objects.values_list("status", flat=True)) == {"succeeded"}
    assert not Case.objects.filter(closed_at=None).exists()
    plan = Plan.objects.get()
    assert proving.prove(plan.pk) == 3
    assert totals(plan) == {"done": 3}
    page.reload()
    expect(page.get_by_text("3 of 3 runs carried out.").first).to_be_visible()
    page.goto(f"/t/{engine.tenant.slug}/credentials/")
    expect(page.get_by_role("cell", name="works").first).to_be_visible()
    expect(page.get_by_text("held for a credential")).to_have_count(0)
