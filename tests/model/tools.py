"""The capability classes of tools, and what the world does with a call of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from reconciliation import states as world
from reconciliation.states import Ages
from reconciliation.tools import Capabilities, Keyed
from tests.model import states as at
from tests.model.states import State, with_attempt

REMEMBERS, BUDGET, MARGIN = 3600, 30, 60


@dataclass(frozen=True)
class Tool:
    """One row of the table in docs/ARCHITECTURE.md, and how often its effect may come of one key."""

    name: str
    can: Capabilities

    @property
    def asks(self) -> bool:
        """Whether a machine can do anything about an unknown outcome."""
        return self.can.void or self.can.look_up or self.can.keyed is not None

    def most(self, state: State) -> int:
        """How many effects its class allows. Of *nothing*: as many as people said yes to."""
        return 1 if self.asks else state.spent


VOID: Final = Tool("void", Capabilities(void=True, look_up=True))
KEYED: Final = Tool("keyed", Capabilities(keyed=Keyed(REMEMBERS, locks_in_flight=True)))
UNLOCKED: Final = Tool("unlocked", Capabilities(keyed=Keyed(REMEMBERS, locks_in_flight=False)))
LOOK_UP: Final = Tool("look_up", Capabilities(look_up=True))
NOTHING: Final = Tool("nothing", Capabilities())
ALL: Final = (VOID, KEYED, UNLOCKED, LOOK_UP, NOTHING)


@cache
def step_after_unknown(tool: Tool, key: int, *, is_over: bool, sure: bool, locked: bool) -> str:
    """The engine's own `first_step`. `sure`, `locked`: whether those two rules are switched on."""
    can = tool.can
    if can.keyed is not None and not locked:
        can = Capabilities(keyed=Keyed(REMEMBERS, locks_in_flight=True))
    near = REMEMBERS - BUDGET - MARGIN if key != at.GOOD and sure else 0
    return world.first_step(can, Ages(near, is_over, BUDGET, MARGIN))


def arrivals(tool: Tool, state: State) -> Iterator[tuple[str, State]]:
    """What may become of the calls that are on their way, whoever sent them and is dead."""
    for number, attempt in enumerate(state.attempts, 1):
        if attempt.wire == at.FLYING:
            yield f"call {number} is lost", with_attempt(state, number, wire=at.LOST)
            yield _arrives(tool, state, number)
            if number == 1 and state.effects == 0:
                refused = with_attempt(state, number, wire=at.REFUSED)
                yield "the world refuses call 1", refused
        elif attempt.wire == at.EXECUTING:
            yield f"call {number} has its effect", _has_effect(state, number)


def _arrives(tool: Tool, state: State, number: int) -> tuple[str, State]:
    if tool.can.void and (state.tomb or state.effects):
        refused = with_attempt(state, number, wire=at.REFUSED)
        return f"call {number} finds its place taken", refused
    if tool.can.keyed is not None and state.effects and state.key != at.FORGOTTEN:
        return f"call {number} finds its key done", with_attempt(state, number, wire=at.LANDED)
    if tool.can.keyed is not None and not tool.can.keyed.locks_in_flight:
        return f"call {number} begins", with_attempt(state, number, wire=at.EXECUTING)
    return f"call {number} has its effect", _has_effect(state, number)


def _has_effect(state: State, number: int) -> State:
    landed = with_attempt(state, number, wire=at.LANDED)
    return landed._replace(effects=state.effects + 1)
