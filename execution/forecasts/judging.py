"""What would become of each effect of a lineage, from what the ledger says of it. Pure.

An effect is known by its key: node, and how many proposals of that node came before it. What is
behind the checkpoint stays as it is; what is ahead of it may be proposed again, and then its key
decides. The engine decides anew when it acts; this reads the same facts before anybody presses.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from execution.forecasts.transitions import CANCEL, FORK, RESUME
from reconciliation import states as world

STANDS: Final = "stands"
REUSED: Final = "reused"
SENT: Final = "sent"
SENT_AGAIN: Final = "sent_again"
NEEDS_APPROVAL: Final = "needs_approval"
UNKNOWN: Final = "unknown"
WAITED_FOR: Final = "waited_for"
NEVER_SENT: Final = "never_sent"
KINDS: Final = (
    *(UNKNOWN, SENT_AGAIN, SENT, NEEDS_APPROVAL),
    *(WAITED_FOR, REUSED, NEVER_SENT, STANDS),
)

# What became of a question about an effect, as far as a forecast needs it.
NOT_ASKED: Final = ""
PENDING: Final = "open"
HOLDS: Final = "holds"
DECLINED: Final = "declined"
OVER: Final = "over"


@dataclass(frozen=True)
class Effect:
    """One effect as the ledger has it. `asked`: of its newest question, from the words above.

    `is_out`: an attempt is open. `is_undone`: another effect that happened compensates it.
    """

    id: UUID
    run_id: UUID
    node: str
    ordinal: int
    generation: int
    stands: str
    outcome: str
    is_absorbed: bool = True
    is_out: bool = False
    is_undone: bool = False
    asked: str = NOT_ASKED

    @property
    def counts(self) -> bool:
        """Whether the world has it, or may have it for ever."""
        return self.outcome in (world.HAPPENED, world.WRITTEN_OFF)


@dataclass(frozen=True)
class Place:
    """Where a run would stand: how often each node has proposed for good, and what may still run.

    `again` are effects that are to be sent again on purpose. `gives_up`: what the run has proposed
    and not sent is withdrawn.
    """

    run_id: UUID
    done: Mapping[str, int]
    reach: frozenset[str]
    again: frozenset[UUID] = frozenset()
    gives_up: bool = True


@dataclass(frozen=True)
class Foreseen:
    """What would become of an effect: one of `KINDS`, and a code for why."""

    kind: str
    why: str


def foresee(effect: Effect, how: str, place: Place) -> Foreseen | None:
    """What a transition would do about one effect; None when the effect is of no concern to it."""
    mine = effect.run_id == place.run_id
    if effect.is_out and (mine or how == FORK):
        return Foreseen(UNKNOWN, "out")
    if how == CANCEL:
        return _cancelled(effect) if mine else None
    if how == RESUME and mine and not effect.is_absorbed:
        return _open(effect)
    if effect.node not in place.reach or effect.ordinal <= place.done.get(effect.node, 0):
        return Foreseen(STANDS, effect.outcome) if effect.counts else None
    if effect.stands != world.SETTLED:
        return _unsettled(effect, how, gives_up=mine and place.gives_up)
    return _settled(effect, place)


def _cancelled(effect: Effect) -> Foreseen | None:
    if effect.stands != world.SETTLED:
        return Foreseen(NEVER_SENT, "cancelled")
    return Foreseen(STANDS, effect.outcome) if effect.counts else None


def _open(effect: Effect) -> Foreseen:
    """The effect that the run is at."""
    if effect.stands == world.SETTLED:
        return Foreseen(REUSED if effect.counts else NEVER_SENT, effect.outcome)
    if effect.asked == DECLINED:
        return Foreseen(NEVER_SENT, "declined")
    if effect.asked == HOLDS:
        again = effect.stands == world.DISPATCHED
        return Foreseen(SENT_AGAIN, "absent") if again else Foreseen(SENT, "approved")
    return Foreseen(NEEDS_APPROVAL, effect.asked or "not_asked")


def _unsettled(effect: Effect, how: str, *, gives_up: bool) -> Foreseen:
    """An effect ahead that is not over. A fork is another run: while nobody gives the effect up,
    its key is taken."""
    if effect.stands == world.DISPATCHED and (gives_up or how == FORK):
        return Foreseen(UNKNOWN, "unsettled")
    return Foreseen(NEEDS_APPROVAL, "given_up") if gives_up else Foreseen(WAITED_FOR, "elsewhere")


def _settled(effect: Effect, place: Place) -> Foreseen:
    if not effect.counts:
        return Foreseen(NEEDS_APPROVAL, "came_to_nothing")
    if effect.id in place.again:
        return Foreseen(NEEDS_APPROVAL, "on_purpose")
    if effect.is_undone:
        return Foreseen(NEEDS_APPROVAL, "undone")
    return Foreseen(REUSED, effect.outcome)
