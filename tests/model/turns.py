"""What a worker does next, from what it reads: the executor's order, told once more for the model.

Which step follows an unknown outcome is not told again: it is the engine's own `first_step`.
"""

from dataclasses import dataclass, field

from reconciliation import states as world
from tests.model import states as at
from tests.model.rules import Rules
from tests.model.states import Attempt, State, Worker
from tests.model.tools import Tool, step_after_unknown

MOST_ATTEMPTS = 2


@dataclass(frozen=True)
class Model:
    """What is explored: one class of tools, the rules, and what may happen beyond kills and pauses."""

    tool: Tool
    rules: Rules = field(default_factory=Rules)
    extras: frozenset[str] = frozenset()

    def over(self, state: State, attempt: Attempt) -> bool:
        """Whether a worker takes the window of an attempt for over."""
        jumped = state.jumped and not self.rules.own_clock
        return attempt.age == at.OVER or jumped or not self.rules.window

    def after_unknown(self, state: State, attempt: Attempt) -> str:
        """`first_step` of this attempt now."""
        return step_after_unknown(
            self.tool,
            state.key,
            is_over=self.over(state, attempt),
            sure=self.rules.remembered,
            locked=self.rules.locks_in_flight,
        )


def next_step(model: Model, state: State) -> Worker:
    """Where a worker that reads this record goes; only `at`, `attempt` and `note` count."""
    if state.cancel:
        return _cancelling(model, state)
    if state.stands == world.DISPATCHED:
        found = _reconciling(model, state, void=False)
        if found is not None:
            return found
    if state.head < 2:
        return Worker((at.COMMIT, at.PROPOSE)[state.head])
    if state.head > 2:
        return Worker(at.FINISH)
    if state.stands == world.SETTLED:
        return Worker(at.ABSORB)
    return _seeking_permission(model, state)


def _cancelling(model: Model, state: State) -> Worker:
    over = state.stands in ("", world.SETTLED)
    if over or not model.rules.reconcile_first:
        return Worker(at.FINISH, note=at.CANCELLED)
    return _made_no(model, state)


def _made_no(model: Model, state: State) -> Worker:
    """Nobody wants it any more: bring what was sent to an outcome, then settle that it is not."""
    if state.attempts:
        found = _reconciling(model, state, void=model.rules.void_no)
        if found is not None:
            return found
    return Worker(at.SETTLE_NO)


def _seeking_permission(model: Model, state: State) -> Worker:
    goes_on: tuple[str, ...] = (at.YES, at.USED) if model.tool.asks else (at.YES,)
    if not model.rules.fresh_yes:
        goes_on = (at.YES, at.USED, at.OVERRULED)
    if state.question == at.OPEN:
        return Worker(at.SUSPEND, note=at.FOR_APPROVAL)
    if state.question == at.NO:
        return _made_no(model, state)
    if state.question in goes_on:
        if state.stop:
            return Worker(at.SUSPEND, note=at.FOR_STOP)
        return Worker(at.ARM if len(state.attempts) < MOST_ATTEMPTS else at.TOO_MANY)
    return Worker(at.ASK)


def _reconciling(model: Model, state: State, *, void: bool) -> Worker | None:
    """The next thing to find out; None when nothing is open."""
    if state.stands == world.SETTLED or not state.attempts:
        return None
    number = state.open_attempt
    if number is None:
        return _nothing_open(model, state, void=void)
    if not model.rules.proven and not void:
        return None
    attempt = state.attempts[number - 1]
    step = model.after_unknown(state, attempt)
    if step == world.LOOK_UP:
        if model.tool.can.void and void:
            return Worker(at.VOID_IT, attempt=number)
        return Worker(at.LOOK, attempt=number, note=_over(model, state, attempt))
    if step == world.SEND_AGAIN_WITH_KEY and not void:
        return Worker(at.RESEND, attempt=number)
    if step == world.WAIT:
        return Worker(at.SUSPEND, note=at.FOR_WINDOW)
    return Worker(at.HOLD)


def _nothing_open(model: Model, state: State, *, void: bool) -> Worker | None:
    number, last = len(state.attempts), state.attempts[-1]
    resent = last.outcome == world.ATTEMPT_RESENT
    if resent and (void or model.after_unknown(state, last) == world.ASK_A_PERSON):
        return Worker(at.REOPEN, attempt=number)
    if void and model.tool.can.void:
        return Worker(at.VOID_IT, attempt=number)
    return None


def _over(model: Model, state: State, attempt: Attempt) -> str:
    return at.OVER_BEFORE if model.over(state, attempt) else ""
