"""What the engine's own tests run: small graphs of every node kind, and tools of every kind.

Found through KEDGE_AGENTS, like an installation's agents. The outside world of the fakes is a
folder named by KEDGE_FAKE_WORLD, so that it outlives every process that is killed.
"""

from typing import Any

from checkpoints.graph import (
    ACTION,
    COMPUTE,
    END,
    MODEL,
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
from reconciliation.tools import CannotFollow, Compensation, Followed, FollowUp, Tools
from tests.engine.faketools import ALL

ANYTHING = {"type": "object"}
RULE = {
    "then": "ask",
    "approvers": 1,
    "not_starter": True,
    "permission": "approve_actions",
    "expires_after_seconds": 3600,
}
RULES = {"rules_schema": 1, "rules": [{"tool": tool.name, **RULE} for tool in ALL]}


def _look(state: State, context: Context) -> To:
    context.saw("world", "1")
    return To("count", {"at": 0, "sum": 0})


def _count(state: State, context: Context) -> To:
    at = state["at"] + 1
    context.append("log", {"step": at, "text": "x" * 20})
    if at == 2:
        state["blob"] = context.put(b"large value")
    after = {**state, "at": at, "sum": state["sum"] + at}
    return To("think" if at >= context.input.get("steps", 3) else "count", after)


def _think(state: State, context: Context) -> To:
    context.spent(prompt_tokens=3)
    thought = f"{len(context.items('log'))} steps"
    return To("act" if context.input.get("tool") else END, {**state, "thought": thought})


def _propose(state: State, context: Context) -> Proposal:
    times = int(state.get("times", 0))
    return Proposal(context.input["tool"], {"what": f"{context.input['what']}-{times}"})


def _absorb(state: State, result: Result, context: Context) -> To:
    heard = [*state.get("heard", []), [result.kind, result.note]]
    if result.kind == "sent_back":
        return To("act", {**state, "heard": heard, "times": int(state.get("times", 0)) + 1})
    return To(END, {**state, "heard": heard, "receipt": result.receipt})


def _graph(task_type: str, handles: tuple[str, ...]) -> Graph:
    manifest = Manifest(
        input_schema=ANYTHING,
        input_source="a test",
        data_class="public",
        succeeded=lambda state: "thought" in state,
        succeeded_says="it thought",
        tools=tuple(tool.name for tool in ALL),
    )
    graph = Graph(task_type, title=task_type, start="look", manifest=manifest)
    graph.node("look", READ, to=["count"])(_look)
    graph.node("count", COMPUTE, to=["count", "think"])(_count)
    graph.node("think", MODEL, to=["act", END])(_think)
    action = Node("act", ACTION, to=("act", END), propose=_propose, absorb=_absorb, handles=handles)
    graph.add(action)
    return graph.checked()


def _undo(state: State, context: Context) -> Proposal:
    what = {"what": f"undo-{context.input['what']}"}
    return Proposal("fake.void", what, compensates=context.input["action_id"])


def _undoing() -> Graph:
    manifest = Manifest(
        input_schema=ANYTHING,
        input_source="a verdict",
        data_class="public",
        succeeded=lambda _state: True,
        succeeded_says="it is undone",
        tools=("fake.void",),
    )
    graph = Graph("undo", title="undo", start="act", manifest=manifest)
    graph.add(Node("act", ACTION, to=(END,), propose=_undo, absorb=_absorb, handles=("happened",)))
    return graph.checked()


def _input_of(undone: Followed) -> dict[str, Any]:
    return {"what": undone.parameters["what"], "action_id": undone.action_id, "why": undone.why}


def _tell(_state: State, context: Context) -> Proposal:
    return Proposal("fake.void", {"what": f"tell-{context.input['about']}: {context.input['say']}"})


def _telling() -> Graph:
    manifest = Manifest(
        input_schema={"type": "object", "properties": {"about": {"type": "string"}}},
        input_source="a person who planned follow-ups",
        data_class="public",
        succeeded=lambda _state: True,
        succeeded_says="it is said",
        tools=("fake.void",),
    )
    graph = Graph("tell", title="tell", start="act", manifest=manifest)
    graph.add(Node("act", ACTION, to=(END,), propose=_tell, absorb=_absorb, handles=("happened",)))
    return graph.checked()


def _about(followed: Followed) -> dict[str, Any]:
    about = followed.input.get("whom", followed.parameters["what"])
    if about == "nobody":
        raise CannotFollow("There is nobody to tell.")
    return {"about": about, "action_id": followed.action_id, "say": followed.say}


GRAPHS = {
    "steps": _graph("steps", RESULTS),
    "strict": _graph("strict", ("happened",)),
    "undo": _undoing(),
    "tell": _telling(),
}
COMPENSATIONS = {tool.name: Compensation("undo", _input_of) for tool in ALL}
FOLLOW_UPS = {tool.name: FollowUp("tell", _about) for tool in ALL}
TOOLS = Tools({tool.name: tool for tool in ALL})


def manifest(task_type: str) -> dict[str, Any]:
    return {
        "task_type": task_type,
        "code": "tests",
        "state_schema": GRAPHS[task_type].state_schema,
        "rules": RULES,
    }
