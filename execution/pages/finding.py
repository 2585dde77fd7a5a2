"""Search: ids, business keys and targets, exact first, then what begins so; bounded, one tenant.

Only equality and `starts_with` are used: comparisons that leak nothing past a row filter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from checkpoints.models import Run
from checkpoints.pages.forms import task_types
from execution.pages.places import ACTION, place
from reconciliation.models import Action
from tenants.database import execute
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
    actions = list(
        _actions(tenant).filter(target=text, mode="live").order_by("-proposed_at")[:MOST]
    )
    return Found(runs, actions, exact=True) if runs or actions else None


# Relies on runs_by_tenant_newest.
RUNS_BEGINNING = """
SELECT id FROM (
    SELECT id, business_key FROM checkpoints_run
     WHERE tenant_id = %(tenant)s AND mode = 'live' ORDER BY tenant_id, id DESC LIMIT %(looked_at)s
) AS newest
 WHERE starts_with(business_key, %(text)s::text) ORDER BY id DESC LIMIT %(most)s
"""

# Relies on actions_by_tenant_newest.
ACTIONS_BEGINNING = """
SELECT id FROM (
    SELECT id, target, proposed_at FROM reconciliation_action
     WHERE tenant_id = %(tenant)s AND mode = 'live' ORDER BY proposed_at DESC LIMIT %(looked_at)s
) AS newest
 WHERE starts_with(target, %(text)s::text) ORDER BY proposed_at DESC LIMIT %(most)s
"""


def _beginnings(tenant: Tenant, text: str) -> Found:
    values = {"tenant": tenant.pk, "looked_at": LOOKED_AT, "text": text, "most": MOST}
    runs = [row[0] for row in execute(RUNS_BEGINNING, values)]
    actions = [row[0] for row in execute(ACTIONS_BEGINNING, values)]
    return Found(
        list(_runs(tenant).filter(pk__in=runs).order_by("-id")),
        list(_actions(tenant).filter(pk__in=actions).order_by("-proposed_at")),
    )


def _runs(tenant: Tenant) -> QuerySet[Run]:
    return Run.objects.filter(tenant=tenant).defer("input")


def _actions(tenant: Tenant) -> QuerySet[Action]:
    light = Action.objects.filter(tenant=tenant).select_related("run")
    return light.defer("parameters", "run__input")
