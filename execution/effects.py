"""Action nodes: propose, ask, send, find out, absorb. Each turn of the loop does one of these."""

from datetime import timedelta

from approvals import clock, judging, requests
from approvals import states as permission
from approvals.drift import comparing, terms
from approvals.errors import AlreadyDecidedError
from approvals.models import ApprovalRequest
from approvals.requests import Question
from canonical import json as canonical
from checkpoints import states
from checkpoints.errors import LeaseLostError, StoppedError
from checkpoints.graph import (
    END,
    EXPIRED,
    HAPPENED,
    REFUSED,
    REJECTED,
    SENT_BACK,
    WRITTEN_OFF,
    Result,
)
from checkpoints.models import Run, Verdict
from execution import seeing, shadowing
from execution.context import NodeContext, visible
from execution.errors import Hold, Suspend, TryLater
from execution.forks import reusing
from execution.forks.reusing import Taking
from execution.nodes import checked_step, guarded
from execution.proposing import propose
from execution.work import WORKER, Work
from reconciliation import (
    actions,
    demands,
    ledger,
    outcomes,
    sensitive,
    verdicts,
    wire,
)
from reconciliation import states as world
from reconciliation.calls import capabilities
from reconciliation.demands import Demand
from reconciliation.errors import JournalError, NotDispatchedError
from reconciliation.models import Action
from reconciliation.outcomes import Later, NeedsPerson
from tenants.keys import hiding

DECLINED = {
    permission.REJECTED: world.REJECTED,
    permission.SENT_BACK: world.SENT_BACK,
    permission.EXPIRED: world.EXPIRED,
}
RESULT_OF = {
    world.REJECTED: REJECTED,
    world.SENT_BACK: SENT_BACK,
    world.EXPIRED: EXPIRED,
}


def run_action(work: Work) -> None:
    """Do the next thing an action node needs, from what the ledger says about it."""
    action = ledger.open_action(work.run.id)
    if action is None:
        elsewhere = propose(work)
        if elsewhere is not None:
            taken, context = elsewhere
            absorb(work, taken, context, reusing.of_another(taken))
    elif shadowing.is_shadow(work.run):
        lent = shadowing.try_out(work, action)
        absorb(work, lent, work.context(), shadowing.borrowing(action, lent))
    elif action.stands == world.SETTLED:
        absorb(work, action, work.context(), reusing.of_this_run(action))
    elif action.attempts.filter(outcome="").exists():
        reconcile(action, fence=work.lease.fence)
    else:
        seek_permission(work, action)


def reconcile(action: Action, *, fence: int, void: bool = False) -> None:
    """Find out what an attempt did; the run waits or is held when that takes others."""
    finding = outcomes.reconcile(action, fence=fence, void=void)
    if isinstance(finding, Later):
        raise Suspend(finding.reason, finding.sentence, finding.at)
    if isinstance(finding, NeedsPerson):
        raise Hold(finding.trouble)


def seek_permission(work: Work, action: Action) -> None:
    """Ask, wait, hear a no, or send: as the newest request of the action says."""
    newest = requests.latest(action.id)
    if newest is not None and newest.state in DECLINED:
        hear_no(work, action, newest)
        return
    if newest is not None and newest.state == permission.OPEN:
        if newest.expires_at > clock.now():
            raise _wait_for(newest)
        requests.expire_due(100)
        return
    asked = seeing.question(work, action)
    if newest is not None and _may_send(action, newest, asked):
        send(work, demands.of(action, diff=asked.diff, media=asked.media), newest.action_hash)
    else:
        ask(work, asked)


def hear_no(work: Work, action: Action, request: ApprovalRequest) -> None:
    """Settle what people do not want. An attempt that may still be out is made void, or found
    out about, first: *did not happen* has to be true (rule 1)."""
    if action.attempts.exists():
        reconcile(action, fence=work.lease.fence, void=True)
    because, note = DECLINED[request.state], request.closed_because
    ledger.settle(
        work.run.id, action.id, world.DID_NOT_HAPPEN, because=because, note=hiding.text(note)
    )


def ask(work: Work, asked: Question) -> None:
    """Put the question and wait for people."""
    try:
        request = requests.ask(asked, actor=WORKER, lease=work.lease)
    except AlreadyDecidedError:
        return  # decided between reading and asking: the next turn hears it
    if request.state == permission.OPEN:
        raise _wait_for(request)


def send(work: Work, demand: Demand, action_hash: str) -> None:
    """Send what was approved; what the last check refuses is not sent, and says why."""
    try:
        after = actions.send(work.lease, demand, action_hash, work.self_stop)
    except StoppedError as stop:
        raise Suspend(states.FOR_STOP, str(stop), None) from stop
    except JournalError as error:
        raise TryLater(str(error), 5.0, counts=False) from error
    except NotDispatchedError as refusal:
        _not_sent(work, demand.action, action_hash, refusal)
        return
    if after.stands != world.SETTLED:
        reconcile(after, fence=work.lease.fence)


def _not_sent(work: Work, action: Action, action_hash: str, refusal: NotDispatchedError) -> None:
    if refusal.code == "lease_lost":
        raise LeaseLostError(f"run {work.run.id}: nothing was sent, another worker owns it")
    if refusal.code == "cancelled":
        work.called_away = True
    elif refusal.code == "expired":
        requests.expire_due(100)
    elif refusal.code == "key_too_old":
        reconcile(action, fence=work.lease.fence)
    elif refusal.code == "door_closed":
        seeing.wait_at_door(action)
    elif refusal.code == "above_rung":
        seeing.wait_for_rung(action)
    elif refusal.code in ("hash_differs", "too_few_approvers", "damaged"):
        moved = comparing.at_dispatch(action.id, action_hash)
        reason = _why_not(refusal.code, terms.named(moved))
        requests.withdraw(action.id, actor=WORKER, reason=hiding.text(reason), moved=moved)


def absorb(work: Work, action: Action, context: NodeContext, taking: Taking) -> None:
    """Let the node take in what became of its action, and commit that."""
    node = work.node
    result, receipt_digest = _result(action)
    more = {
        "actions": (ledger.mark(action, taking.says, receipt_digest),),
        "proposes": taking.proposes,
    }
    if result.kind not in node.handles:
        stop = work.step(context, visible(work.loaded.state), END, stop=result.kind, **more)
        work.commit(stop, through=taking.through)
        return
    to = guarded(work, node, lambda: node.absorb(visible(work.loaded.state), result, context))  # type: ignore[misc]
    work.commit(checked_step(work, node, context, to, **more), through=taking.through)


def cancel(run: Run, action: Action | None, *, fence: int) -> None:
    """Bring the open action of a run that is to end to a definite outcome first.

    Never sent: withdrawn. Sent and unknown: voided where the tool can, else found out.
    """
    if action is None or action.stands == world.SETTLED:
        return
    if action.attempts.exists():
        reconcile(action, fence=fence, void=True)
    requests.withdraw(action.id, actor=WORKER, reason="The run was cancelled.")
    ledger.settle(
        run.id, action.id, world.DID_NOT_HAPPEN, because=world.WITHDRAWN, note="cancelled"
    )


def _may_send(action: Action, newest: ApprovalRequest, asked: Question) -> bool:
    if newest.state not in (permission.APPROVED, permission.USED):
        return False
    # Of a tool that can do nothing of the table, each attempt needs a yes of its own, and a
    # person's verdict never sends anything by itself (rule 6).
    if newest.state == permission.USED and (_decided_since(newest) or not _can_be_asked(action)):
        return False
    # A window's sum, or the class of the tool, may demand more now than what people were asked for.
    if not judging.covers(newest, asked.requirement):
        return False
    return actions.expected_hash(asked, newest) == newest.action_hash and (
        newest.state == permission.APPROVED or newest.expires_at > clock.now()
    )


def _decided_since(request: ApprovalRequest) -> bool:
    """Whether a person decided to send it again after the question of this yes was put."""
    again = Verdict.objects.filter(
        case__action_id=request.action_id,
        verdict=verdicts.SEND_AGAIN,
        given_at__gt=request.asked_at,
    )
    return again.exists()


def _can_be_asked(action: Action) -> bool:
    try:
        able = capabilities(action)
    except Exception as error:
        said = f"It cannot be told what {action.target} can do ({error}). Tried again by itself."
        raise TryLater(said, 2.0) from error
    return able.void or able.look_up or able.keyed is not None


def _result(action: Action) -> tuple[Result, str]:
    known = ledger.receipt_heard(action) if action.outcome == world.HAPPENED else None
    if known is not None:
        trouble = wire.mismatch(action, known)
        if trouble is not None:
            raise Hold(trouble)
        try:
            receipt = sensitive.heard(action, bytes(known.content))
        except canonical.CanonicalError:
            receipt = None  # a person's evidence is free text; the node hears only that it happened
        digest = bytes(known.digest).hex()
        return Result(HAPPENED, str(action.id), receipt, action.note), digest
    because, note = _no_of(action)
    kind = {
        world.HAPPENED: HAPPENED,
        world.REFUSED: REFUSED,
        world.WRITTEN_OFF: WRITTEN_OFF,
    }.get(action.outcome) or RESULT_OF.get(because, REJECTED)
    return Result(kind, str(action.id), None, note), ""


def _no_of(action: Action) -> tuple[str, str]:
    """Why it did not happen, and what was said: what was voided, was voided because of a no."""
    newest = requests.latest(action.id) if action.because == world.VOIDED else None
    if newest is None or newest.state not in DECLINED:
        return action.because, action.note
    return DECLINED[newest.state], newest.closed_because


def _wait_for(request: ApprovalRequest) -> Suspend:
    sentence = f"Waits for a yes: {request.describe}"
    return Suspend(states.FOR_APPROVAL, sentence, request.expires_at + timedelta(seconds=1))


def _why_not(code: str, what: str) -> str:
    said = {
        "hash_differs": "What would change is not what was approved any more",
        "too_few_approvers": "Somebody who approved may not approve any more",
        "damaged": "The stored request does not match its hash",
    }[code]
    return f"{said}: {what}." if what else f"{said}."
