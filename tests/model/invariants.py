"""What must be true in every state, and between any two that follow each other."""

from collections.abc import Callable, Iterator
from typing import Final

from reconciliation import states as world
from tests.model import states as at
from tests.model.states import State
from tests.model.turns import Model


def wrong_with(model: Model, state: State) -> str:
    """The invariant that does not hold in this state, as a sentence; "" when all do."""
    if state.broken:
        return state.broken
    if state.effects > model.tool.most(state):
        return "there are more effects of one key than its class of tools allows"
    return next(_untrue(state), "")


def wrong_between(before: State, after: State) -> str:
    """What a single step may never do."""
    if before.status in at.FINAL and after.status != before.status:
        return "a run that had ended went on"
    if after.head not in (before.head, before.head + 1):
        return "the head moved by more than one"
    return ""


def is_good_end(state: State) -> bool:
    """Ended, every intent settled, no case open, nobody at work, nothing on its way."""
    quiet = all(worker.at == at.IDLE for worker in state.workers)
    landed = all(each.wire not in at.ON_ITS_WAY for each in state.attempts)
    return state.status in at.FINAL and quiet and landed and not state.case


def _untrue(state: State) -> Iterator[str]:
    yield from (says for holds, says in ALWAYS if not holds(state))


def _says_no(state: State) -> bool:
    return state.outcome in (world.DID_NOT_HAPPEN, world.REFUSED) and not state.case


ALWAYS: Final[tuple[tuple[Callable[[State], bool], str], ...]] = (
    (lambda it: not it.effects or it.spent > 0, "there is an effect without a used approval"),
    (
        lambda it: not (_says_no(it) and it.by == at.BY_MACHINE and it.effects),
        "the ledger says no, the world says yes, and nobody is told",
    ),
    (
        lambda it: not (_says_no(it) and it.evidence),
        "there is evidence against what the ledger says, and nobody is told",
    ),
    (
        lambda it: it.outcome != world.HAPPENED or it.by != at.BY_MACHINE or it.effects > 0,
        "the ledger says yes, and the world says no",
    ),
    (
        lambda it: it.status not in at.FINAL or it.stands in ("", world.SETTLED),
        "the run has ended with an intent that nobody reconciled",
    ),
    (
        lambda it: it.status != at.FOR_APPROVAL or it.question == at.OPEN,
        "a run waits for an answer that is there",
    ),
    (lambda it: it.status != at.HELD or bool(it.case), "a run is on hold and no person has a case"),
)
