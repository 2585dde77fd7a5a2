"""Whether it is still the person who signed in: asked before a yes to what is hard to undo.

Judged under the lock of the request by the clock of the database; the proof itself is the
session's, and the view passes it with the actor.
"""

from approvals import clock, judging
from approvals.errors import ProofNeededError
from approvals.models import ApprovalRequest
from approvals.people import deciders
from tenants.actors import Actor


def is_needed(request: ApprovalRequest) -> bool:
    """True if a yes needs a proof: a rule asks for it, or the tenant calls the tool irreversible."""
    return deciders.needs_proof(judging.demands(request))


def refuse_if_stale(request: ApprovalRequest, actor: Actor) -> None:
    """Raises `ProofNeededError` when a proof is needed and the actor has none of the last ten minutes."""
    if not is_needed(request):
        return
    if not actor.is_proved(clock.now()):
        raise ProofNeededError(request.pk)
