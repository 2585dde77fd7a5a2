"""Where a plan and each of its items stand, and which moves are legal. Pure."""

from typing import Final

COMPUTING: Final = "computing"
READY: Final = "ready"
STARTED: Final = "started"
STOPPED: Final = "stopped"
FINISHED: Final = "finished"
DISCARDED: Final = "discarded"

UNFINISHED: Final = (COMPUTING, READY, STARTED, STOPPED)
FINAL: Final = (FINISHED, DISCARDED)
STATES: Final = (*UNFINISHED, *FINAL)

MOVES: Final = {
    COMPUTING: (READY, DISCARDED),
    READY: (STARTED, DISCARDED),
    STARTED: (STOPPED, FINISHED),
    STOPPED: (STARTED, DISCARDED),
    FINISHED: (),
    DISCARDED: (),
}

# Of an item: looked at and to be done, or left out; then what became of it.
WAITING: Final = "waiting"
PLANNED: Final = "planned"
LEFT_OUT: Final = "left_out"
DONE: Final = "done"
SKIPPED: Final = "skipped"
FAILED: Final = "failed"
UNPROVEN: Final = "unproven"

ITEM_STATES: Final = (WAITING, PLANNED, LEFT_OUT, DONE, SKIPPED, FAILED, UNPROVEN)
RESULTS: Final = (DONE, UNPROVEN, SKIPPED, FAILED)
ITEM_MOVES: Final = {
    WAITING: (PLANNED, LEFT_OUT),
    PLANNED: RESULTS,
    LEFT_OUT: (),
    DONE: (),
    SKIPPED: (),
    FAILED: (),
    UNPROVEN: (DONE, FAILED),
}

# What a person says of a plan.
START: Final = "start"
GO_ON: Final = "go_on"
STOP: Final = "stop"
SECOND: Final = "second"
DISCARD: Final = "discard"
ORDERS: Final = (START, GO_ON, STOP, SECOND, DISCARD)

TYPED_ABOVE: Final = 100  # beyond, the number has to be typed before a plan starts
FASTEST_PER_MINUTE: Final = 6_000
USUAL_PER_MINUTE: Final = 600
MOST_ITEMS: Final = 10_000
