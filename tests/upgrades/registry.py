"""What stored runs were started with: their task type and tools stay as they are, release by release.

Whatever changes here must still take up every run of `tests/upgrades/stored`: a new task type beside
it, or a new state schema with its migrator.
"""

from collections.abc import Mapping
from typing import Any, Final

from canonical import digests
from canonical import json as canonical
from checkpoints.graph import (
    ACTION,
    COMPUTE,
    END,
    READ,
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
from reconciliation.tools import Call, Capabilities, DryRun, Tools
from tests.engine.faketools import Fake

STORED: Final = "stored"
STEPS: Final = 3
SECRET: Final = {"type": "string", "x-sensitivity": "secret"}
STATE: Final = {"type": "object", "properties": {"token": SECRET}}
INPUT: Final = {
    "type": "object",
    "properties": {"tool": {"type": "string"}, "what": {"type": "string"}, "token": SECRET},
    "required": ["tool", "what"],
}
PARAMETERS: Final = {
    "type": "object",
    "properties": {"what": {"type": "string"}, "token": SECRET},
    "required": ["what"],
    "additionalProperties": False,
}


class Stored(Fake):
    """Tells nobody of the token, and leaves its digest in the world: so it is known to be whole."""

    parameters_schema: Mapping[str, Any] = PARAMETERS

    def dry_run(self, call: Call) -> DryRun:
        return DryRun(f"+{call.parameters['what']}\n".encode(), "text/plain", {"world": "1"})

    def _receipt(self, call: Call) -> bytes:
        what = call.parameters["what"]
        if "token" in call.parameters:
            what += f" {digests.sha256_hex(call.parameters['token'].encode())}"
        return canonical.dumps({"what": what, "action": call.action_id})


VOID, LOOK_UP, NOTHING = "stored.void", "stored.look_up", "stored.nothing"
ALL = (
    Stored(VOID, Capabilities(void=True, look_up=True)),
    Stored(LOOK_UP, Capabilities(look_up=True)),
    Stored(NOTHING, Capabilities()),
)


def _look(state: State, context: Context) -> To:
    context.saw("world", "1")
    return To("count", {"at": 0})


def _count(state: State, context: Context) -> To:
    at = int(state["at"]) + 1
    context.append("log", {"step": at})
    kept = {"file": context.put(b"a large value")} if at == 1 else {}
    after = {**state, **kept, "at": at}
    if "token" in context.input:
        after["token"] = context.input["token"]
    return To("act" if at >= STEPS else "count", after)


def _propose(state: State, context: Context) -> Proposal:
    secret = {"token": state["token"]} if "token" in state else {}
    return Proposal(context.input["tool"], {"what": context.input["what"], **secret})


def _absorb(state: State, result: Result, context: Context) -> To:
    """Approvals run out in the years that a database lies: then it is asked anew."""
    ended = result.kind == "happened"
    return To(END if ended else "act", {**state, "heard": result.kind})


def _graph() -> Graph:
    manifest = Manifest(
        input_schema=INPUT,
        input_source="a release",
        data_class="secret",
        succeeded=lambda state: state["at"] == STEPS and state["heard"] == "happened",
        succeeded_says="it counted and its effect happened",
        tools=tuple(tool.name for tool in ALL),
    )
    graph = Graph(STORED, title=STORED, start="look", manifest=manifest, state_schemas={1: STATE})
    graph.node("look", READ, to=["count"])(_look)
    graph.node("count", COMPUTE, to=["count", "act"])(_count)
    act = Node("act", ACTION, to=("act", END), propose=_propose, absorb=_absorb, handles=RESULTS)
    graph.add(act)
    return graph.checked()


TOOLS = Tools({tool.name: tool for tool in ALL})
GRAPHS = {STORED: _graph()}
RULE: Final = {
    "then": "ask",
    "approvers": 1,
    "not_starter": True,
    "permission": "approve_actions",
    "expires_after_seconds": 3600,
}


def manifest(task_type: str) -> dict[str, Any]:
    rules = {"rules_schema": 1, "rules": [{"tool": tool.name, **RULE} for tool in ALL]}
    return {"task_type": task_type, "code": "stored", "state_schema": 1, "rules": rules}
