"""What the next release of the agents would be, for the demo: its migrator cannot read every state.

A fleet change of it also says how many lines it touches for each that the code grows by. Whoever wrote its
migrator forgot that a change may replace line for line: `KEDGE_AGENTS=agents.next manage.py preflight` tells
before anything is deployed which runs this code could not go on with.
"""

from pathlib import Path
from typing import Any, Final

from agents import registry
from canonical import digests
from checkpoints.graph import Graph, Json, State

TASK_TYPE: Final = "fleet_change"
SCHEMA: Final = 2
TOUCHED: Final = "touched"

_NOW: Final = registry.GRAPHS[TASK_TYPE]


def _schema() -> dict[str, Json]:
    now = dict(_NOW.state_schemas[_NOW.state_schema])
    touched = {"description": "Lines touched for each that the code grows by", "type": "integer"}
    title = f"State of a fleet change, schema {SCHEMA}"
    return {**now, "title": title, "properties": {**now["properties"], TOUCHED: touched}}


GRAPH: Final[Graph] = _NOW.at_schema(SCHEMA, _schema())
GRAPHS: Final[dict[str, Graph]] = {**registry.GRAPHS, TASK_TYPE: GRAPH}


@GRAPH.migrate(1, SCHEMA)
def say_how_many(state: State) -> State:
    """The mistake: nothing can be told for each of no lines."""
    added, removed = state["insertions"], state["deletions"]
    return {**state, TOUCHED: (added + removed) // (added - removed)}


@GRAPH.migrate(SCHEMA, 1)
def forget_it(state: State) -> State:
    """The way back, for a rollback."""
    return {name: value for name, value in state.items() if name != TOUCHED}


def manifest(task_type: str, variant: str = "") -> dict[str, Json]:
    """As now, but for the task that has another state. Raises `KeyError` for an unknown one."""
    now = registry.manifest(task_type, variant)
    if task_type != TASK_TYPE:
        return now
    return now | {
        "state_schema": SCHEMA,
        "state_schemas": {str(number): dict(it) for number, it in GRAPH.state_schemas.items()},
        "migrators": [list(step) for step in sorted(GRAPH.migrators)],
        "code": digests.tagged("code", [now["code"], _own_code()]),
    }


def __getattr__(name: str) -> Any:
    """Everything else is what this installation runs now."""
    return getattr(registry, name)


def _own_code() -> str:
    return digests.sha256_hex(Path(__file__).read_bytes())
