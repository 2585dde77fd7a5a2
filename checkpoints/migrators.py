"""Bring a state to the schema this code reads, or say that nobody here can."""

from collections import deque
from collections.abc import Collection

from canonical import json as canonical
from checkpoints import schemas
from checkpoints.errors import UnmigratableError
from checkpoints.graph import Graph, State


def path(graph: Graph, old: int, new: int) -> list[tuple[int, int]]:
    """The shortest chain of migrators from schema `old` to `new`. Raises `UnmigratableError`."""
    steps = chain(graph.migrators, old, new)
    if steps is None:
        raise UnmigratableError(
            f"{graph.task_type} has no migrator from state schema {old} to {new}; "
            "deploy one, or let workers with the older code finish the run"
        )
    return steps


def chain(there: Collection[tuple[int, int]], old: int, new: int) -> list[tuple[int, int]] | None:
    """The shortest chain from schema `old` to `new` of these (from, to); None when there is none."""
    waiting: deque[tuple[int, list[tuple[int, int]]]] = deque([(old, [])])
    seen = {old}
    while waiting:
        at, steps = waiting.popleft()
        if at == new:
            return steps
        for step in sorted(there):
            if step[0] == at and step[1] not in seen:
                seen.add(step[1])
                waiting.append((step[1], [*steps, step]))
    return None


def migrate(graph: Graph, state: State, old: int, new: int) -> State:
    """The state in schema `new`; the given one stays untouched.

    Raises `UnmigratableError` when there is no path, a migrator raises, or what it returns is
    not strict JSON or does not fit the schema.
    """
    for step in path(graph, old, new):
        try:
            copy = canonical.loads_object(canonical.dumps(state))
            state = canonical.loads_object(canonical.dumps(graph.migrators[step](copy)))
            check_schema(graph, state, step[1])
        except Exception as error:  # a migrator is an author's code: whatever it raises is its no
            raise UnmigratableError(
                f"the migrator of {graph.task_type} from {step[0]} to {step[1]} failed: "
                f"{type(error).__name__}: {error}"
            ) from error
    return state


def check_schema(graph: Graph, state: State, version: int) -> None:
    """Raises `jsonschema.ValidationError` when a declared schema does not fit the state."""
    schema = graph.state_schemas.get(version)
    if schema is not None:
        visible = {name: value for name, value in state.items() if not name.startswith("$")}
        schemas.check(visible, schema)
