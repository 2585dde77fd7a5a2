"""How long a run may be in each state that is not final. Pure.

Nothing is stored of it: that a run is *stuck* follows from its row and these ages.
"""

from collections.abc import Mapping
from typing import Final

from checkpoints import states

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

# A wait whose time has come, whatever it was for.
DUE: Final = "due"
# Seconds past the moment it was due, for what is due; since it last moved, for what is not. A
# node that declares a deadline has that one while it runs.
USUAL: Final[Mapping[str, int]] = {
    states.STARTED: 5 * MINUTE,
    states.WOKEN: 2 * MINUTE,
    states.YIELDED: 5 * MINUTE,
    states.INTERRUPTED: 2 * MINUTE,
    states.WORKING: 5 * MINUTE,
    states.FOR_APPROVAL: DAY,
    DUE: 2 * MINUTE,
    states.FOR_SAME_KEY: HOUR,
    states.FOR_STOP: DAY,
    states.FOR_DOOR: HOUR,
}
# Of a reason that this table does not know yet.
OTHERWISE: Final = HOUR


def expected(reason: str, *, deadline: int | None = None, own: Mapping[str, int] = {}) -> int:
    """How many seconds a run may be here for this reason.

    `deadline` is what its node declares, for a run that is being worked on; `own` is what this
    installation says of reasons, which outweighs the table and not the declaration.
    """
    if reason == states.WORKING and deadline is not None:
        return deadline
    return own.get(reason, USUAL.get(reason, OTHERWISE))
