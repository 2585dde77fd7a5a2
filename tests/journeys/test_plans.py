"""From a problem of a thousand runs to a plan that lets them go on: three clicks; and a rehearsal."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from checkpoints.graph import COMPUTE, To
from checkpoints.models import Case, Run, Verdict
from execution.plans import carrying, computing, proving
from execution.plans.models import Plan
from execution.problems import sorting
from execution.problems.models import Problem
from tests.engine import registry
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install, returns, single
from tests.execution.plans.held import FAST, carried, held, many, totals
from tests.execution.plans.test_rehearsals import only_even, upgrade
from tests.execution.runs import bounded_turn
from tests.journeys.conftest import SitDown
from tests.people import eve

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 1_000


def test_a_thousand_runs_of_one_problem_go_on_by_three_clicks(
    engine: Bench, sit_down: SitDown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "manifest", lambda name: {"task_type": name, "code": "same"})
    single(monkeypatch, returns({"thought": "done"}))
    many(engine, MANY, task_type="odd")
    sorted_in(engine)
    page = sit_down(engine.starter)
    home, its = f"/t/{engine.tenant.slug}/", f"problems/{Problem.objects.get().fingerprint}/"
    page.goto(home + its)
    clicked(page.get_by_role("link", name="Make a plan of these 1,000…"))
    expect(page.get_by_role("heading", level=1)).to_have_text("A plan for 1000 runs of one problem")
    page.get_by_label("Reason").fill("The file is back.")
    clicked(page.get_by_role("button", name="Work the plan out for 1,000 runs"))
    expect(page.get_by_text("Worked out: 0 of 1000 runs.").first).to_be_visible()
    plan = Plan.objects.get()
    while computing.compute(plan.pk):
        pass
    # The page shows the review by itself when it is worked out.
    go = page.get_by_role("button", name=re.compile(r"^Try 1000 runs again"))
    expect(go).to_be_visible()
    page.get_by_label("Runs a minute").fill(str(FAST))
    page.get_by_label("Type 1000 to go ahead").fill("1000")
    clicked(go)
    expect(page.get_by_text("0 of 1000 runs carried out.").first).to_be_visible()
    all_go_on(engine, plan)
    page.reload()
    expect(page.get_by_text("1000 of 1000 runs carried out.").first).to_be_visible()
    assert figures(page) == {"done": "1,000"}
    page.goto(home + its)
    expect(page.get_by_text("Nothing counts to it any more.")).to_be_visible()
    page.goto(home)
    expect(page.get_by_text("No problem is open")).to_be_visible()
    expect(page.get_by_text("Nobody has to do anything")).to_be_visible()


def all_go_on(engine: Bench, plan: Plan) -> None:
    """The plan is carried out at its rate, every run goes on to its end, and rows and totals agree."""
    while Plan.objects.filter(pk=plan.pk, state="started").exists():
        carrying.carry_on(plan.pk)
    assert totals(plan) == {"unproven": MANY}
    assert not Run.objects.filter(status="held").exists()
    for _ in range(MANY):
        engine.turn()
    while proving.prove(plan.pk):
        pass
    sorted_in(engine)
    assert totals(plan) == {"done": MANY}
    assert set(plan.items.values_list("state", flat=True)) == {"done"}
    assert Verdict.objects.filter(verdict="try_again").values("case").distinct().count() == MANY
    assert Run.objects.filter(status="succeeded", head=1).count() == MANY
    assert not Case.objects.filter(closed_at=None).exists()


def sorted_in(engine: Bench) -> None:
    while sorting.sort(tenant_id=engine.tenant.pk):
        pass


def clicked(button: Locator) -> None:
    """One of the three clicks: it is there to be pressed without any other."""
    expect(button).to_be_visible()
    button.click()


def figures(page: Page) -> dict[str, str]:
    """What the page counts, but for what is none."""
    names = page.locator(".figures dt").all_text_contents()
    counts = page.locator(".figures dd").all_text_contents()
    told = zip(names, counts, strict=True)
    return {name.strip(): count for name, count in told if count != "0"}


def test_a_plan_is_stopped_and_goes_on_where_it_stood(engine: Bench, sit_down: SitDown) -> None:
    held(engine, 5)
    page = sit_down(engine.starter)
    tick_all(page, engine)
    work_out(page, "The file is back.")
    page.get_by_role("button", name=re.compile("^Try 5 runs again")).click()
    expect(page.get_by_text("0 of 5 runs carried out.").first).to_be_visible()
    plan = Plan.objects.get()
    Plan.objects.update(paced_at="2020-01-01T00Z")
    assert carrying.carry_on(plan.pk, most=2) == 2
    expect(page.get_by_text("2 of 5 runs carried out.").first).to_be_visible()
    page.get_by_role("button", name="Stop before").click()
    expect(page.get_by_text("Stopped by Ada.").first).to_be_visible()
    Plan.objects.update(paced_at="2020-01-01T00Z")
    assert carrying.carry_on(plan.pk) == 0
    assert Verdict.objects.count() == 2
    assert Run.objects.filter(status="held").count() == 3
    page.get_by_role("button", name=re.compile("^Try 3 runs again")).click()
    expect(page.get_by_role("button", name="Stop before 3 runs")).to_be_visible()
    carried(plan)
    assert totals(plan) == {"unproven": 5}
    assert Verdict.objects.values("case").distinct().count() == Verdict.objects.count() == 5
    assert list(plan.orders.order_by("pk").values_list("said", flat=True)) == [
        "start",
        "stop",
        "go_on",
    ]


def test_two_operators_plan_for_the_same_runs_and_the_second_is_told(
    engine: Bench, sit_down: SitDown
) -> None:
    many(engine, 2)
    first, second = sit_down(engine.starter), sit_down(eve(engine.tenant))
    tick_all(first, engine)
    work_out(first, "It is mended.")
    expect(first.get_by_role("button", name=re.compile("^Try 2 runs again"))).to_be_visible()
    tick_all(second, engine)
    work_out(second, "It is mended, I think.")
    expect(second.get_by_text("In plan P-1 by Ada.").first).to_be_visible()
    expect(second.get_by_text("Nothing is left to do in it.")).to_be_visible()


def test_what_cannot_be_migrated_is_rehearsed_and_what_passes_is_released(
    engine: Bench, sit_down: SitDown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "manifest", lambda name: {"task_type": name, "code": "same"})
    made = graph()
    made.node("first", COMPUTE, to=["second"])(
        lambda state, context: To("second", {**state, "n": context.input["n"]})
    )
    made.node("second", COMPUTE, to=["end"])(lambda state, _: To("end", dict(state)))
    install(monkeypatch, made)
    for n in (2, 3):
        engine.start("odd", n=n)
    for _ in range(2):
        bounded_turn(engine, 1)
    upgrade(made)
    for _ in range(2):
        engine.turn()
    made.migrate(1, 2)(only_even)
    page = sit_down(engine.starter)
    tick_all(page, engine)
    page.get_by_label("Rehearse the migrators").check()
    work_out(page, "The new migrator.")
    page.get_by_role("button", name=re.compile("^Rehearse over 2 runs")).click()
    carried(Plan.objects.get())
    page.goto(f"/t/{engine.tenant.slug}/plans/1/items/?result=failed")
    expect(page.get_by_text("KeyError: 'odd'")).to_be_visible()
    page.goto(f"/t/{engine.tenant.slug}/plans/1/")
    page.get_by_role("link", name="Plan for the 1 run that passed").click()
    page.get_by_label("Let go on those that this code reads").check()
    work_out(page, "It passed.")
    page.get_by_role("button", name=re.compile("^Let 1 run go on")).click()
    carried(Plan.objects.get(number=2))
    engine.turn()
    assert sorted(Run.objects.values_list("status", flat=True)) == ["held", "succeeded"]


def tick_all(page: Page, engine: Bench) -> None:
    page.goto(f"/t/{engine.tenant.slug}/runs/?status=held")
    for tick in page.get_by_role("checkbox").all():
        tick.check()
    page.get_by_role("button", name="Plan for the ticked runs").click()


def work_out(page: Page, why: str) -> None:
    page.get_by_label("Reason").fill(why)
    page.get_by_role("button", name=re.compile("^Work the plan out")).click()
