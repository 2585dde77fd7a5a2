"""A thousand runs of one problem in one plan: real rows, real verbs, a bounded number of questions."""

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from checkpoints.models import Run, Verdict
from execution.plans import carrying, computing, drafting, ordering, sources
from execution.plans.drafting import Draft
from execution.plans.models import Plan, PlanItem
from execution.plans.ordering import Order
from execution.problems import sorting
from execution.problems.models import Problem
from tests.engine.turns import Bench
from tests.execution.plans.held import FAST, many, totals

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 1_000
AN_ITEM = 45  # statements at most, however many there are


def test_a_thousand_runs_of_one_problem_are_one_plan(engine: Bench) -> None:
    many(engine, MANY)
    while sorting.sort(tenant_id=engine.tenant.pk):
        pass
    problem = Problem.objects.get(tenant=engine.tenant)
    chosen = sources.chosen(engine.tenant, QueryDict(f"from=problem&key={problem.fingerprint}"))
    assert len(chosen.targets) == MANY
    wanted = Draft("try_again", "repaired", chosen.about, chosen.targets, {}, FAST)
    with CaptureQueriesContext(connection) as asked:
        plan = drafting.draft(engine.tenant, wanted, user=engine.starter)
    # The person who drafts waits for a handful of statements, not for a thousand.
    assert (plan.state, plan.waiting, len(asked) < 60) == ("computing", MANY, True), len(asked)
    while computing.compute(plan.pk):
        pass
    plan.refresh_from_db()
    assert (plan.state, plan.planned) == ("ready", MANY)
    with pytest.raises(Exception, match="type 1000"):
        ordering.start(plan.pk, Order(plan.digest), user=engine.starter)
    ordering.start(plan.pk, Order(plan.digest, MANY), user=engine.starter)
    with CaptureQueriesContext(connection) as asked:
        Plan.objects.filter(pk=plan.pk).update(paced_at="2020-01-01T00Z")
        assert carrying.carry_on(plan.pk, most=10) == 10
    assert len(asked) <= 10 * AN_ITEM
    while Plan.objects.get().state == "started":
        Plan.objects.filter(pk=plan.pk).update(paced_at="2020-01-01T00Z")
        carrying.carry_on(plan.pk, most=MANY)
    assert totals(plan) == {"unproven": MANY}
    assert Verdict.objects.count() == MANY
    assert Verdict.objects.values("case").distinct().count() == MANY
    assert Run.objects.filter(status="queued").count() == MANY
    assert PlanItem.objects.filter(holds=True).count() == 0
