"""The one way to lock a request: its run first, then the request, each in a statement of its own.

What is judged is read after both locks are held. A condition in the WHERE clause of a statement
that waits would be judged before the wait, and not again when the row did not change (rule 4).
"""

from typing import Final
from uuid import UUID

from approvals.models import ApprovalRequest
from checkpoints.models import Run
from tenants.database import rows

# By one_request_per_action_and_revision.
NEWEST: Final = "WHERE action_id = %(action)s ORDER BY revision DESC LIMIT 1"
LATEST: Final = f"{NEWEST} FOR UPDATE"
LATEST_ID: Final = f"SELECT id FROM approvals_approvalrequest {NEWEST}"  # noqa: S608 - words of ours

# What a verb writes; `save()` writes nothing else, ever.
LIVE_COLUMNS: Final = ("state", "closed_at", "closed_by", "closed_because")


def run(run_id: UUID, *, wait: bool = True) -> Run | None:
    """Lock a run. Without `wait`, None when somebody else holds it."""
    return Run.objects.select_for_update(skip_locked=not wait).filter(pk=run_id).first()


def request(request_id: UUID) -> ApprovalRequest:
    """Lock a request and its run. Raises `ApprovalRequest.DoesNotExist`."""
    run(_run_of(request_id))
    return ApprovalRequest.objects.select_for_update().get(pk=request_id)


def request_if_free(request_id: UUID) -> ApprovalRequest | None:
    """The same for the sweeper, which waits for nobody: it comes round again."""
    if run(_run_of(request_id), wait=False) is None:
        return None
    return ApprovalRequest.objects.select_for_update().get(pk=request_id)


def latest(action_id: UUID) -> ApprovalRequest | None:
    """Lock the newest request of an action. The caller holds the run: only so it stays newest."""
    found = rows(ApprovalRequest, LATEST, {"action": action_id})
    return found[0] if found else None


def _run_of(request_id: UUID) -> UUID:
    run_id: UUID = ApprovalRequest.objects.values_list("run_id", flat=True).get(pk=request_id)
    return run_id
