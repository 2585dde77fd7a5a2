"""What people say of a request, kept without anything that is sensitive in it or in its run."""

from approvals.models import ApprovalRequest
from canonical.redaction import Redacted
from checkpoints import knowing


def of(request: ApprovalRequest, said: str) -> Redacted:
    """A person's words about a request. Raises `KeyRingError`."""
    return knowing.words(said, of=[request.run_id], also=[bytes(request.parameters)])
