"""Finding out what became of a call: look up, void, send again, settle that it is not."""

from reconciliation import states as world
from tests.model import states as at
from tests.model.acts import Steps, ended, go, kept, not_happened
from tests.model.states import State, with_attempt
from tests.model.turns import Model


def look(model: Model, state: State, me: int) -> Steps:
    number, note = state.workers[me].attempt, state.workers[me].note
    to = at.HAVE_FOUND if state.effects else at.HAVE_ABSENT
    yield f"looks up: {to}", go(state, me, to, attempt=number, note=note)
    yield "looks up: no answer", go(state, me, at.SUSPEND, note=at.FOR_RETRY)
    yield "looks up: no answer, and patience is spent", go(state, me, at.HOLD)


def have_found(model: Model, state: State, me: int) -> Steps:
    number = state.workers[me].attempt
    yield "keeps what it found", kept(model, go(state, me, at.TURN), me, number)


def have_absent(model: Model, state: State, me: int) -> Steps:
    number, note = state.workers[me].attempt, state.workers[me].note
    over = note == at.OVER_BEFORE
    if not model.rules.judged_first:
        over = model.over(state, state.attempts[number - 1])
    if model.tool.can.void or over:
        yield (
            "believes that it is absent",
            go(ended(state, number, world.ATTEMPT_ABSENT), me, at.TURN),
        )
    else:
        yield "does not believe it yet", go(state, me, at.SUSPEND, note=at.FOR_WINDOW)


def void(model: Model, state: State, me: int) -> Steps:
    number = state.workers[me].attempt
    if state.effects:
        yield "voids: it is there", go(state, me, at.HAVE_FOUND, attempt=number)
    else:
        taken = state._replace(tomb=True)
        yield "voids: its place is taken", go(taken, me, at.HAVE_VOIDED, attempt=number)
    yield "voids: no answer", go(state, me, at.SUSPEND, note=at.FOR_RETRY)


def have_voided(model: Model, state: State, me: int) -> Steps:
    yield "settles that it is void", go(not_happened(state, world.ATTEMPT_VOIDED), me, at.TURN)


def settle_no(model: Model, state: State, me: int) -> Steps:
    state = state._replace(
        question=at.NO if state.question in (at.OPEN, at.YES) else state.question
    )
    settled = not_happened(state, world.ATTEMPT_ABSENT)
    if state.attempts and not model.tool.asks:
        settled = settled._replace(by=at.BY_PERSON)  # on their word that nothing was sent
    yield "settles that it is not", go(settled, me, at.TURN)


def resend(model: Model, state: State, me: int) -> Steps:
    number = state.workers[me].attempt
    yield "ends the attempt: same key", go(ended(state, number, world.ATTEMPT_RESENT), me, at.TURN)


def reopen(model: Model, state: State, me: int) -> Steps:
    number = state.workers[me].attempt
    doubtful = (world.ATTEMPT_RESENT, world.ATTEMPT_ABSENT)
    if state.stands != world.SETTLED and state.attempts[number - 1].outcome in doubtful:
        state = with_attempt(state, number, outcome="")
    yield "opens the attempt again", go(state, me, at.HOLD)
