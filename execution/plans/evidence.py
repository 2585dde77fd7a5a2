"""Plans that touched a run, as a part of its evidence: what was reviewed, who ordered it, what became of it."""

from typing import Any, Final

from checkpoints.models import Run
from execution.plans.models import Plan, PlanItem
from reconciliation.evidence.acts import person
from tenants.models import User
from tenants.trail.rows import instant, instant_or_none

MOST: Final = 1_000  # items of one run

Json = Any


def of_run(run: Run) -> list[dict[str, Json]]:
    """Every plan with an item of this run, and of its items those alone."""
    items: dict[Any, list[dict[str, Json]]] = {}
    for item in PlanItem.objects.filter(run=run).order_by("plan_id", "position")[:MOST]:
        items.setdefault(item.plan_id, []).append(_item(item))
    plans = Plan.objects.filter(pk__in=items, tenant=run.tenant_id)
    people = plans.select_related("drafted_by", "seconded_by", "started_by")
    return [_plan(plan, items[plan.pk]) for plan in people.order_by("pk")]


def _plan(plan: Plan, items: list[dict[str, Json]]) -> dict[str, Json]:
    orders = plan.orders.select_related("user").order_by("id")
    return {
        "id": str(plan.pk),
        "number": plan.number,
        "kind": plan.kind,
        "about": plan.about,
        "why": plan.why,
        "digest": plan.digest,
        "state": plan.state,
        "drafted_by": person(plan.drafted_by),
        "drafted_at": instant(plan.drafted_at),
        "seconded_by": _maybe(plan.seconded_by),
        "started_by": _maybe(plan.started_by),
        "started_at": instant_or_none(plan.started_at),
        "ended_at": instant_or_none(plan.ended_at),
        "orders": [
            {
                "said": each.said,
                "person": person(each.user),
                "digest": each.digest,
                "why": each.why,
                "at": instant(each.at),
            }
            for each in orders
        ],
        "items": items,
    }


def _item(item: PlanItem) -> dict[str, Json]:
    return {
        "position": item.position,
        "action": str(item.action_id) if item.action_id else None,
        "case": str(item.case_id) if item.case_id else None,
        "state": item.state,
        "sentence": item.sentence,
        "said": item.said,
        "carried_at": instant_or_none(item.carried_at),
        "proven_at": instant_or_none(item.proven_at),
    }


def _maybe(user: User | None) -> dict[str, Json] | None:
    return person(user) if user else None
