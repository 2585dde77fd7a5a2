"""A `Context` in memory, and a walk through a whole graph with the answers of the world given.

The walk does what the engine promises its nodes: each state is parsed back from its canonical
bytes and checked against the declared schemas, lists are committed with the step, and every
compute node runs twice, as after a crash, and must leave the same both times.
"""

import copy
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from jsonschema import Draft202012Validator

from agents import registry
from canonical import json as canonical
from checkpoints.graph import (
    ACTION,
    COMPUTE,
    END,
    Graph,
    Json,
    Node,
    Proposal,
    Result,
    State,
    To,
)
from checkpoints.migrators import check_schema
from checkpoints.versions import Versions, of_manifest

Left = TypeVar("Left", To, Proposal)
Answer = Callable[[str, Proposal], Result]  # what becomes of the proposal of a node


@dataclass
class MemoryContext:
    """Lists and blobs of one run, as far as committed, and what the present step adds."""

    input: Mapping[str, Json]
    tenant: str = "acme"
    run_id: str = "run-1"
    node: str = ""
    seq: int = 0
    blobs: dict[str, bytes] = field(default_factory=dict)
    chains: dict[str, list[Json]] = field(default_factory=dict)
    appended: list[tuple[str, Json]] = field(default_factory=list)
    seen: dict[str, str] = field(default_factory=dict)
    cost: dict[str, int] = field(default_factory=dict)
    combo: Versions = field(default_factory=Versions)

    def append(self, chain: str, item: Json) -> None:
        self.appended.append((chain, canonical.loads(canonical.dumps(item))))

    def items(self, chain: str) -> list[Json]:
        new = [item for name, item in self.appended if name == chain]
        return copy.deepcopy(self.chains.get(chain, []) + new)

    def put(self, content: bytes) -> dict[str, Json]:
        digest = hashlib.sha256(content).hexdigest()
        self.blobs[digest] = content
        return {"$blob": digest, "size": len(content)}

    def get(self, reference: Mapping[str, Json]) -> bytes:
        return self.blobs[reference["$blob"]]

    def saw(self, source: str, version: str) -> None:
        self.seen[source] = version

    def spent(self, **amounts: int) -> None:
        for name, amount in amounts.items():
            self.cost[name] = self.cost.get(name, 0) + amount

    def commit(self, state: State) -> State:
        """Take in what the step appended; returns the state as the next node gets it."""
        for chain, item in self.appended:
            self.chains.setdefault(chain, []).append(item)
        self.appended = []
        self.seq += 1
        assert not any(name.startswith("$") for name in state), "names with $ are the engine's"
        parsed: State = canonical.normal(state)[1]  # type: ignore[assignment]
        return parsed


@dataclass
class Walked:
    """The end of a walk: the last state, the nodes in order, all proposals, and why it stopped."""

    state: State = field(default_factory=dict)
    nodes: list[str] = field(default_factory=list)
    proposals: list[tuple[str, Proposal]] = field(default_factory=list)
    stop: str = ""


def versions_of(task_type: str, variant: str = "") -> Versions:
    """What the combo says that the files of a task make."""
    return of_manifest(canonical.dumps(registry.manifest(task_type, variant)))


def walk(graph: Graph, context: MemoryContext, answer: Answer | None = None) -> Walked:
    """Run a graph from its start to `END`, of the combo that the task's files make or of another."""
    if not context.combo.task_type:
        context.combo = versions_of(graph.task_type)
    walked, name = Walked(), graph.start
    while name != END:
        node = graph.nodes[name]
        context.node = name
        walked.nodes.append(name)
        to = _step(node, walked, context, answer)
        if walked.stop:
            return walked
        assert to.node in node.to, f"{name} went to {to.node}, which it did not declare"
        walked.state = context.commit(to.state)
        check_schema(graph, walked.state, graph.state_schema)
        Draft202012Validator(node.output or {}).validate(walked.state)
        name = to.node
    return walked


def _step(node: Node, walked: Walked, context: MemoryContext, answer: Answer | None) -> To:
    if node.kind == ACTION:
        assert node.propose
        assert node.absorb
        assert answer
        proposal = _twice(context, lambda: node.propose(copy.deepcopy(walked.state), context))  # type: ignore[misc]
        canonical.dumps(proposal.parameters)
        walked.proposals.append((node.name, proposal))
        result = answer(node.name, proposal)
        if result.kind not in node.handles:
            walked.stop = result.kind
            return To(END, walked.state)
        return node.absorb(copy.deepcopy(walked.state), result, context)
    assert node.run
    run = node.run
    if node.kind == COMPUTE:
        return _twice(context, lambda: run(copy.deepcopy(walked.state), context))
    return run(copy.deepcopy(walked.state), context)


def _twice(context: MemoryContext, act: Callable[[], Left]) -> Left:
    """As if the process had died after the first time, before anything was committed."""
    first = act()
    traces, context.appended = context.appended, []
    again = act()
    assert again == first
    assert context.appended == traces
    return again
