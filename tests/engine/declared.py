"""One graph that asks for whatever effect its input names, for declared tools in real systems."""

from typing import Any

from checkpoints.graph import (
    ACTION,
    END,
    RESULTS,
    Context,
    Graph,
    Manifest,
    Node,
    Proposal,
    Result,
    State,
    To,
)
from reconciliation.tools import Tools
from tests.engine.registry import ANYTHING, RULE

NAMES = (
    "book_refund",
    "kinto_note",
    "kinto_refund",
    "pay_refund",
    "restate_refund",
    "settle_ticket",
    "store_receipt",
)
# Filled by the tests: each world has a tool of its own.
TOOLS = Tools({})


def _propose(state: State, context: Context) -> Proposal:
    parameters = dict(context.input["parameters"])
    if "document" in parameters:
        parameters["document"] = context.put(context.input["text"].encode())
    return Proposal(context.input["tool"], parameters)


def _absorb(state: State, result: Result, context: Context) -> To:
    return To(END, {**state, "heard": result.kind, "receipt": result.receipt})


def _graph() -> Graph:
    manifest = Manifest(
        input_schema=ANYTHING,
        input_source="a test",
        data_class="public",
        succeeded=lambda state: state["heard"] == "happened",
        succeeded_says="it happened",
        tools=NAMES,
    )
    graph = Graph("declared", title="declared", start="act", manifest=manifest)
    graph.add(Node("act", ACTION, to=(END,), propose=_propose, absorb=_absorb, handles=RESULTS))
    return graph.checked()


GRAPHS = {"declared": _graph()}


def manifest(task_type: str) -> dict[str, Any]:
    rules = [{"tool": name, **RULE} for name in NAMES]
    return {
        "task_type": task_type,
        "code": "tests",
        "state_schema": GRAPHS[task_type].state_schema,
        "rules": {"rules_schema": 1, "rules": rules},
    }
