"""From a bad canary to an empty board, all that people do in the browser.

Begun, widened, planned, rolled back; one effect is unknown and reconciled, one is undone with a yes
of its own, the others are accepted; closed. Only machines take their turns in this process.
"""

import pytest
from playwright.sync_api import Page, expect

from checkpoints.models import Case, Route, Run
from checkpoints.registry import combo_of
from reconciliation.models import Action
from releases.models import Release
from releases.rollbacks import carrying, phases
from releases.rollbacks.models import Rollback
from tenants.access import grant
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.test_releases import begun, choose, press, shot
from tests.releases.rollbacks.rolling import TOOLS, Rolling
from tests.releases.traffic import traffic

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rolling(engine: Bench) -> Rolling:
    """Ada and Dee manage releases, reconcile and approve; a run of each combo has ended here."""
    made = Rolling(engine, traffic(engine))
    for combo in (combo_of("steps"), made.traffic.candidate):
        made.turn(made.run(combo, steps=1))  # the form offers what was run here
    for person in (made.traffic.ada, made.traffic.dee):
        grant(engine.tenant, person, "reconcile_actions")
    return made


def test_from_a_bad_canary_to_an_empty_board(rolling: Rolling, sit_down: SitDown) -> None:
    ada, dee = sit_down(rolling.traffic.ada), sit_down(rolling.bench.approver)
    release = widened(ada, rolling)
    done, kept, asking = rolling.done(), rolling.done(what="c"), rolling.asking(what="b")
    unknown = sent_into_silence(rolling)
    planned(ada, rolling, release)
    assert Route.objects.get().share == 10_000
    press(ada, "Roll back now")
    rollback = rolling.carry(Rollback.objects.get(), until=phases.RECONCILING)
    assert (Route.objects.get().stable, Route.objects.get().candidate) == (combo_of("steps"), None)

    reconciled(ada, rolling, rollback, unknown)
    undone(ada, dee, rolling, done)
    accepted(ada, rolling, kept, unknown)
    rollback = rolling.carry(rollback)
    ada.goto(f"/t/{rolling.bench.tenant.slug}/rollbacks/1/")
    expect(ada.get_by_text("Closed: nothing is open.").first).to_be_visible()
    shot(ada, "rollback closed")
    board(ada, rolling)
    expect(ada.get_by_role("heading", level=1)).to_contain_text("0 effects open")
    ada.goto(f"/t/{rolling.bench.tenant.slug}/releases/{release.number}/")
    expect(ada.get_by_text("Rolled back, nothing open.")).to_be_visible()
    expect(ada.get_by_role("link", name="Roll back…")).to_have_count(0)
    assert (rollback.ended, Release.objects.get().place) == ("closed", "stopped")
    signed = dict(rollback.effects.values_list("action__run", "signed_off"))
    assert (signed[done.pk], signed[kept.pk], signed[unknown.pk]) == (
        "compensated",
        "accepted",
        "accepted",
    )
    asking.refresh_from_db()
    assert asking.combo == combo_of("steps")
    # What was approved happened once, and one of it was undone once; nobody said yes to `b`.
    assert sorted(effect["what"] for effect in effects()) == ["a-0", "c-0", "d-0", "undo-a-0"]
    assert not Case.objects.filter(closed_at=None).exists()


def widened(page: Page, rolling: Rolling) -> Release:
    """The candidate becomes a shadow and then a canary of every run, move by move."""
    begun(page, rolling.traffic)
    rolling.traffic.climb(*TOOLS)  # the ladder has a journey of its own
    choose(page, "Canary", "A hundred twins agreed.")
    page.get_by_label("Share of runs that are not critical").fill("100")
    page.get_by_label("Share of critical runs").fill("100")
    press(page, "Propose")
    press(page, "Send it 100 % of the runs")
    expect(page.get_by_text("It gets 100 % of the new runs, and 100 % of")).to_be_visible()
    return Release.objects.get()


def sent_into_silence(rolling: Rolling) -> Run:
    """A run whose approved effect arrives; its answer is lost, and the tool cannot be asked."""
    run = rolling.asking("fake.nothing", "d")
    rolling.approve(run)
    lost = rolling.bench.fault("drop_answer")
    rolling.turn(run)
    lost.unlink()
    assert (Action.objects.get(run=run).outcome, Case.objects.get().kind) == (
        "unknown",
        "outcome_unknown",
    )
    return run


def planned(page: Page, rolling: Rolling, release: Release) -> None:
    """What would happen is read before anything moves."""
    page.goto(f"/t/{rolling.bench.tenant.slug}/releases/{release.number}/")
    page.get_by_role("link", name="Roll back…").click()
    expect(page.get_by_text("Nothing has moved yet.")).to_be_visible()
    shot(page, "rollback new")
    page.get_by_label("What is wrong with it").fill("It writes nonsense.")
    press(page, "Plan it")
    shot(page, "rollback planned")


def reconciled(page: Page, rolling: Rolling, rollback: Rollback, run: Run) -> None:
    """Nothing goes on before somebody has found out what became of the one nobody knows of."""
    assert not carrying.carry_on(rollback.pk)
    page.goto(f"/t/{rolling.bench.tenant.slug}/rollbacks/1/")
    expect(page.get_by_text("Waits for 1 effect nobody knows of.").first).to_be_visible()
    board(page, rolling)
    row = page.get_by_role("row").filter(has_text=run.business_key)
    expect(row.get_by_role("checkbox")).to_have_count(0)
    row.get_by_role("link", name="Reconcile: its case").click()
    expect(page.get_by_role("heading", name="Did this happen? write d-0")).to_be_visible()
    page.locator("details.verdict", has_text="It happened").locator("summary").first.click()
    page.get_by_label("Reason").first.fill("It is there.")
    page.get_by_label("Evidence").first.fill("Seen in the world at noon.")
    page.get_by_role("button", name="It happened", exact=True).click()
    expect(page.get_by_text("Sent, not yet proven: the case closes")).to_be_visible()
    rolling.turns()
    rolling.carry(rollback, until=phases.CLOSING)
    rolling.turns()
    carrying.carry_on(rollback.pk)
    page.reload()
    expect(page.get_by_text("Closed: ")).to_be_visible()
    effect = rollback.effects.get(action__run=run)
    assert (effect.state, effect.action.outcome, effect.signed_off) == ("happened", "happened", "")


def undone(page: Page, approver: Page, rolling: Rolling, run: Run) -> None:
    """An effect is undone by a run of its own, with a yes of its own, by somebody else."""
    board(page, rolling)
    expect(page.get_by_role("heading", level=1)).to_contain_text("3 effects open")
    shot(page, "rollback board")
    row = page.get_by_role("row").filter(has_text=run.business_key)
    row.get_by_text("Compensate…").click()
    row.get_by_label("Why").fill("Nobody checked it.")
    row.get_by_role("button", name="Begin the run that undoes it").click()
    expect(page.get_by_text("A run that undoes it has begun")).to_be_visible()
    undo = Run.objects.latest("created_at")
    rolling.turns()
    assert "undo-a-0" not in [effect["what"] for effect in effects()]
    approver.goto(f"/t/{rolling.bench.tenant.slug}/inbox/")
    approver.get_by_role("link", name="write undo-a-0", exact=True).click()
    approver.get_by_label("Reason").fill("It should not be there.")
    press(approver, "Approve")
    expect(approver.get_by_text("Dee approved this.")).to_be_visible()
    rolling.turns()
    undo.refresh_from_db()
    assert undo.status == "succeeded"


def accepted(page: Page, rolling: Rolling, *runs: Run) -> None:
    """Effects are let stand by a named person, with a reason."""
    board(page, rolling)
    for run in runs:
        page.get_by_role("row").filter(has_text=run.business_key).get_by_role("checkbox").check()
    page.get_by_label("Why they may stand").fill("It was right all the same.")
    press(page, "Accept: they stand")
    expect(page.get_by_text("It was right all the same.").first).to_be_visible()


def board(page: Page, rolling: Rolling) -> None:
    page.goto(f"/t/{rolling.bench.tenant.slug}/rollbacks/1/board/")
