"""Opening all that a question shows, as a person does page by page before they say yes."""

from uuid import UUID

from approvals import decisions, states
from approvals.decisions import Given
from approvals.models import ApprovalRequest
from approvals.showing import coverage, shown
from tenants.actors import Actor
from tenants.models import User


def open_all(request_id: UUID, user: User) -> None:
    """What the pages keep once this person was shown every part."""
    shown.record(request_id, user, coverage.parts_of(request_id))


def read_and_decide(
    request: ApprovalRequest, user: User, verdict: str = "approve", reason: str = "Because."
) -> ApprovalRequest:
    """One answer of a person who has opened all that they say yes to."""
    if verdict == states.APPROVE:
        open_all(request.pk, user)
    given = Given(verdict, reason, request.action_hash)
    return decisions.decide(request.pk, given, actor=Actor.person(user), user=user)
