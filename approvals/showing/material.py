"""The one place where the bytes that pages show of a request come from.

They are those the action hash covers. What must not be seen is taken out here or before, and
nowhere after: every page, fragment and evidence of what was opened reads through these.
"""

from approvals.models import ApprovalRequest
from approvals.showing.values import Content
from tenants.keys import seeing


def diff(asked: ApprovalRequest) -> Content:
    """The change as shown."""
    return Content.of(bytes(asked.diff))


def parameters(asked: ApprovalRequest) -> Content:
    """The exact parameters that would be sent."""
    return Content.of(seeing.of(asked.tenant_id, asked.parameters).content)
