"""The combo that a new run gets: what its tenant's route says, else what this installation's code makes."""

from typing import Final

from checkpoints import arms
from checkpoints.models import Combo, Override, Route
from checkpoints.registry import combo_of
from tenants.models import Tenant

# Relies on one_route_per_tenant_and_task_type. Shared by starts, taken alone by a move (rule 21): a
# move that is under way is waited for, and what it says is read.
SHARED: Final = """
SELECT id, tenant_id, task_type, stable_id, candidate_id, share, share_of_critical, salt
  FROM checkpoints_route
 WHERE tenant_id = %(tenant)s AND task_type = %(task_type)s
   FOR SHARE
"""


def choose(tenant: Tenant, task_type: str, business_key: str, *, critical: bool) -> Combo:
    """Inside the transaction of a start: the combo of its run; its route stays until that ends.

    A tenant that never moved a release of this task has no route: its runs get what this
    installation's code makes. Raises `UnknownTaskTypeError`.
    """
    route = next(
        iter(Route.objects.raw(SHARED, {"tenant": tenant.pk, "task_type": task_type})), None
    )
    if route is None:
        return combo_of(task_type)
    # In a statement of its own, after the lock: what was sent by hand while it waited counts.
    by_hand = forced(route, business_key) if route.candidate_id else ""
    if by_hand:
        sent = route.candidate_id if by_hand == Override.CANDIDATE else None
        return Combo.objects.get(pk=sent or route.stable_id)
    return arm(route, business_key, critical=critical)


def forced(route: Route, business_key: str) -> str:
    """The arm to which a person sends a business key; "" for none."""
    # Index: one_override_per_business_key.
    found = Override.objects.filter(
        tenant=route.tenant_id, task_type=route.task_type, business_key=business_key, ended_at=None
    )
    return found.values_list("arm", flat=True).first() or ""


def arm(route: Route, business_key: str, *, critical: bool) -> Combo:
    """The combo of one business key by the shares of a route, however often it is asked."""
    share = route.share_of_critical if critical else route.share
    taken = route.candidate_id if arms.takes(route.salt, business_key, share=share) else None
    return Combo.objects.get(pk=taken or route.stable_id)
