"""The one door to the outside world: an approved effect is sent here and nowhere else."""

import logging

from approvals import hashing
from approvals import states as permission
from approvals.models import ApprovalRequest
from approvals.requests import Question
from canonical import digests
from checkpoints import traces
from checkpoints.boundaries import boundary
from checkpoints.commits import Lease
from checkpoints.states import LIVE_MODE
from checkpoints.timers import SelfStop, boot_seconds
from reconciliation import journal, ledger, outcomes, patience, sensitive, spool, states
from reconciliation.calls import call_for, tool_of
from reconciliation.demands import Demand
from reconciliation.errors import ForbiddenEffectError, JournalError, NotDispatchedError
from reconciliation.ledger import Answer
from reconciliation.models import Action, Attempt
from reconciliation.sensitive import Unknown
from reconciliation.tools import Refused, Sent, Tool
from tenants.keys import hiding

log = logging.getLogger(__name__)

DEADLINE = "effect deadline"


def send(lease: Lease, demand: Demand, action_hash: str, self_stop: SelfStop) -> Action:
    """Send an approved action once and keep what came back; returns it as the ledger has it.

    `action_hash` is that of a dry run made just now (`expected_hash`), and `demand` of the same. Raises `NotDispatchedError` or `StoppedError` when the
    last check fails (nothing was sent), `JournalError` when the journal cannot be written
    (nothing was sent), `ForbiddenEffectError` of a shadow's. Any answer but the tool's own leaves the outcome *unknown*.
    """
    action = demand.action
    if action.mode != LIVE_MODE:
        raise ForbiddenEffectError(f"action {action.id} is of a shadow: nothing of it is sent")
    tool = tool_of(action)
    sensitive.make_ready(action)
    # The deadline counts from before the intent: a worker that is stopped between the last check
    # and the call is killed by the kernel before it can send late (rule 8).
    deadline = boot_seconds() + tool.budget_seconds
    self_stop.limit(DEADLINE, deadline)
    try:
        if action.stands == states.DISPATCHED and outcomes.is_key_too_old(action):
            raise NotDispatchedError("key_too_old", action.id)
        attempt = ledger.dispatch(
            lease,
            demand,
            expected_hash=action_hash,
            limits=(tool.budget_seconds, tool.margin_seconds),
        )
        _journal(action, attempt)
        with traces.port.attempt(action.id, action.tool, attempt.number) as span:
            answer = _perform(tool, action, attempt, deadline)
            span.say("kedge.answer", hiding.text(type(answer).__name__.lower()))
    finally:
        self_stop.lift(DEADLINE)
    return _keep(lease, action, attempt, answer)


def expected_hash(asked: Question, request: ApprovalRequest | None) -> str:
    """The action hash of what a fresh dry run shows, with the stored nonce and expiry."""
    if request is None or request.state not in (permission.APPROVED, permission.USED):
        return ""
    sealed = asked.bound.sealed(nonce=request.nonce, expires_at=request.expires_at)
    return hashing.action_hash(sealed)


def _journal(action: Action, attempt: Attempt) -> None:
    try:
        journal.write(action, attempt)
    except JournalError:
        # This process opened the attempt and has not called: it alone may say so (rule 14).
        ledger.end_attempt(attempt, states.ATTEMPT_NOT_CALLED)
        raise


def _perform(
    tool: Tool, action: Action, attempt: Attempt, deadline: float
) -> Sent | Refused | Unknown:
    boundary("effect:before")
    try:
        call = call_for(action, attempt, seconds_left=deadline - boot_seconds())
        answer: Sent | Refused | Unknown = tool.perform(call)
    except Refused as refusal:
        answer = refusal
    except Exception as error:  # whatever a tool raises but Refused is not an answer (rule 10)
        log.warning("no answer that counts: %s: %s", type(error).__name__, error)
        said = f"{type(error).__name__}: {error}"
        answer = Unknown(said, patience.asked_for(error))
    boundary("effect:after")
    return answer


def _keep(
    lease: Lease, action: Action, attempt: Attempt, answer: Sent | Refused | Unknown
) -> Action:
    answer = sensitive.kept(action, answer)
    if isinstance(answer, Sent):
        happened = Answer("answer", answer.receipt, states.HAPPENED, answer.wire_digest)
        kept = spool.record_or_spool(attempt, happened, fence=lease.fence)
        if answer.wire_digest != digests.sha256_hex(bytes(action.parameters)):
            outcomes.note_wire_mismatch(kept, answer.wire_digest)
        return kept
    if isinstance(answer, Refused) and attempt.number == 1:
        said = hiding.text(str(answer))
        refused = Answer("refusal", said.content, states.REFUSED, note=said)
        return spool.record_or_spool(attempt, refused, fence=lease.fence)
    if isinstance(answer, Refused):
        # Of a later attempt it may be the success of an earlier one: look it up (rule 2).
        answer = Unknown(str(answer))
    outcomes.note_unknown(attempt, answer)
    action.refresh_from_db()
    return action
