"""The agents of a newer release: `steps` writes another schema, and has one tool less."""

from typing import Any

from checkpoints.graph import Graph, State
from reconciliation.tools import Tools
from tests.engine import registry as older

GONE = "fake.look_up"


def _steps() -> Graph:
    was = older.GRAPHS["steps"]
    graph = Graph("steps", title=was.title, start=was.start, manifest=was.manifest, state_schema=2)
    for node in was.nodes.values():
        graph.add(node)

    @graph.migrate(1, 2)
    def in_words(state: State) -> State:
        if state["sum"] > 3:
            raise ValueError("too much to say in words")
        return {**state, "words": str(state["sum"])}

    return graph.checked()


GRAPHS = {"steps": _steps()}
TOOLS = Tools({name: tool for name, tool in older.TOOLS.by_name.items() if name != GONE})


def manifest(task_type: str) -> dict[str, Any]:
    """Other code, and the same rules."""
    return {**older.manifest(task_type), "code": "next", "state_schema": 2}
