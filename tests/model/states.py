"""What the model knows: the record, the world and two workers' memories, as one hashable value."""

from functools import cache
from typing import Any, Final, NamedTuple

# Where a worker stands: the next thing it does, between two boundaries of the engine.
IDLE: Final = ""
TURN: Final = "turn"
COMMIT: Final = "commit"
PROPOSE: Final = "propose"
ASK: Final = "ask"
ARM: Final = "arm"
DISPATCH: Final = "dispatch"
CALL: Final = "call"
WAIT: Final = "wait for the answer"
HEAR: Final = "hear"
LOOK: Final = "look up"
HAVE_FOUND: Final = "found"
HAVE_ABSENT: Final = "absent"
VOID_IT: Final = "void"
HAVE_VOIDED: Final = "voided"
RESEND: Final = "send again"
REOPEN: Final = "reopen"
SUSPEND: Final = "suspend"
HOLD: Final = "hold"
SETTLE_NO: Final = "settle no"
ABSORB: Final = "absorb"
FINISH: Final = "finish"
TOO_MANY: Final = "too many attempts"  # where the model ends, not the engine

# Status of the run. What it waits for is part of it.
QUEUED, RUNNING, HELD = "queued", "running", "held"
DONE, CANCELLED = "done", "cancelled"
FINAL: Final = (DONE, CANCELLED)
FOR_APPROVAL, FOR_WINDOW = "waiting for approval", "waiting for the window"
FOR_RETRY, FOR_STOP = "waiting to try again", "waiting for a stop"

# The newest question about the action. After a verdict to send again its used yes is worth nothing.
OPEN, YES, USED, NO, OVERRULED = "open", "yes", "used", "no", "overruled"

# A call on its way through the world.
UNSENT, FLYING, EXECUTING = "unsent", "flying", "executing"
LANDED, REFUSED, LOST = "landed", "refused", "lost"
ON_ITS_WAY: Final = (FLYING, EXECUTING)

# Cases.
UNKNOWN, CONTRADICTED, DUPLICATE = "unknown", "contradicted", "duplicate"

# Age of an attempt: within its deadline, past that, past the margin too.
YOUNG, LATE, OVER = 0, 1, 2
# Age of an idempotency key: good, too near its end to send again, forgotten by the provider.
GOOD, NEARLY, FORGOTTEN = 0, 1, 2

BY_MACHINE, BY_PERSON = "machine", "person"
OVER_BEFORE: Final = "the window was over"  # a note: judged before the tool was asked
OLDEST: Final = 2  # a lease so many grants old is as old as any
STALE: Final = 1  # or so many, where no grant is ever lost


class Worker(NamedTuple):
    """A process and what it remembers. `behind`: how many grants ago its lease was given."""

    at: str = IDLE
    behind: int = 0
    head: int = 0
    woken: bool = False  # whether `wakes` has grown since it read it
    attempt: int = 0
    note: str = ""


class Attempt(NamedTuple):
    """One call: its row in the ledger, and where it is in the world."""

    outcome: str = ""
    wire: str = UNSENT
    age: int = YOUNG
    early: bool = True  # armed while its key was good


class Statement(NamedTuple):
    """A statement that waits in PostgreSQL for a lock while its client is cut off."""

    owner: int
    worker: Worker


class State(NamedTuple):
    """Everything. `broken` is what the checker noticed in the step that led here."""

    status: str = QUEUED
    holder: int | None = None
    head: int = 0
    cancel: bool = False
    stop: bool = False
    stands: str = ""
    outcome: str = ""
    by: str = ""
    evidence: bool = False
    attempts: tuple[Attempt, ...] = ()
    question: str = ""
    case: str = ""
    spent: int = 0  # approvals that intents used up
    effects: int = 0
    tomb: bool = False
    key: int = GOOD
    jumped: bool = False  # the database's clock
    promoted: bool = False  # a standby that lacked the newest grant
    cut: bool = False  # a connection was cut already
    late: Statement | None = None
    workers: tuple[Worker, ...] = (Worker(), Worker())
    broken: str = ""

    @property
    def open_attempt(self) -> int | None:
        """Number of the attempt of which nobody knows."""
        for number, attempt in enumerate(self.attempts, 1):
            if attempt.outcome == "":
                return number
        return None


def with_worker(state: State, me: int, worker: Worker) -> State:
    """The same with another memory of one worker."""
    first, second = state.workers
    return state._replace(workers=(worker, second) if me == 0 else (first, worker))


def with_attempt(state: State, number: int, **changes: Any) -> State:
    """The same with another attempt `number`, counted from 1."""
    attempts = list(state.attempts)
    attempts[number - 1] = attempts[number - 1]._replace(**changes)
    return state._replace(attempts=tuple(attempts))


def alike(state: State) -> tuple[State, bool]:
    """One state for all that nothing can ever tell apart; whether the workers changed places."""
    state = _without_the_past(state)
    first, second = state.workers
    if first <= second:
        return state, False
    late = state.late
    return (
        state._replace(
            workers=(second, first),
            holder=None if state.holder is None else 1 - state.holder,
            late=None if late is None else late._replace(owner=1 - late.owner),
        ),
        True,
    )


def _without_the_past(state: State) -> State:
    """Calls that are over, and the question about what is settled, mean nothing to anybody."""
    if not state.attempts:
        return state
    first, second = state.workers
    mine = first.attempt if first.at in (CALL, WAIT) else 0
    theirs = second.attempt if second.at in (CALL, WAIT) else 0
    attempts = _worth_keeping(state.attempts, mine, theirs)
    is_aimed_at = first.at in (ARM, DISPATCH) or second.at in (ARM, DISPATCH) or state.late
    if state.stands == "settled" and (state.question or state.key) and not is_aimed_at:
        return state._replace(attempts=attempts, question="", key=GOOD)
    return state if attempts == state.attempts else state._replace(attempts=attempts)


@cache
def _worth_keeping(attempts: tuple[Attempt, ...], *calling: int) -> tuple[Attempt, ...]:
    return tuple(
        attempt if number in calling or attempt.wire in ON_ITS_WAY else _past(attempt)
        for number, attempt in enumerate(attempts, 1)
    )


def _past(attempt: Attempt) -> Attempt:
    """What is open, or may be sent again, has an age still."""
    age = attempt.age if attempt.outcome in ("", "resent_under_key") else OVER
    return Attempt(attempt.outcome, LOST, age)
