"""Using an approval up: what the dispatch of an effect asks, inside its own transaction.

The caller holds the locks of the run and of the action, in that order, and writes the attempt in
the same transaction: no attempt without a used approval, no used approval without an attempt.
"""

from uuid import UUID

from approvals import clock, judging, locks, states
from approvals.errors import DamagedRequestError, NotApprovedError
from approvals.models import Approval, ApprovalRequest
from tenants.database import execute, rows

GIVEN = "WHERE request_id = %(request)s FOR UPDATE"

# Both rows are locked; the clock is read as the statement runs. No row: nothing is used.
USE = """
WITH given AS (
    UPDATE approvals_approval AS approval
       SET state = 'used', used_at = clock_timestamp(), used_by_attempt = %(attempt)s
      FROM approvals_approvalrequest AS request
     WHERE approval.request_id = %(request)s AND request.id = approval.request_id
       AND approval.state = 'unused' AND request.expires_at > clock_timestamp()
    RETURNING approval.request_id, approval.used_at
), told AS (
    UPDATE approvals_approvalrequest SET state = 'used'
      FROM given WHERE approvals_approvalrequest.id = given.request_id
)
SELECT used_at FROM given
"""


def use(action_id: UUID, *, expected_hash: str, attempt_id: UUID) -> Approval:
    """Use the approval of an action for its first attempt, exactly once.

    `expected_hash` comes from a fresh dry run and the *stored* nonce and expiry. Raises
    `NotApprovedError` with the reason code; then nothing may be sent.
    """
    request, approval = _locked(action_id)
    if approval is None or (request.state, approval.state) != (states.APPROVED, states.UNUSED):
        raise NotApprovedError(request.state, action_id)
    _judge(request, expected_hash)
    used = execute(USE, {"request": request.pk, "attempt": attempt_id})
    if not used:  # the clock is judged by the statement itself
        raise NotApprovedError(states.EXPIRED, action_id)
    approval.state, approval.used_by_attempt, approval.used_at = states.USED, attempt_id, used[0][0]
    request.state, approval.request = states.USED, request
    return approval


def use_again(action_id: UUID, *, expected_hash: str, attempt_id: UUID) -> Approval:
    """Let a further attempt of the same action go under the approval its first attempt used.

    The caller has proved every earlier attempt absent or voided (rule 6). Nothing is written
    here: the attempt row of the caller is the record. Raises `NotApprovedError`.
    """
    request, approval = _locked(action_id)
    if approval is None or (request.state, approval.state) != (states.USED, states.USED):
        code = "never_used" if request.state == states.APPROVED else request.state
        raise NotApprovedError(code, action_id)
    if approval.used_by_attempt == attempt_id:
        raise NotApprovedError(states.USED, action_id)
    _judge(request, expected_hash)
    if request.expires_at <= clock.now():
        raise NotApprovedError(states.EXPIRED, request.action_id)
    return approval


def _locked(action_id: UUID) -> tuple[ApprovalRequest, Approval | None]:
    """Lock request, then approval, each before anything about them is judged (rule 4)."""
    request = locks.latest(action_id)
    if request is None:
        raise NotApprovedError("no_request", action_id)
    found = rows(Approval, GIVEN, {"request": request.pk})
    return request, found[0] if found else None


def _judge(request: ApprovalRequest, expected_hash: str) -> None:
    """Under the locks: intact, the same effect, and enough people still stand by it."""
    try:
        judging.bound_of(request)
        enough = judging.is_enough(request)
    except DamagedRequestError as error:
        raise NotApprovedError("damaged", request.action_id) from error
    if expected_hash != request.action_hash:
        raise NotApprovedError("hash_differs", request.action_id)
    if not enough:
        raise NotApprovedError("too_few_approvers", request.action_id)
