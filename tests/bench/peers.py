"""The same step in other engines, on the same PostgreSQL, when the `bench` extra is installed."""

import time
from importlib.util import find_spec
from typing import Any
from uuid import uuid4


def dbos_step_ms(url: str, steps: int) -> float | None:
    """Milliseconds per DBOS step of a workflow with `steps` steps; None when not installed."""
    if find_spec("dbos") is None:
        return None
    from dbos import DBOS  # noqa: PLC0415 - only there with the extra

    config: Any = {
        "name": "bench",
        "system_database_url": url,
        "log_level": "ERROR",
    }
    DBOS(config=config)

    def count(at: int) -> int:
        return at + 1

    step: Any = DBOS.step()(count)

    def counting(steps: int) -> int:
        at = 0
        for _ in range(steps):
            at = step(at)
        return at

    workflow: Any = DBOS.workflow()(counting)
    DBOS.launch()
    try:
        workflow(5)
        began = time.perf_counter()
        assert workflow(steps) == steps
        return (time.perf_counter() - began) * 1000 / steps
    finally:
        DBOS.destroy()


def langgraph_sync_step_ms(url: str, steps: int) -> float | None:
    """Milliseconds per LangGraph node with durability "sync"; None when not installed."""
    if find_spec("langgraph") is None:
        return None
    from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415
    from langgraph.graph import END, START, StateGraph  # noqa: PLC0415
    from typing_extensions import TypedDict  # noqa: PLC0415

    class Count(TypedDict):
        at: int

    graph: Any = StateGraph(Count)
    graph.add_node("step", lambda state: {"at": state["at"] + 1})
    graph.add_edge(START, "step")
    graph.add_conditional_edges("step", lambda state: END if state["at"] >= steps else "step")
    with PostgresSaver.from_conn_string(url) as saver:
        saver.setup()
        app = graph.compile(checkpointer=saver)
        config = {"configurable": {"thread_id": uuid4().hex}, "recursion_limit": steps + 10}
        began = time.perf_counter()
        after = app.invoke({"at": 0}, config, durability="sync")
        took = time.perf_counter() - began
    assert after["at"] == steps
    return took * 1000 / steps
