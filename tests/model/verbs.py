"""The engine's verbs on the model's record: each is one transaction, or one act in the world."""

from collections.abc import Callable
from typing import Final

from tests.model import committing, finding, sending
from tests.model import states as at
from tests.model.acts import Steps, accepted, go
from tests.model.states import State
from tests.model.turns import Model, next_step

Verb = Callable[[Model, State, int], Steps]
VERBS: Final[dict[str, Verb]] = {
    at.IDLE: committing.acquire,
    at.COMMIT: committing.commit,
    at.PROPOSE: committing.commit,
    at.ABSORB: committing.commit,
    at.ASK: committing.ask,
    at.SUSPEND: committing.suspend,
    at.HOLD: committing.hold,
    at.FINISH: committing.finish,
    at.ARM: sending.arm,
    at.DISPATCH: sending.dispatch,
    at.CALL: sending.call,
    at.WAIT: sending.wait,
    at.HEAR: sending.hear,
    at.LOOK: finding.look,
    at.HAVE_FOUND: finding.have_found,
    at.HAVE_ABSENT: finding.have_absent,
    at.VOID_IT: finding.void,
    at.HAVE_VOIDED: finding.have_voided,
    at.SETTLE_NO: finding.settle_no,
    at.RESEND: finding.resend,
    at.REOPEN: finding.reopen,
    at.TOO_MANY: committing.nothing,
}

# Where in the model each boundary of the engine lies, by the name the engine gives it.
BOUNDARIES: Final[dict[str, tuple[str, ...]]] = {
    "start": ("the first state",),
    "acquire": (at.IDLE,),
    "commit": (at.COMMIT,),
    "propose": (at.PROPOSE,),
    "ask": (at.ASK,),
    "decide": ("people",),
    "dispatch": (at.DISPATCH,),
    "effect": (at.CALL, at.WAIT),
    "receipt": (at.HEAR, at.HAVE_FOUND),
    "reconcile": (at.LOOK, at.HAVE_ABSENT, at.VOID_IT, at.HAVE_VOIDED, at.RESEND, at.REOPEN),
    "absorb": (at.ABSORB,),
    "finish": (at.FINISH,),
    "lapse": ("the sweeper",),
}
# Boundaries that the model does not have: what people do to whole runs, and duties of the sweeper.
NOT_IN_THE_MODEL: Final[dict[str, str]] = {
    "fork": "one run: it makes another",
    "twin": "one run: it makes a shadow of it, which sends nothing",
    "reuse": "one run: it takes what another of its lineage did",
    "verdict": "people's word on a run on hold, which no worker has: one commit with what follows",
    "agree verdict": "the same word, by a second person",
    "decline verdict": "a word that nothing follows",
    "outdate verdict": "a word that nothing follows",
    "supersede verdict": "the word taken back, in one commit with what that opens again",
    "draft plan": "a list of runs, which changes none",
    "order plan": "a list of runs, which changes none",
    "plan item": "people's decisions on many runs, each of them one of the model's",
    "plan chunk": "a computation about many runs, which changes none",
    "edit": "a commit like any other",
    "decide edit": "a decision that only a commit can follow",
    "revoke": "the lease is given away, as the sweeper does",
    "repin": "between turns, with nothing out; what was only proposed is given up and proposed anew",
    "sweep": "around duties, of which giving a lease away is in the model",
}


def steps(model: Model, state: State, me: int) -> Steps:
    """What worker `me` can do next. That it may do nothing for ever so long is its pause."""
    for says, after in VERBS[state.workers[me].at](model, state, me):
        yield says, _read(model, after, me)


def run_late(model: Model, state: State) -> Steps:
    """A statement whose client is gone gets its lock, and is judged by what it shows."""
    if state.late is None:
        return
    owner, worker = state.late
    free = state._replace(late=None)
    allowed = accepted(model, free, owner, worker)
    what = f"the late “{worker.at}” of a cut connection"
    if allowed is None:
        yield f"{what} is refused", free
    elif worker.at == at.DISPATCH:
        refused = sending.refusal(model, allowed, worker)
        yield f"{what} runs", free if refused else sending.intend(model, allowed, worker)
    else:
        yield f"{what} runs", committing.committed(allowed, worker)


def _read(model: Model, state: State, me: int) -> State:
    """Whoever is at the top of its turn reads the record, and knows what it does next."""
    if state.workers[me].at != at.TURN:
        return state
    to = next_step(model, state)
    return go(state, me, to.at, attempt=to.attempt, note=to.note)
