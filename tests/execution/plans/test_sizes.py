"""What the effects of a plan touch together, by class, on the page on which it is started."""

from typing import Any

import pytest

from checkpoints.models import Run
from execution.plans import drafting, sizes, states
from execution.plans.drafting import Draft, Target
from execution.plans.models import Plan
from reconciliation.models import Action
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.execution.pages.visits import at, signed_in, words
from tests.execution.plans.held import held, unknown
from tests.execution.plans.test_following import done, planned

pytestmark = pytest.mark.django_db(transaction=True)


def measured(run: Run, **size: Any) -> Run:
    """Its effect touches this much."""
    with by_force():
        Action.objects.filter(run=run).update(magnitude=size)
    return run


def looking(engine: Bench, runs: list[Run]) -> Plan:
    draft = Draft("look_up", "ask again", "some", [Target(run.pk) for run in runs], {}, 6_000)
    return drafting.draft(engine.tenant, draft, user=engine.starter)


def verdict(engine: Bench, runs: list[Run]) -> Plan:
    terms = {"verdict": "it_happened", "evidence": "Their list has it."}
    draft = Draft("verdict", "seen", "some", [Target(run.pk) for run in runs], terms, 6_000)
    return drafting.draft(engine.tenant, draft, user=engine.starter)


def test_the_page_sums_each_currency_by_itself_before_it_is_started(engine: Bench) -> None:
    one, two, three = unknown(engine, 3)
    measured(one, amount=12_050, currency="EUR", recipients=1)
    measured(two, amount=950, currency="EUR", lines=40)
    measured(three, amount=500, currency="JPY", deletions=2)
    plan = verdict(engine, [one, two, three])
    said = words(signed_in(engine.starter).get(at(engine, f"plans/{plan.number}/")))
    touched = "130.00 EUR, 500 JPY, 1 recipient, 40 lines, 2 deletions"
    assert f"Together they touch {touched}." in said
    assert f"What these effects touch together: {touched}" in said


def test_what_is_left_out_is_summed_apart(engine: Bench) -> None:
    happened, (lost,) = done(engine), unknown(engine)
    measured(happened.run, amount=7, currency="EUR")
    measured(lost, amount=100, currency="EUR")
    plan = planned(engine, happened, Action.objects.get(run=lost))
    (taken,) = sizes.by_class(plan, states.PLANNED).values()
    (left_out,) = sizes.by_class(plan, states.LEFT_OUT).values()
    assert (taken.money, left_out.money) == ({"EUR": 7}, {"EUR": 100})


def test_a_plan_over_runs_without_an_effect_touches_nothing(engine: Bench) -> None:
    plan = looking(engine, held(engine, 1))
    assert sizes.by_class(plan, states.PLANNED) == {}
    assert sizes.by_class(plan, states.LEFT_OUT) == {}


def test_a_size_that_is_no_number_is_not_added(engine: Bench) -> None:
    (run,) = unknown(engine)
    measured(run, amount="12", currency="EUR", recipients=3, other=4)
    (found,) = sizes.by_class(verdict(engine, [run]), states.PLANNED).values()
    assert (found.money, found.counts) == ({}, {"recipients": 3})
