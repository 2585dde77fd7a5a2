"""The verbs that need nothing but the lease: acquire, commit, ask, suspend, hold, finish."""

from reconciliation import states as world
from tests.model import states as at
from tests.model.acts import Steps, accepted, go, idle, outdate
from tests.model.states import State, Worker, with_worker
from tests.model.turns import Model

PROMOTES = "promotions"


def acquire(model: Model, state: State, me: int) -> Steps:
    if state.status == at.QUEUED:
        leased = outdate(state)._replace(status=at.RUNNING, holder=me)
        leased = with_worker(leased, me, Worker(at.TURN, head=state.head))
        yield "acquires the lease", leased
        if PROMOTES in model.extras and not state.promoted:
            yield (
                "acquires a lease that a promoted standby does not know",
                _promoted(state, leased, me),
            )


def _promoted(before: State, leased: State, me: int) -> State:
    """A standby takes over that lacks the newest grant: the fence counter goes back by one."""
    lost = leased.workers[me]._replace(behind=-1)
    return with_worker(before._replace(promoted=True), me, lost)


def commit(model: Model, state: State, me: int) -> Steps:
    worker = state.workers[me]
    allowed = accepted(model, state, me, worker)
    if allowed is None:
        yield f"{worker.at}: refused", idle(state, me)
        return
    after = committed(allowed, worker)
    moved = go(after, me, at.TURN)
    yield (
        f"{worker.at}: checkpoint {after.head}",
        with_worker(moved, me, moved.workers[me]._replace(head=after.head)),
    )
    if not state.broken:
        yield f"{worker.at}: done, but hears nothing and sends the statement again", after


def committed(state: State, worker: Worker) -> State:
    if worker.head != state.head:
        state = state._replace(broken="the head was moved by who stood elsewhere")
    if worker.at == at.PROPOSE:
        state = state._replace(stands=world.PROPOSED)
    if worker.at == at.ABSORB and state.stands != world.SETTLED:
        state = state._replace(broken="an action was absorbed that is not settled")
    return state._replace(head=state.head + 1)


def ask(model: Model, state: State, me: int) -> Steps:
    allowed = accepted(model, state, me, state.workers[me])
    if allowed is None:
        yield "asks: refused", idle(state, me)
    elif state.question in (at.OPEN, at.YES, at.NO):
        yield "asks: it is asked, or answered, already", go(state, me, at.TURN)
    else:
        asked = allowed._replace(question=at.OPEN)
        yield "asks people", go(asked, me, at.SUSPEND, note=at.FOR_APPROVAL)


def suspend(model: Model, state: State, me: int) -> Steps:
    worker = state.workers[me]
    allowed = accepted(model, state, me, worker)
    if allowed is None:
        yield "suspends: refused", idle(state, me)
        return
    woken = worker.woken and model.rules.wakes
    released = allowed._replace(status=at.QUEUED if woken else worker.note, holder=None)
    yield f"suspends: {released.status}", idle(released, me)


def hold(model: Model, state: State, me: int) -> Steps:
    allowed = accepted(model, state, me, state.workers[me])
    if allowed is None:
        yield "holds: refused", idle(state, me)
        return
    held = allowed._replace(status=at.HELD, holder=None, case=at.UNKNOWN)
    yield "puts the run on hold: a case", idle(held, me)


def finish(model: Model, state: State, me: int) -> Steps:
    worker = state.workers[me]
    allowed = accepted(model, state, me, worker)
    if allowed is None:
        yield "finishes: refused", idle(state, me)
        return
    ended = allowed._replace(status=worker.note or at.DONE, holder=None)
    yield f"finishes: {ended.status}", idle(ended, me)


def nothing(model: Model, state: State, me: int) -> Steps:
    yield from ()
