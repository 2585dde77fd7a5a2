"""What verbs are made of: where a worker goes on, the guard of a lease, receipts, settling."""

from collections.abc import Iterator
from typing import Final

from reconciliation import states as world
from tests.model import states as at
from tests.model.states import State, Worker, with_attempt, with_worker
from tests.model.turns import Model

Steps = Iterator[tuple[str, State]]
COMMITS: Final = (at.COMMIT, at.PROPOSE, at.ABSORB)


def go(state: State, me: int, to: str, *, attempt: int = 0, note: str = "") -> State:
    worker = state.workers[me]
    return with_worker(state, me, worker._replace(at=to, attempt=attempt, note=note))


def idle(state: State, me: int) -> State:
    return with_worker(state, me, Worker())


def accepted(model: Model, state: State, me: int, worker: Worker) -> State | None:
    """The guard of every write that needs the lease. None: refused. Notices what it let through."""
    shown = state.status == at.RUNNING
    shown = shown and (worker.behind == 0 or not model.rules.fence)
    shown = shown and (state.holder == me or not model.rules.holder)
    if worker.at in (*COMMITS, at.DISPATCH) and model.rules.head:
        shown = shown and worker.head == state.head
    if not shown:
        return None
    if worker.behind != 0 or state.holder != me:
        return state._replace(broken="a stale write was accepted")
    return state


def kept(model: Model, state: State, me: int, number: int) -> State:
    """A receipt needs no lease: it is a fact whoever brings it."""
    was_settled, outcome = state.stands == world.SETTLED, state.outcome
    state = state._replace(evidence=True)
    if state.holder != me or state.workers[me].behind:
        state = wake(state)
    if was_settled:
        against = outcome != world.HAPPENED and model.rules.late_evidence
        return hold_now(state, at.CONTRADICTED) if against else state
    if len(state.attempts) > number:
        state = hold_now(state, at.DUPLICATE)
    for each, attempt in enumerate(state.attempts, 1):
        if attempt.outcome == "":
            state = with_attempt(state, each, outcome=world.ATTEMPT_HAPPENED)
    return settled(state, world.HAPPENED, at.BY_MACHINE)


def settled(state: State, outcome: str, by: str) -> State:
    return state._replace(stands=world.SETTLED, outcome=outcome, by=by)


def ended(state: State, number: int, outcome: str) -> State:
    if state.evidence or state.attempts[number - 1].outcome:
        return state
    return with_attempt(state, number, outcome=outcome)


def not_happened(state: State, ended: str) -> State:
    if state.stands == world.SETTLED or state.evidence:
        return state
    for number, attempt in enumerate(state.attempts, 1):
        if attempt.outcome == "":
            state = with_attempt(state, number, outcome=ended)
    return settled(state, world.DID_NOT_HAPPEN, at.BY_MACHINE)


def hold_now(state: State, case: str) -> State:
    """Late evidence: the fence grows, and a case is open, also of a run that has ended."""
    kept = state._replace(case=state.case or case)
    if state.status in at.FINAL or state.status == at.HELD:
        return kept
    return outdate(kept)._replace(status=at.HELD, holder=None)


def wake(state: State) -> State:
    """A waiting run is queued; who holds it will see that `wakes` has grown."""
    if state.status.startswith("waiting"):
        return state._replace(status=at.QUEUED)
    if state.holder is None:
        return state
    return with_worker(state, state.holder, state.workers[state.holder]._replace(woken=True))


def outdate(state: State) -> State:
    """The fence grew: every lease there is lies one grant further behind."""
    oldest = at.OLDEST if state.promoted else at.STALE
    first, second = (_older(worker, oldest) for worker in state.workers)
    late = state.late and state.late._replace(worker=_older(state.late.worker, oldest))
    return state._replace(workers=(first, second), late=late)


def _older(worker: Worker, oldest: int) -> Worker:
    if worker.at == at.IDLE:
        return worker
    return worker._replace(behind=min(worker.behind + 1, oldest))
