"""Two operators on one problem: claimed, seen, refused, taken over, handed over, planned once, gone."""

import pytest
from playwright.sync_api import Page, expect

from checkpoints.models import Case, Claim, Run, Verdict
from execution.plans import proving
from execution.plans.models import Plan, PlanItem
from execution.problems import sorting
from execution.problems.models import Problem, ProblemChange
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.execution.plans.held import carried, held, totals
from tests.journeys.conftest import SitDown
from tests.journeys.places import press
from tests.people import eve

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def problem(engine: Bench) -> Problem:
    """Two runs that are held for the same reason."""
    held(engine, 2)
    sorting.sort(tenant_id=engine.tenant.pk)
    return Problem.objects.get()


def address(problem: Problem) -> str:
    return f"/t/{problem.tenant.slug}/problems/{problem.fingerprint}/"


def claims() -> list[tuple[str, str]]:
    """Who was at it in order, and how each time ended."""
    return list(Claim.objects.order_by("pk").values_list("holder__name", "ended"))


def is_at_it(page: Page, name: str) -> None:
    """The page says who is at it, and since when."""
    said = page.get_by_role("definition").filter(has_text=name).first
    expect(said).to_be_visible()
    since = Claim.objects.get(ended="").since.strftime("%Y-%m-%dT%H:%M:%S")
    told = said.locator("time").get_attribute("datetime")
    assert str(told).startswith(since), (told, since)


def plan_of_these(page: Page, why: str) -> None:
    page.get_by_role("link", name="Make a plan of these 2…").click()
    page.get_by_label("Reason").fill(why)
    press(page, "Work the plan out for 2 runs")


def test_one_claims_and_the_other_sees_it_is_told_and_takes_over(
    engine: Bench, sit_down: SitDown, problem: Problem
) -> None:
    first, second = sit_down(engine.starter), sit_down(eve(engine.tenant))
    for page in (first, second):
        page.goto(f"/t/{engine.tenant.slug}/")
        page.locator(f'a.row-link[href="{address(problem)}"]').click()
        expect(page.get_by_role("button", name="Claim it")).to_be_visible()
    press(first, "Claim it")
    is_at_it(first, "Ada")
    # Eve's page does not know yet: what she presses there is refused, and she is told why.
    press(second, "Claim it")
    expect(second.get_by_text("Held by Ada since").first).to_be_visible()
    second.goto(f"/t/{engine.tenant.slug}/")
    expect(second.get_by_role("row").filter(has_text="2 runs of steps")).to_contain_text("Ada")
    second.locator(f'a.row-link[href="{address(problem)}"]').click()
    is_at_it(second, "Ada")
    second.get_by_label("Reason", exact=True).last.fill("Not before tomorrow.")
    press(second, "Put it off")
    expect(second.get_by_text("Held by Ada since").first).to_be_visible()
    assert not ProblemChange.objects.exists()
    assert claims() == [("Ada", "")]
    second.goto(address(problem))
    press(second, "Take it over from Ada")
    is_at_it(second, "Eve")
    assert claims() == [("Ada", "taken_over"), ("Eve", "")]
    assert AuditRow.objects.filter(verb="take over", detail__taken_from="Ada").count() == 1
    # What Ada's page still offers takes nothing from Eve.
    press(first, "Let go of it")
    is_at_it(first, "Eve")
    second.get_by_label("Colleague").select_option("Ada")
    press(second, "Hand it over")
    is_at_it(second, "Ada")
    assert claims() == [("Ada", "taken_over"), ("Eve", "handed_over"), ("Ada", "")]
    assert AuditRow.objects.filter(verb="hand over", detail__to="Ada").count() == 1


def test_both_plan_for_its_runs_and_they_go_on_once(
    engine: Bench, sit_down: SitDown, problem: Problem
) -> None:
    first, second = sit_down(engine.starter), sit_down(eve(engine.tenant))
    first.goto(address(problem))
    press(first, "Claim it")
    plan_of_these(first, "It is mended.")
    expect(first.get_by_role("button", name="Try 2 runs again")).to_be_visible()
    second.goto(address(problem))
    plan_of_these(second, "It is mended, I think.")
    expect(second.get_by_text("In plan P-1 by Ada.").first).to_be_visible()
    expect(second.get_by_text("Nothing is left to do in it.")).to_be_visible()
    plan = Plan.objects.get(number=1)
    assert set(PlanItem.objects.filter(holds=True).values_list("plan", flat=True)) == {plan.pk}
    press(first, "Try 2 runs again")
    expect(first.get_by_text("0 of 2 runs carried out.").first).to_be_visible()
    carried(Plan.objects.get(number=1))
    assert list(Verdict.objects.values_list("given_by__name", flat=True)) == ["Ada", "Ada"]
    for _ in range(2):
        engine.turn()
    assert set(Run.objects.values_list("status", "reason")) == {("waiting", "for_approval")}
    assert not Case.objects.filter(closed_at=None).exists()
    assert proving.prove(plan.pk) == 2
    assert totals(plan) == {"done": 2}
    assert totals(Plan.objects.get(number=2)) == {"left_out": 2}
    sorting.sort(tenant_id=engine.tenant.pk)
    for page in (first, second):
        page.goto(address(problem))
        expect(page.get_by_text("Nothing counts to it any more.")).to_be_visible()
