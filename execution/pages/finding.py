"""Search: ids, business keys and targets, exact first, then what begins so; bounded, one tenant.

Only equality and `starts_with` are used: comparisons that leak nothing past a row filter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import BooleanField, F, Func, QuerySet, Value

from checkpoints.models import Run
from checkpoints.pages.forms import task_types
from execution.pages.places import ACTION, place
from reconciliation.models import Action
from tenants.models import Tenant

MOST: Final = 25
# What only begins so is looked for among the newest: no index knows beginnings.
LOOKED_AT: Final = 10_000
LONGEST: Final = 500


@dataclass(frozen=True)
class Found:
    """What matches. `exact` says that the whole text is an id, a key or a target."""

    runs: Sequence[Run] = ()
    actions: Sequence[Action] = ()
    exact: bool = False


def find(tenant: Tenant, text: str) -> Found:
    """Look a text up at one tenant; nothing for an empty text."""
    wanted = text.strip()[:LONGEST]
    if not wanted:
        return Found()
    exact = _by_id(tenant, wanted) or _whole(tenant, wanted)
    return exact or _beginnings(tenant, wanted)


def only_hit(tenant: Tenant, found: Found) -> str:
    """The address of the one thing found exactly; "" for none or several."""
    if not found.exact or len(found.runs) + len(found.actions) != 1:
        return ""
    if found.runs:
        return place("run", tenant, found.runs[0].id)
    action = found.actions[0]
    return place(ACTION, tenant, action.id) or place("run", tenant, action.run_id)


def _by_id(tenant: Tenant, text: str) -> Found | None:
    try:
        id_ = UUID(text)
    except ValueError:
        return None
    runs = list(_runs(tenant).filter(pk=id_))
    actions = list(_actions(tenant).filter(pk=id_)) if not runs else []
    return Found(runs, actions, exact=True) if runs or actions else None


def _whole(tenant: Tenant, text: str) -> Found | None:
    # The unique index of business keys begins with tenant and task type.
    keyed = _runs(tenant).filter(
        task_type__in=[name for name, _title in task_types()],
        business_key=text,
        forked_from=None,
        mode="live",
    )
    runs = list(keyed[:MOST])
    actions = list(_actions(tenant).filter(target=text).order_by("-proposed_at")[:MOST])
    return Found(runs, actions, exact=True) if runs or actions else None


def _beginnings(tenant: Tenant, text: str) -> Found:
    newest_runs = _runs(tenant).order_by("-id").values("pk")[:LOOKED_AT]
    newest_actions = _actions(tenant).order_by("-proposed_at").values("pk")[:LOOKED_AT]
    runs = _runs(tenant).filter(_begins("business_key", text), pk__in=newest_runs)
    actions = _actions(tenant).filter(_begins("target", text), pk__in=newest_actions)
    return Found(list(runs.order_by("-id")[:MOST]), list(actions.order_by("-proposed_at")[:MOST]))


def _begins(column: str, text: str) -> Any:
    output = BooleanField()
    return Func(F(column), Value(text), function="starts_with", output_field=output)


def _runs(tenant: Tenant) -> QuerySet[Run]:
    return Run.objects.filter(tenant=tenant).defer("input")


def _actions(tenant: Tenant) -> QuerySet[Action]:
    light = Action.objects.filter(tenant=tenant).select_related("run")
    return light.defer("parameters", "run__input")
