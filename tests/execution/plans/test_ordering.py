"""A plan starts on a person's order for exactly what they saw; a large one takes its number typed."""

from collections.abc import Callable

import pytest
from django.db import connection

from checkpoints.errors import IllegalMoveError
from execution.plans import ordering, states
from execution.plans.errors import (
    NumberNotTypedError,
    PlanMovedError,
    PlanRefusedError,
    SecondNeededError,
)
from execution.plans.models import Plan, PlanOrder
from execution.plans.ordering import Order
from tenants.access import revoke
from tenants.errors import Denied
from tenants.models import AuditRow, User
from tests.engine.turns import Bench
from tests.execution.plans.held import held, planned, started
from tests.people import bob, eve

pytestmark = pytest.mark.django_db(transaction=True)

Verb = Callable[..., Plan]


def test_another_digest_starts_nothing(engine: Bench) -> None:
    plan = planned(engine, held(engine))
    for posted in ("", "0" * 64):
        with pytest.raises(PlanMovedError):
            ordering.start(plan.pk, Order(posted), user=engine.starter)
    plan.refresh_from_db()
    assert (plan.state, PlanOrder.objects.count()) == ("ready", 0)


def test_above_the_limit_the_number_is_typed(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "TYPED_ABOVE", 1)
    plan = planned(engine, held(engine, 2))
    for typed in (None, 1, 3):
        with pytest.raises(NumberNotTypedError, match="type 2"):
            ordering.start(plan.pk, Order(plan.digest, typed), user=engine.starter)
    assert ordering.start(plan.pk, Order(plan.digest, 2), user=engine.starter).state == "started"


@pytest.mark.parametrize("verb", [ordering.start, ordering.stop, ordering.discard, ordering.second])
def test_who_lacks_the_right_orders_nothing(engine: Bench, verb: Verb) -> None:
    plan = planned(engine, held(engine))
    if verb is ordering.stop:
        plan = started(plan, engine.starter)
    revoke(engine.tenant, engine.starter, "reconcile_actions")
    for user in (bob(engine.tenant), engine.starter):
        with pytest.raises(Denied):
            verb(plan.pk, Order(plan.digest, plan.planned), user=user)


@pytest.mark.parametrize("left", [0, -1, 6_001])
def test_a_rate_beyond_the_limits_is_refused(engine: Bench, left: int) -> None:
    plan = planned(engine, held(engine))
    with pytest.raises(PlanRefusedError, match="a minute"):
        ordering.start(plan.pk, Order(plan.digest, per_minute=left), user=engine.starter)


def test_each_state_takes_its_own_orders(engine: Bench) -> None:
    plan = planned(engine, held(engine))
    order = Order(plan.digest)
    with pytest.raises(IllegalMoveError, match="ready by now"):
        ordering.stop(plan.pk, order, user=engine.starter)
    ordering.start(plan.pk, order, user=engine.starter)
    for verb in (ordering.start, ordering.discard):
        with pytest.raises(IllegalMoveError, match="started by now"):
            verb(plan.pk, order, user=engine.starter)
    ordering.stop(plan.pk, order, user=engine.starter)
    assert ordering.discard(plan.pk, order, user=engine.starter).state == "discarded"
    with pytest.raises(IllegalMoveError, match="discarded by now"):
        ordering.start(plan.pk, order, user=engine.starter)


def test_a_plan_with_nothing_to_do_does_not_start(engine: Bench) -> None:
    (run,) = held(engine)
    planned(engine, [run])
    second = planned(engine, [run])
    with pytest.raises(PlanRefusedError, match="nothing is left"):
        ordering.start(second.pk, Order(second.digest), user=engine.starter)


@pytest.fixture
def double(engine: Bench) -> Plan:
    """A ready plan for which a rule asks a second person."""
    plan = planned(engine, held(engine))
    with_second(plan)
    return plan


def with_second(plan: Plan) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("UPDATE execution_plan SET needs_second = 'a rule'")
        cursor.execute("SET session_replication_role = origin")
    plan.refresh_from_db()


def test_who_planned_it_is_not_its_second_person(engine: Bench, double: Plan) -> None:
    with pytest.raises(PlanRefusedError, match="you planned it"):
        ordering.second(double.pk, Order(double.digest), user=engine.starter)
    with pytest.raises(SecondNeededError, match="a rule"):
        ordering.start(double.pk, Order(double.digest), user=engine.starter)


def test_two_people_start_what_needs_a_second(engine: Bench, double: Plan) -> None:
    other = eve(engine.tenant)
    ordering.second(double.pk, Order(double.digest), user=other)
    with pytest.raises(SecondNeededError):
        ordering.start(double.pk, Order(double.digest), user=other)
    assert started(double, engine.starter).seconded_by == other


def test_a_second_person_who_lost_the_right_counts_for_nothing(engine: Bench, double: Plan) -> None:
    other: User = eve(engine.tenant)
    ordering.second(double.pk, Order(double.digest), user=other)
    revoke(engine.tenant, other, "reconcile_actions")
    with pytest.raises(SecondNeededError, match="may not do so any more"):
        ordering.start(double.pk, Order(double.digest), user=engine.starter)


def test_every_order_is_kept_and_audited(engine: Bench) -> None:
    plan = started(planned(engine, held(engine)), engine.starter)
    ordering.stop(plan.pk, Order("", why="wrong one"), user=eve(engine.tenant))
    assert list(PlanOrder.objects.order_by("id").values_list("said", "user__name", "why")) == [
        ("start", "Ada", ""),
        ("stop", "Eve", "wrong one"),
    ]
    told = AuditRow.objects.filter(verb__in=["started plan", "stopped plan"])
    assert {row.detail["digest"] for row in told} == {plan.digest}
