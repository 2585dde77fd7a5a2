"""What the restore stories run: voyages of many effects, so that an old record lacks several of one run.

Found through KEDGE_AGENTS. Its tools are fakes whose world is a folder: one can be looked up, one
can do nothing. Effects of the one task type are passed by a rule, those of the other are asked for.
"""

import time
from typing import Any

from checkpoints.graph import (
    ACTION,
    COMPUTE,
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
from reconciliation.tools import Capabilities, Tools
from tests.engine import registry as engine
from tests.engine.faketools import Fake

PASSED, ASKED = "passed", "asked"
TASKS = (PASSED, ASKED)
THINKING_SECONDS = 0.05
LOOKED_UP = Fake("fake.look_up", Capabilities(look_up=True))
NOTHING = Fake("fake.nothing", Capabilities())
ALL = (LOOKED_UP, NOTHING)


def _think(state: State, context: Context) -> To:
    time.sleep(THINKING_SECONDS)
    legs = int(state.get("legs", 0))
    done = legs >= int(context.input["legs"])
    return To(END if done else "act", {"legs": legs, "thought": f"{legs} legs"})


def _propose(state: State, context: Context) -> Proposal:
    return Proposal(context.input["tool"], {"what": f"{context.input['what']}-{state['legs']}"})


def _absorb(state: State, result: Result, context: Context) -> To:
    return To("think", {**state, "legs": state["legs"] + 1})


def _voyage(task_type: str) -> Graph:
    manifest = Manifest(
        input_schema=engine.ANYTHING,
        input_source="a test",
        data_class="public",
        succeeded=lambda state: "thought" in state,
        succeeded_says="it arrived",
        tools=tuple(tool.name for tool in ALL),
    )
    graph = Graph(task_type, title=task_type, start="think", manifest=manifest)
    graph.node("think", COMPUTE, to=["act", END])(_think)
    graph.add(Node("act", ACTION, to=("think",), propose=_propose, absorb=_absorb, handles=RESULTS))
    return graph.checked()


UNDONE = {
    "if": {"reversibility": ["reversible"]},
    "then": "allow",
    "expires_after_seconds": 3600,
}
PASSING = [{"name": f"pass-{tool.name[5:]}", "tool": tool.name, **UNDONE} for tool in ALL]
RULES: dict[str, dict[str, Any]] = {
    PASSED: {"rules_schema": 2, "rules": PASSING},
    ASKED: {"rules_schema": 1, "rules": [{"tool": tool.name, **engine.RULE} for tool in ALL]},
}
GRAPHS = {task_type: _voyage(task_type) for task_type in TASKS}
TOOLS = Tools({tool.name: tool for tool in ALL})


def manifest(task_type: str) -> dict[str, Any]:
    return {"task_type": task_type, "code": "tests", "state_schema": 1, "rules": RULES[task_type]}
