"""What the older worker pool runs: one node, which says by which code it was run."""

from typing import Any

from checkpoints.graph import COMPUTE, END, Context, Graph, Manifest, State, To
from reconciliation.tools import Tools

TASK = "pooled"


def graph(by: str) -> Graph:
    manifest = Manifest(
        input_schema={"type": "object"},
        input_source="a test",
        data_class="public",
        succeeded=lambda state: "by" in state,
        succeeded_says="it says who ran it",
    )
    made = Graph(TASK, title=TASK, start="say", manifest=manifest)

    def say(_state: State, context: Context) -> To:
        return To(END, {"by": by, "prompt": context.combo.prompt("say")})

    made.node("say", COMPUTE, to=[END])(say)
    return made.checked()


def said(code: str) -> dict[str, Any]:
    return {"task_type": TASK, "code": code, "prompts": {"say": "Say."}, "state_schema": 1}


GRAPHS = {TASK: graph("old")}
TOOLS = Tools({})


def manifest(_task_type: str) -> dict[str, Any]:
    return said("old")
