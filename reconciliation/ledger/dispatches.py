"""Dispatch: the intent to send, committed as the last check under all locks."""

from typing import Any
from uuid import uuid4

from django.db import IntegrityError, transaction

from approvals import judging, uses
from approvals.errors import NotApprovedError
from approvals.rules import Deny, Requirement
from approvals.uses import Use, Wanted
from canonical.redaction import ours
from checkpoints import rungs, states, stops
from checkpoints.boundaries import boundary
from checkpoints.commits import Lease
from checkpoints.scopes import Under
from reconciliation import states as outcomes
from reconciliation.demands import Demand
from reconciliation.doors import reading as doors
from reconciliation.errors import NotDispatchedError
from reconciliation.ledger.reads import WORKER
from reconciliation.models import Action, Attempt
from tenants import audit
from tenants.database import Rows, together
from tenants.keys import hiding

# Each by primary key, each a statement of its own: what is judged is read after the lock (rule 4).
LOCK_RUN = """
SELECT status, fence, holder, head, task_type, combo_id, cancel_requested_at FROM checkpoints_run
 WHERE id = %(run)s FOR UPDATE
"""
LOCK_ACTION = f"""
SELECT run_id, tool, stands, evidence_at, {doors.KEPT_OUT}
  FROM reconciliation_action AS action WHERE id = %(action)s FOR UPDATE
"""  # noqa: S608 - words of ours
EARLIER = "SELECT outcome FROM reconciliation_attempt WHERE action_id = %(action)s"

RAN_OUT = "the lease has run out"

# All rows are locked by now; the clock is read as the statement runs. Raises instead of doing
# nothing, so that the transaction may be committed in the same round trip.
INTEND = f"""
WITH flying AS (
    UPDATE checkpoints_run SET effect_in_flight = %(action)s, attempts = 0
     WHERE id = %(run)s AND fence = %(fence)s AND holder = %(holder)s AND head = %(head)s
       AND status = 'running' AND lease_until > clock_timestamp() AND cancel_requested_at IS NULL
    RETURNING id
), intended AS (
    UPDATE reconciliation_action AS action SET stands = 'dispatched', outcome = ''
      FROM flying
     WHERE action.id = %(action)s AND action.run_id = flying.id
       AND action.stands <> 'settled' AND action.evidence_at IS NULL
    RETURNING action.id, action.mode
), told AS ({audit.RIDE} FROM intended), sent AS (
    INSERT INTO reconciliation_attempt
        (id, action_id, mode, number, approval_id, action_hash, fence, holder, dispatched_at,
         deadline_at, margin_seconds, outcome)
    SELECT %(attempt)s, intended.id, intended.mode, %(number)s, %(approval)s, %(hash)s, %(fence)s,
           %(holder)s, clock_timestamp(), clock_timestamp() + make_interval(secs => %(budget)s),
           %(margin)s, ''
      FROM intended
    RETURNING mode, dispatched_at, deadline_at
)
SELECT kedge_must((SELECT count(*) FROM sent) = 1, %(ran_out)s), (SELECT mode FROM sent),
       (SELECT dispatched_at FROM sent), (SELECT deadline_at FROM sent)
"""  # noqa: S608 - words of ours


def dispatch(
    lease: Lease, demand: Demand, *, expected_hash: str, limits: tuple[int, int]
) -> Attempt:
    """Commit the intent to send: the last check, under all locks. `limits`: budget and margin, s.

    `expected_hash` and `demand` come from a dry run made just now. Uses the approval up (or, for a
    further attempt, shows it again). Raises `NotDispatchedError` or `StoppedError`; then there is
    no attempt and nothing may be sent.
    """
    action = demand.action
    attempt = Attempt(
        id=uuid4(),
        action=action,
        action_hash=expected_hash,
        fence=lease.fence,
        holder=lease.holder,
        margin_seconds=limits[1],
    )
    boundary("dispatch:before")
    try:
        with transaction.atomic(durable=True), uses.refused_when_late(action.id):
            use = _permitted(lease, demand, attempt)
            _intend(lease, attempt, use, budget=limits[0])
    except NotApprovedError as error:
        raise NotDispatchedError(error.code, action.id) from error
    boundary("dispatch:after")
    return attempt


def _permitted(lease: Lease, demand: Demand, attempt: Attempt) -> Use:
    """Take every lock in the one order, read what is judged under them, and judge it."""
    action = demand.action
    of_action = {"action": action.id}
    # What a stop may be for never changes, so it is known before the locks; see `_refuse_unless_ours`.
    under = Under(lease.tenant_id, action.run.task_type, lease.combo_id, (action.tool,))
    statements = [
        *stops.keeping_out("effects", under),
        *rungs.keeping_still(lease.tenant_id, lease.combo_id, action.tool),
        (LOCK_RUN, {"run": lease.run_id}),
        (LOCK_ACTION, of_action),
        (EARLIER, of_action),
        *uses.locking(action.id, lease.tenant_id),
        *demand.looking(),
    ]
    locked, in_force, still, rung, run, itself, earlier, request, approval, said_yes, *looks = (
        together(statements)
    )
    stops.refuse("effects", locked, in_force)
    if not rungs.may_write(still, rung):
        raise NotDispatchedError("above_rung", action.id)
    _refuse_unless_ours(lease, action, run, itself)
    if any(outcome not in outcomes.PROVEN_WITHOUT_EFFECT for (outcome,) in earlier):
        raise NotDispatchedError("unproven", action.id)
    attempt.number = len(earlier) + 1
    wanted = Wanted(attempt.id, action.id, attempt.action_hash, is_further=bool(earlier))
    use = uses.judge([request, approval, said_yes], wanted)
    _refuse_if_more_is_demanded(use, demand.now(looks))
    return use


def _refuse_unless_ours(lease: Lease, action: Action, run: Rows, itself: Rows) -> None:
    """The run and its action, locked, are what this lease was given and what stops were kept from."""
    if not run or not itself:
        raise NotDispatchedError("lease_lost", action.id)
    status, fence, holder, head, task_type, combo_id, cancelled = run[0]
    run_id, tool, stands, evidence_at, is_kept_out = itself[0]
    given = (states.RUNNING, lease.fence, lease.holder, lease.head, lease.run_id)
    kept = (action.run.task_type, lease.combo_id, action.tool)
    if (status, fence, holder, head, run_id) != given or (task_type, combo_id, tool) != kept:
        raise NotDispatchedError("lease_lost", action.id)
    if cancelled is not None:
        raise NotDispatchedError("cancelled", action.id)
    if stands == outcomes.SETTLED or evidence_at is not None:
        raise NotDispatchedError("settled", action.id)
    if is_kept_out:
        raise NotDispatchedError("door_closed", action.id)


def _refuse_if_more_is_demanded(use: Use, demanded: Requirement | Deny) -> None:
    """A class or a sum over time may have moved since people were asked."""
    if isinstance(demanded, Deny) or not judging.covers(use.request, demanded):
        raise NotDispatchedError("more_demanded", use.request.action_id)


def _intend(lease: Lease, attempt: Attempt, use: Use, *, budget: int) -> None:
    attempt.approval_id = use.request.pk
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
        "ran_out": RAN_OUT,
    }
    try:
        _, sent = together([use.statement(), (INTEND, values | _told(attempt))], last=True)
    except IntegrityError as error:
        if RAN_OUT not in str(error):
            raise
        raise NotDispatchedError("lease_lost", attempt.action_id) from error
    _, attempt.mode, attempt.dispatched_at, attempt.deadline_at = sent[0]


def _told(attempt: Attempt) -> dict[str, Any]:
    """The row of the audit trail that goes with the intent."""
    return audit.told_of(
        attempt.action.tenant_id,
        WORKER,
        "intends",
        ours("action %(id)s", id=attempt.action_id),
        attempt=attempt.id,
        number=attempt.number,
        tool=hiding.text(attempt.action.tool),
        target=hiding.text(attempt.action.target),
        hash=hiding.text(attempt.action_hash),
    )
