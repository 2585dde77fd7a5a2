"""Reads that pages and commands need; every one is bounded."""

from reconciliation import states
from reconciliation.models import Action
from tenants.models import Tenant

MOST = 500


def out_in_the_world(tenant: Tenant | None) -> list[Action]:
    """Calls that were sent and whose outcome is not settled yet, oldest first."""
    out = Action.objects.filter(stands=states.DISPATCHED).select_related("tenant", "run")
    if tenant is not None:
        out = out.filter(tenant=tenant)
    return list(out.order_by("proposed_at")[:MOST])
