"""Sending: the deadline, the last check under all locks, the call, and what is heard of it."""

from reconciliation import states as world
from tests.model import states as at
from tests.model.acts import Steps, accepted, go, idle, kept, settled
from tests.model.states import State, Worker, with_attempt
from tests.model.turns import Model


def arm(model: Model, state: State, me: int) -> Steps:
    last = state.attempts[-1] if state.attempts else None
    again = last is not None and last.outcome == world.ATTEMPT_RESENT
    if again and last is not None and model.rules.remembered_at_dispatch:
        again = model.after_unknown(state, last) != world.ASK_A_PERSON
        if not again:
            yield "arms: the key is too old now", go(state, me, at.TURN)
            return
    early = "early" if state.key == at.GOOD else "late"
    yield "arms its deadline", go(state, me, at.DISPATCH, note=early)


def dispatch(model: Model, state: State, me: int) -> Steps:
    worker = state.workers[me]
    allowed = accepted(model, state, me, worker)
    if allowed is None:
        yield "dispatch: refused, no lease", idle(state, me)
        return
    refused = refusal(model, allowed, worker)
    if refused == at.FOR_STOP:
        yield "dispatch: refused, stopped", go(state, me, at.SUSPEND, note=at.FOR_STOP)
    elif refused:
        yield f"dispatch: refused, {refused}", go(state, me, at.TURN)
    else:
        after = intend(model, allowed, worker)
        number = len(after.attempts)
        yield f"dispatch: intent {number}", go(after, me, at.CALL, attempt=number)


def refusal(model: Model, state: State, worker: Worker) -> str:
    """What is judged under the locks of a dispatch, in its order."""
    rules, further = model.rules, bool(state.attempts)
    if state.stop and rules.stop:
        return at.FOR_STOP
    if state.cancel and rules.cancelled:
        return "cancelled"
    if rules.evidence and (state.stands == world.SETTLED or state.evidence):
        return "settled"
    earlier = {attempt.outcome for attempt in state.attempts}
    if rules.proven and not earlier <= set(world.PROVEN_WITHOUT_EFFECT):
        return "unproven"
    allows = (at.YES, at.USED, at.OVERRULED) if further else (at.YES,)
    return "" if state.question in allows or not rules.approved else "no approval"


def intend(model: Model, state: State, worker: Worker) -> State:
    noticed = _wrongly_intended(state)
    sent = at.Attempt(early=worker.note == "early")
    uses = state.question == at.YES and model.rules.use_up
    return state._replace(
        stands=world.DISPATCHED,
        outcome="",
        attempts=(*state.attempts, sent),
        question=at.USED if uses else state.question,
        spent=min(state.spent + uses, 2),
        broken=state.broken or noticed,
    )


def _wrongly_intended(state: State) -> str:
    """What no intent may follow, whatever a guard let through."""
    if state.stop:
        return "an intent was committed while effects were stopped"
    if state.cancel:
        return "an intent was committed after somebody asked to cancel"
    if state.stands == world.SETTLED or state.evidence:
        return "an intent was committed after evidence"
    if state.question not in (at.YES, at.USED, at.OVERRULED):
        return "an intent was committed without an approval"
    return ""


def call(model: Model, state: State, me: int) -> Steps:
    number = state.workers[me].attempt
    sent = with_attempt(state, number, wire=at.FLYING)
    yield f"sends call {number}", go(sent, me, at.WAIT, attempt=number)


def wait(model: Model, state: State, me: int) -> Steps:
    number = state.workers[me].attempt
    wire = state.attempts[number - 1].wire
    if wire in (at.LANDED, at.REFUSED):
        yield (
            f"hears that call {number} was {wire}",
            go(state, me, at.HEAR, attempt=number, note=wire),
        )
    yield f"hears nothing of call {number}", go(state, me, at.HEAR, attempt=number)


def hear(model: Model, state: State, me: int) -> Steps:
    number, heard = state.workers[me].attempt, state.workers[me].note
    after = go(state, me, at.TURN)
    is_out = state.stands != world.SETTLED and state.attempts[number - 1].outcome == ""
    if heard == at.LANDED:
        yield f"keeps the receipt of call {number}", kept(model, after, me, number)
    elif heard == at.REFUSED and (number == 1 or not model.rules.first_refusal):
        if is_out:
            after = with_attempt(after, number, outcome=world.ATTEMPT_REFUSED)
            after = settled(after, world.REFUSED, at.BY_MACHINE)
        yield f"keeps the refusal of call {number}", after
    else:
        yield f"notes that nobody knows of call {number}", after
