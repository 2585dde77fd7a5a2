"""Dispatch: the intent to send, committed as the last check under all locks."""

from uuid import UUID, uuid4

from django.db import transaction

from approvals import states as permission
from approvals import uses
from approvals.errors import NotApprovedError
from approvals.models import Approval
from canonical.redaction import ours
from checkpoints import states, stops
from checkpoints.boundaries import boundary
from checkpoints.commits import Lease
from checkpoints.scopes import Under
from reconciliation import states as outcomes
from reconciliation.errors import NotDispatchedError
from reconciliation.ledger.reads import WORKER
from reconciliation.models import Attempt
from tenants import audit
from tenants.database import execute
from tenants.keys import hiding
from tenants.models import Tenant

# What a stop may be for never changes under a lease, so it is read before the locks.
FALLS_UNDER = """
SELECT run.task_type, run.combo_id, action.tool
  FROM checkpoints_run AS run JOIN reconciliation_action AS action ON action.run_id = run.id
 WHERE run.id = %(run)s AND action.id = %(action)s
"""
# Each by primary key, each a statement of its own: what is judged is read after the lock (rule 4).
LOCK_RUN = """
SELECT status, fence, holder, head, cancel_requested_at FROM checkpoints_run
 WHERE id = %(run)s FOR UPDATE
"""
LOCK_ACTION = """
SELECT run_id, stands, evidence_at, tool, target FROM reconciliation_action
 WHERE id = %(action)s FOR UPDATE
"""
EARLIER = "SELECT outcome FROM reconciliation_attempt WHERE action_id = %(action)s"

# All rows are locked by now; the clock is read as the statement runs. No row: nothing is changed,
# and the caller's transaction rolls back.
INTEND = """
WITH flying AS (
    UPDATE checkpoints_run SET effect_in_flight = %(action)s, attempts = 0
     WHERE id = %(run)s AND fence = %(fence)s AND holder = %(holder)s AND head = %(head)s
       AND status = 'running' AND lease_until > clock_timestamp() AND cancel_requested_at IS NULL
    RETURNING id
), sent AS (
    UPDATE reconciliation_action AS action SET stands = 'dispatched', outcome = ''
      FROM flying
     WHERE action.id = %(action)s AND action.run_id = flying.id
       AND action.stands <> 'settled' AND action.evidence_at IS NULL
    RETURNING action.id, action.mode
)
INSERT INTO reconciliation_attempt
    (id, action_id, mode, number, approval_id, action_hash, fence, holder, dispatched_at,
     deadline_at, margin_seconds, outcome)
SELECT %(attempt)s, sent.id, sent.mode, %(number)s, %(approval)s, %(hash)s, %(fence)s, %(holder)s,
       clock_timestamp(), clock_timestamp() + make_interval(secs => %(budget)s), %(margin)s, ''
  FROM sent
RETURNING mode, dispatched_at, deadline_at
"""


def dispatch(
    lease: Lease, action_id: UUID, *, expected_hash: str, limits: tuple[int, int]
) -> Attempt:
    """Commit the intent to send: the last check, under all locks. `limits`: budget and margin, s.

    Uses the approval up (or, for a further attempt, shows it again). Raises `NotDispatchedError`
    or `StoppedError`; then there is no attempt and nothing may be sent.
    """
    attempt = Attempt(
        id=uuid4(),
        action_id=action_id,
        action_hash=expected_hash,
        fence=lease.fence,
        holder=lease.holder,
        margin_seconds=limits[1],
    )
    boundary("dispatch:before")
    with transaction.atomic(durable=True):
        stops.refuse_if_stopped("effects", _under(lease, action_id))
        tool, target = _judged(lease, action_id)
        earlier = [row[0] for row in execute(EARLIER, {"action": action_id})]
        if any(outcome not in outcomes.PROVEN_WITHOUT_EFFECT for outcome in earlier):
            raise NotDispatchedError("unproven", action_id)
        attempt.number = len(earlier) + 1
        attempt.approval = _permitted(attempt)
        _intend(lease, attempt, budget=limits[0])
        audit.record(
            Tenant(pk=lease.tenant_id),
            WORKER,
            "intends",
            ours("action %(id)s", id=action_id),
            attempt=attempt.id,
            number=attempt.number,
            tool=hiding.text(tool),
            target=hiding.text(target),
            hash=hiding.text(expected_hash),
        )
    boundary("dispatch:after")
    return attempt


def _under(lease: Lease, action_id: UUID) -> Under:
    rows = execute(FALLS_UNDER, {"run": lease.run_id, "action": action_id})
    if not rows:
        raise NotDispatchedError("lease_lost", action_id)
    task_type, combo_id, tool = rows[0]
    return Under(lease.tenant_id, task_type, combo_id, (tool,))


def _judged(lease: Lease, action_id: UUID) -> tuple[str, str]:
    """Lock run and action and judge both; returns tool and target."""
    status, fence, holder, head, cancelled = execute(LOCK_RUN, {"run": lease.run_id})[0]
    run_id, stands, evidence_at, tool, target = execute(LOCK_ACTION, {"action": action_id})[0]
    shown = (states.RUNNING, lease.fence, lease.holder, lease.head, lease.run_id)
    if (status, fence, holder, head, run_id) != shown:
        raise NotDispatchedError("lease_lost", action_id)
    if cancelled is not None:
        raise NotDispatchedError("cancelled", action_id)
    if stands == outcomes.SETTLED or evidence_at is not None:
        raise NotDispatchedError("settled", action_id)
    return tool, target


def _permitted(attempt: Attempt) -> Approval:
    """The approval this attempt may go under, used up by the first (rule 6)."""
    try:
        try:
            return uses.use(
                attempt.action_id, expected_hash=attempt.action_hash, attempt_id=attempt.id
            )
        except NotApprovedError as error:
            if error.code != permission.USED:
                raise
            return uses.use_again(
                attempt.action_id, expected_hash=attempt.action_hash, attempt_id=attempt.id
            )
    except NotApprovedError as error:
        raise NotDispatchedError(error.code, attempt.action_id) from error


def _intend(lease: Lease, attempt: Attempt, *, budget: int) -> None:
    values = {
        "run": lease.run_id,
        "head": lease.head,
        "action": attempt.action_id,
        "attempt": attempt.id,
        "number": attempt.number,
        "approval": attempt.approval_id,
        "hash": attempt.action_hash,
        "fence": attempt.fence,
        "holder": attempt.holder,
        "budget": budget,
        "margin": attempt.margin_seconds,
    }
    rows = execute(INTEND, values)
    if not rows:  # the lease ran out while the locks were taken
        raise NotDispatchedError("lease_lost", attempt.action_id)
    attempt.mode, attempt.dispatched_at, attempt.deadline_at = rows[0]
