"""What the benchmark runs: a conversation of compute steps, and effects one after the other."""

import base64
import hashlib
import time
from typing import Any

from checkpoints.graph import (
    ACTION,
    COMPUTE,
    END,
    HAPPENED,
    Context,
    Graph,
    Manifest,
    Node,
    Proposal,
    Result,
    State,
    To,
)
from reconciliation.tools import Call, Sent, Tools
from tests.engine.faketools import ALL, Fake
from tests.engine.registry import RULES


class Clocked(Fake):
    """A fake tool that says how long its own part takes: what is measured is the engine."""

    def __init__(self, fake: Fake) -> None:
        super().__init__(fake.name, fake.capabilities)
        self.seconds = 0.0

    def perform(self, call: Call) -> Sent:
        began = time.perf_counter()
        try:
            return super().perform(call)
        finally:
            self.seconds += time.perf_counter() - began


def _say(state: State, context: Context) -> To:
    """One step of a conversation: as much text as the input asks for, appended."""
    at = int(state.get("at", 0))
    size = context.input.get("bytes_per_step", 0)
    if size:
        context.append("messages", _text(at, size))
    over = at + 1 >= context.input["steps"]
    return To(END if over else "say", {"at": at + 1})


def _text(at: int, size: int) -> str:
    """Text that does not compress, the same each time the step runs."""
    return base64.b64encode(hashlib.shake_256(str(at).encode()).digest(size)).decode()[:size]


def _propose(state: State, context: Context) -> Proposal:
    return Proposal("fake.void", {"what": f"{context.run_id}-{state.get('at', 0)}"})


def _absorb(state: State, result: Result, context: Context) -> To:
    at = int(state.get("at", 0)) + 1
    return To(END if at >= context.input["steps"] else "act", {"at": at})


def _manifest() -> Manifest:
    return Manifest(
        input_schema={"type": "object"},
        input_source="the benchmark",
        data_class="public",
        succeeded=lambda _: True,
        succeeded_says="always",
        tools=("fake.void",),
    )


CONVERSATION = Graph("conversation", title="Conversation", start="say", manifest=_manifest())
CONVERSATION.node("say", COMPUTE, to=["say", END])(_say)
EFFECTS = Graph("effects", title="Effects", start="act", manifest=_manifest())
EFFECTS.add(
    Node("act", ACTION, to=("act", END), propose=_propose, absorb=_absorb, handles=(HAPPENED,))
)

GRAPHS = {graph.task_type: graph.checked() for graph in (CONVERSATION, EFFECTS)}
CLOCKED = {tool.name: Clocked(tool) for tool in ALL}
TOOLS = Tools(dict(CLOCKED))


def manifest(task_type: str) -> dict[str, Any]:
    return {"task_type": task_type, "code": "bench", "state_schema": 1, "rules": RULES}
