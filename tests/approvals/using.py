"""Uses an approval up as a dispatch does, for tests below the ledger; inside a transaction."""

from uuid import UUID

from approvals import uses
from approvals.models import Approval, ApprovalRequest
from approvals.uses import Wanted
from tenants.database import execute, together


def use(
    action_id: UUID, *, expected_hash: str, attempt_id: UUID, is_further: bool = False
) -> Approval:
    """Use the approval of an action for one attempt. Raises `NotApprovedError`."""
    tenants = ApprovalRequest.objects.filter(action_id=action_id).values_list(
        "tenant_id", flat=True
    )
    found = together(uses.locking(action_id, tenants.first() or 0))
    wanted = Wanted(attempt_id, action_id, expected_hash, is_further)
    with uses.refused_when_late(action_id):
        request = uses.judge(found, wanted)
        execute(*request.statement())
    return Approval.objects.select_related("request").get(pk=request.request.pk)
