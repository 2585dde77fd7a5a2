"""How long a run may be in each state that is not final. Pure.

Nothing is stored of it: that a run is *stuck* follows from its row and these ages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
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
# task/node/reason: so many slashes.
NODE_DEPTH: Final = 2
# Of a reason that this table does not know yet.
OTHERWISE: Final = HOUR


@dataclass(frozen=True)
class At:
    """What is said of one node: its task type, its name, and why a run is there."""

    task_type: str
    node: str
    reason: str


def expected(at: At, *, nodes: Mapping[At, int], own: Mapping[str, int] = {}) -> int:
    """How many seconds a run may be at this node for this reason.

    `nodes` is what is said of single nodes (`of_nodes`), `own` what this installation says of
    reasons wherever they are; the first outweighs the second, and both the table.
    """
    found = nodes.get(at)
    return own.get(at.reason, USUAL.get(at.reason, OTHERWISE)) if found is None else found


def of_nodes(deadlines: Mapping[tuple[str, str], int], own: Mapping[str, int]) -> dict[At, int]:
    """What is said of single nodes: their deadlines, for runs at work, and what this installation
    says of them, as "task/node/reason", which outweighs those."""
    declared = {At(*node, states.WORKING): seconds for node, seconds in deadlines.items()}
    said = {At(*key.split("/")): n for key, n in own.items() if key.count("/") == NODE_DEPTH}
    return declared | said
