"""Two codes of one task in one process, one at a time: the newer one writes another state."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID

import pytest

from checkpoints import registry as found
from checkpoints.graph import (
    ACTION,
    COMPUTE,
    END,
    RESULTS,
    Context,
    Graph,
    Migrator,
    Node,
    Proposal,
    Result,
    State,
    To,
)
from checkpoints.models import Combo
from checkpoints.repins import Cause
from tenants.actors import Actor
from tests.engine import registry
from tests.engine.turns import Bench
from tests.execution.graphs import NAME, graph

CAUSE: Final = Cause.rollback(UUID(int=6))
SHELL: Final = Actor.machine("shell")
OLD, NEW = 1, 2
SCHEMAS: Final[dict[int, dict[str, Any]]] = {
    OLD: {"properties": {"total": False}, "required": ["amount"]},
    NEW: {"required": ["amount", "total"]},
}
_manifest = registry.manifest


def drop(state: State) -> State:
    return {name: value for name, value in state.items() if name != "total"}


@contextmanager
def lost(engine: Bench) -> Iterator[None]:
    """What is sent meanwhile arrives, and nobody can be asked about it."""
    faults = engine.fault("drop_answer"), engine.fault("silent")
    yield
    for fault in faults:
        fault.unlink()


def code(schema: int, down: Migrator | None = drop, **nodes: Any) -> Graph:
    """What workers of one code run: they count to two, and then act once."""
    made = graph("first", state_schema=schema, state_schemas=SCHEMAS)
    total = {"total": 1} if schema == NEW else {}

    def first(_state: State, _context: Context) -> To:
        return To("second", {"amount": 1, "by": [schema], **total})

    def second(state: State, _context: Context) -> To:
        return To("act", {**state, "amount": 2, "by": [*state["by"], schema]})

    def propose(_state: State, _context: Context) -> Proposal:
        return Proposal("fake.void", {"what": "a"})

    def absorb(state: State, result: Result, _context: Context) -> To:
        return To(END, {**state, "heard": result.kind, "by": [*state["by"], schema]})

    made.node("first", COMPUTE, to=["second"])(nodes.get("first", first))
    made.node("second", COMPUTE, to=["act"])(nodes.get("second", second))
    made.add(Node("act", ACTION, (END,), propose=propose, absorb=absorb, handles=RESULTS))
    if schema == NEW:
        made.migrate(OLD, NEW)(lambda state: {**state, "total": state["amount"]})
        if down is not None:
            made.migrate(NEW, OLD)(down)
    return made.checked()


def wear(patch: pytest.MonkeyPatch, made: Graph, name: str = "") -> Combo:
    """From now on this process has this code; the combo that it makes."""
    said = {
        "state_schema": made.state_schema,
        "state_schemas": {str(number): it for number, it in made.state_schemas.items()},
        "migrators": [list(each) for each in sorted(made.migrators)],
        "code": name or f"code {made.state_schema}",
    }
    patch.setitem(registry.GRAPHS, NAME, made)
    patch.setattr(registry, "manifest", _saying(said))
    return found.combo_of(NAME)


def _saying(said: dict[str, Any]) -> Callable[[str], dict[str, Any]]:
    def manifest(task_type: str) -> dict[str, Any]:
        return _manifest(task_type) | (said if task_type == NAME else {})

    return manifest
