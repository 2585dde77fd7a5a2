"""A verdict that a worker writes is one that a person gave beforehand, in a plan they started."""

import pytest
from django.db import ProgrammingError, connection, transaction

from checkpoints.models import Case, Verdict
from execution.plans import carrying
from execution.plans.models import Plan, PlanItem, PlanOrder
from tests.config.test_roles_worker import as_worker, granted
from tests.engine.conftest import engine
from tests.engine.turns import Bench
from tests.execution.plans.held import held, planned, started

__all__ = ["engine", "granted"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_the_worker_carries_a_started_plan_out(granted: None, engine: Bench) -> None:
    plan = started(planned(engine, held(engine, 2)), engine.starter)
    with as_worker():
        Plan.objects.update(paced_at="2020-01-01T00Z")
        assert carrying.carry_on(plan.pk) == 2
    assert Verdict.objects.filter(given_by=engine.starter).count() == 2


@pytest.mark.parametrize("order", ["no plan", "ready", "another verdict", "another person"])
def test_the_worker_gives_no_verdict_of_its_own(granted: None, engine: Bench, order: str) -> None:
    (run,) = held(engine)
    if order != "no plan":
        plan = planned(engine, [run])
        if order != "ready":
            started(plan, engine.starter)
    verdict = "cancel" if order == "another verdict" else "try_again"
    user = engine.approver if order == "another person" else engine.starter
    made_up = Verdict(case=Case.objects.get(), verdict=verdict, reason="mine", given_by=user)
    refused = pytest.raises(ProgrammingError, match="no person gave it in a started plan")
    with as_worker(), refused, transaction.atomic():
        made_up.save(force_insert=True)
    assert not Verdict.objects.exists()


def test_the_worker_starts_no_plan(granted: None, engine: Bench) -> None:
    plan = planned(engine, held(engine))
    with as_worker(), pytest.raises(ProgrammingError, match="permission denied"):
        started(plan, engine.starter)
    forged = PlanOrder(plan=plan, said="start", user=engine.starter, digest=plan.digest)
    with as_worker(), pytest.raises(ProgrammingError), transaction.atomic():
        forged.save(force_insert=True)
    with connection.cursor() as cursor, as_worker(), pytest.raises(Exception, match="on_the_order"):
        cursor.execute(
            "UPDATE execution_plan SET state = 'started', started_by_id = %s WHERE id = %s",
            [engine.starter.pk, plan.pk],
        )
    assert PlanItem.objects.filter(state="planned").count() == 1
