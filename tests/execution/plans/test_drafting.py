"""A plan is drafted over exact runs of one tenant, each in one unfinished plan, by who may do it."""

import pytest

from checkpoints.models import Run
from execution.plans import computing, drafting, ordering
from execution.plans.drafting import Draft, Target
from execution.plans.errors import EmptyPlanError, PlanRefusedError
from execution.plans.models import Plan, PlanItem
from execution.plans.ordering import Order
from tenants.errors import Denied
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.execution.plans.held import held, planned, totals
from tests.people import bob, eve, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


def over(*runs: Run, **more: object) -> Draft:
    return Draft("try_again", "repaired", "test runs", [Target(run.pk) for run in runs], **more)  # type: ignore[arg-type]


def test_an_empty_choice_is_never_a_plan(engine: Bench) -> None:
    with pytest.raises(EmptyPlanError):
        drafting.draft(engine.tenant, over(), user=engine.starter)
    assert not Plan.objects.exists()


def test_a_run_of_another_tenant_is_none(engine: Bench) -> None:
    mine, theirs = held(engine, 2)
    other = make_tenant("other")
    Run.objects.filter(pk=theirs.pk).update(tenant=other)
    with pytest.raises(Run.DoesNotExist):
        drafting.draft(engine.tenant, over(mine, theirs), user=engine.starter)
    assert not Plan.objects.exists()


def test_an_effect_of_another_run_is_none(engine: Bench) -> None:
    (run,) = held(engine)
    waiting = engine.start(tool="fake.void", what="a")
    engine.turn()
    action = Run.objects.get(pk=waiting.pk).actions.get()
    wanted = Draft("try_again", "w", "a", [Target(run.pk, action.pk)])
    with pytest.raises(Run.DoesNotExist):
        drafting.draft(engine.tenant, wanted, user=engine.starter)


def test_who_lacks_the_right_of_the_kind_drafts_nothing(engine: Bench) -> None:
    with pytest.raises(Denied):
        drafting.draft(engine.tenant, over(*held(engine)), user=bob(engine.tenant))
    assert not Plan.objects.exists()


@pytest.mark.parametrize("wrong", [{"why": " "}, {"per_minute": 0}, {"kind": "unheard"}])
def test_a_plan_without_a_reason_a_rate_or_a_kind_is_refused(
    engine: Bench, wrong: dict[str, object]
) -> None:
    (run,) = held(engine)
    given = {"kind": "try_again", "why": "w", "about": "a", "targets": [Target(run.pk)], **wrong}
    with pytest.raises(PlanRefusedError):
        drafting.draft(engine.tenant, Draft(**given), user=engine.starter)  # type: ignore[arg-type]


def test_a_run_in_another_plan_is_left_out_and_named(engine: Bench) -> None:
    first, second = held(engine, 2)
    planned(engine, [first])
    plan = planned(engine, [first, second], user=eve(engine.tenant))
    assert (plan.number, totals(plan)) == (2, {"planned": 1, "left_out": 1})
    left = PlanItem.objects.get(plan=plan, run=first)
    assert (left.code, left.sentence) == ("in_plan", "In plan P-1 by Ada.")


def test_a_run_of_a_plan_that_ended_is_free(engine: Bench) -> None:
    (run,) = held(engine)
    ordering.discard(planned(engine, [run]).pk, Order(""), user=engine.starter)
    assert totals(planned(engine, [run])) == {"planned": 1}


def test_many_runs_are_judged_in_chunks_and_not_while_the_person_waits(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafting, "AT_ONCE", 2)
    plan = drafting.draft(engine.tenant, over(*held(engine, 3)), user=engine.starter)
    assert (plan.state, totals(plan), plan.digest) == ("computing", {"waiting": 3}, "")
    assert computing.compute(plan.pk, most=2) == 2
    assert totals(plan) == {"waiting": 1, "planned": 2}
    assert computing.compute(plan.pk, most=2) == 1
    plan.refresh_from_db()
    assert (plan.state, plan.digest) == ("ready", computing.digest_of(plan))
    assert computing.compute(plan.pk) == 0


def test_the_same_run_twice_is_one_item(engine: Bench) -> None:
    (run,) = held(engine)
    assert planned(engine, [run, run]).total == 1


def test_drafting_and_working_out_are_audited(engine: Bench) -> None:
    planned(engine, held(engine))
    verbs = AuditRow.objects.filter(verb__contains="plan").order_by("audit_id")
    assert list(verbs.values_list("verb", "actor_name")) == [
        ("drafted plan", "Ada"),
        ("worked out plan", "sweeper"),
    ]


def test_what_a_person_quotes_of_a_run_is_kept_without_what_is_sensitive(engine: Bench) -> None:
    plan = planned(engine, held(engine))
    assert (plan.why, plan.about) == ("repaired", "test runs")
