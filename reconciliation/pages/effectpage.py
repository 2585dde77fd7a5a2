"""What the pages of a case and of an action both show of an effect: its bytes and its attempts."""

from typing import Any

from approvals.showing import values as showing
from reconciliation.models import Action
from reconciliation.pages import queries, telling
from tenants.keys import seeing
from tenants.models import Tenant
from tenants.scope import TenantRequest


def sent(request: TenantRequest, action: Action | None) -> dict[str, Any]:
    """The bytes as they were sent, for those who may read them."""
    reads = request.access.may(request.tenant.pk, "read_payloads")
    if action is None or not reads:
        return {"reads": reads, "parameters": None}
    content = seeing.of(action.tenant_id, action.parameters).content
    return {
        "reads": reads,
        "parameters": showing.json_part(content) or showing.text_part(content),
        "parameters_size": len(content),
        "encrypted": content != bytes(action.parameters),
    }


def tries(request: TenantRequest, action: Action) -> list[dict[str, Any]]:
    """Every attempt with what was learnt of it."""
    reads = request.access.may(request.tenant.pk, "read_payloads")
    return [telling.told(tried, reads=reads) for tried in queries.tries_of(action)]


def of_case(tenant: Tenant, action_id: Any) -> Action | None:
    """The action that a case names; one whose action is gone still has a page."""
    try:
        return None if action_id is None else queries.action_of(tenant, action_id)
    except Action.DoesNotExist:
        return None
