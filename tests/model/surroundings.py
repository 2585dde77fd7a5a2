"""Everything that workers do not do: people, time, the sweeper, kills and other faults."""

from typing import Final

from reconciliation import states as world
from tests.model import states as at
from tests.model.acts import COMMITS, Steps, wake
from tests.model.committing import PROMOTES
from tests.model.states import State, Statement, Worker, with_attempt, with_worker
from tests.model.tools import arrivals
from tests.model.turns import Model

CANCELS, STOPS = "cancels", "stops"
JUMPS, CUTS = "clock jumps", "cut connections"
EXTRAS: Final = (CANCELS, STOPS, JUMPS, PROMOTES, CUTS)
CALLING: Final = (at.CALL, at.WAIT)


def people(model: Model, state: State) -> Steps:
    """Who answers, and who decides cases. Of what can be known they say the truth."""
    if state.question == at.OPEN:
        yield "a person says yes", wake(state._replace(question=at.YES))
    if state.question in (at.OPEN, at.YES):
        yield "the question ends with a no", wake(state._replace(question=at.NO))
    if state.case == at.UNKNOWN:
        yield from _verdicts(model, state)
    elif state.case:
        yield (
            "a person looks at the late evidence",
            _let_go(state._replace(outcome=world.HAPPENED, by=at.BY_MACHINE)),
        )
    if state.stop:
        yield "people lift the stop", state._replace(stop=False)


def whims(model: Model, state: State) -> Steps:
    """What people may do, and need not for a run to end."""
    if CANCELS in model.extras and not state.cancel and state.status not in at.FINAL:
        yield "a person asks to cancel", wake(state._replace(cancel=True))
    if STOPS in model.extras and not state.stop:
        yield "a person stops effects", state._replace(stop=True)


def clocks(model: Model, state: State) -> Steps:
    """Time passes: deadlines, margins, the life of a key, and what was waited for."""
    oldest = at.OVER  # earlier calls have earlier deadlines
    for number, attempt in enumerate(state.attempts, 1):
        if attempt.age == at.YOUNG and oldest > at.YOUNG:
            killed = _ended_by_timer(state, number) if model.rules.deadline else state
            # Who can void claims nothing about margins: they may be as short as they like.
            age = at.OVER if model.tool.can.void else at.LATE
            yield f"the deadline of call {number} passes", with_attempt(killed, number, age=age)
        elif attempt.age == at.LATE and oldest == at.OVER and attempt.wire not in at.ON_ITS_WAY:
            yield f"the margin of call {number} passes", with_attempt(state, number, age=at.OVER)
        oldest = attempt.age
    if model.tool.can.keyed is not None and state.stands == world.DISPATCHED:
        yield from _key_ages(model, state)
    yield from _waits(state)


def world_moves(model: Model, state: State) -> Steps:
    """Calls arrive, or not, whoever sent them and is dead."""
    return arrivals(model.tool, state)


def sweeper(model: Model, state: State) -> Steps:
    """A lease is given away: it ran out, or its holder looks dead. Its holder may well live."""
    if state.status == at.RUNNING or (state.status in at.FINAL and not model.rules.ended):
        yield "the lease is given away", state._replace(status=at.QUEUED, holder=None)


def faults(model: Model, state: State) -> Steps:
    """Kills, anywhere; and those of the others that are switched on."""
    for me, worker in enumerate(state.workers):
        if worker.at == at.IDLE:
            continue
        yield f"{'AB'[me]} is killed", with_worker(state, me, Worker())
        is_sent = worker.at in (*COMMITS, at.DISPATCH)
        if CUTS in model.extras and is_sent and not state.cut:
            late = Statement(me, worker)
            yield (
                f"{'AB'[me]} is cut off in mid “{worker.at}”",
                with_worker(state._replace(late=late, cut=True), me, Worker()),
            )
    if JUMPS in model.extras and not state.jumped:
        yield "the database's clock jumps ahead", state._replace(jumped=True)


def _verdicts(model: Model, state: State) -> Steps:
    """Nothing is sent by any of these: what is to be sent again is asked about anew."""
    number = state.open_attempt
    if number is None or state.stands == world.SETTLED:
        yield "a person lets it go on: it is known by now", _let_go(state)
        return
    knows = model.tool.asks
    if state.effects or not knows:
        happened = with_attempt(state, number, outcome=world.ATTEMPT_HAPPENED)._replace(
            evidence=True
        )
        yield "a person says that it happened", _said(happened, world.HAPPENED)
    over = state.attempts[number - 1].age == at.OVER or not model.rules.late_verdict
    if over and not (state.effects and knows):
        absent = with_attempt(state, number, outcome=world.ATTEMPT_ABSENT)
        yield "a person says that it did not", _said(absent, world.DID_NOT_HAPPEN)
        again = absent._replace(
            question=at.OVERRULED if state.question == at.USED else state.question
        )
        yield "a person wants it sent again", _let_go(again)
    yield "a person asks to look again", _let_go(state)
    off = with_attempt(state, number, outcome=world.ATTEMPT_WRITTEN_OFF)
    yield "a person writes it off", _said(off, world.WRITTEN_OFF)


def _said(state: State, outcome: str) -> State:
    return _let_go(state._replace(stands=world.SETTLED, outcome=outcome, by=at.BY_PERSON))


def _let_go(state: State) -> State:
    status = at.QUEUED if state.status == at.HELD else state.status
    return state._replace(case="", status=status)


def _ended_by_timer(state: State, number: int) -> State:
    """Whoever is about to call, or calls, is killed, stopped or not. Its request is not."""
    for me, worker in enumerate(state.workers):
        if worker.at in CALLING and worker.attempt == number:
            state = with_worker(state, me, Worker())
    return state


def _key_ages(model: Model, state: State) -> Steps:
    if state.key == at.GOOD:
        yield "the key comes near its end", state._replace(key=at.NEARLY)
    # What was armed while the key was good has had its deadline and its margin by now.
    early = [each for each in state.attempts if each.early]
    if state.key == at.NEARLY and all(each.wire not in at.ON_ITS_WAY for each in early):
        yield "the key is forgotten", _without_the_early(model, state)._replace(key=at.FORGOTTEN)


def _without_the_early(model: Model, state: State) -> State:
    for me, worker in enumerate(state.workers):
        armed = worker.at == at.DISPATCH and worker.note == "early"
        out = worker.at in CALLING and state.attempts[worker.attempt - 1].early
        if model.rules.deadline and (armed or out):
            state = with_worker(state, me, Worker())
    return state


def _waits(state: State) -> Steps:
    number = state.open_attempt
    over = number is None or state.attempts[number - 1].age == at.OVER or state.jumped
    is_due = {
        at.FOR_RETRY: True,
        at.FOR_WINDOW: over,
        at.FOR_STOP: not state.stop,
    }
    if is_due.get(state.status, False):
        yield "what it waited for is here", state._replace(status=at.QUEUED)
