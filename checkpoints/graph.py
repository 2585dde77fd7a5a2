"""What an agent author declares: a graph of named nodes, its manifest, and where each may go next.

Pure. The engine calls the functions; they never call the engine except through `Context`.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from checkpoints.errors import GraphError
from checkpoints.versions import Versions

Json = Any  # a value of strict canonical JSON; `canonical.json` is its gate
State = dict[str, Json]

COMPUTE: Final = "compute"
MODEL: Final = "model"
READ: Final = "read"
ACTION: Final = "action"
NodeKind = Literal["compute", "model", "read", "action"]

END: Final = "end"

# What became of an action, as its node's `absorb` hears it.
HAPPENED: Final = "happened"
REFUSED: Final = "refused"
REJECTED: Final = "rejected"
SENT_BACK: Final = "sent_back"
EXPIRED: Final = "expired"
WRITTEN_OFF: Final = "written_off"
RESULTS = (HAPPENED, REFUSED, REJECTED, SENT_BACK, EXPIRED, WRITTEN_OFF)


@dataclass(frozen=True)
class To:
    """Where a node goes: the next node (or `END`) and the whole state it leaves behind."""

    node: str
    state: State


@dataclass(frozen=True)
class Proposal:
    """An effect a node wants: the tool by name, and the exact parameters to be frozen and sent.

    `compensates` is the id of an action that happened and that this one undoes; else empty.
    """

    tool: str
    parameters: dict[str, Json]
    compensates: str = ""


@dataclass(frozen=True)
class Result:
    """What became of a proposal.

    `kind` is one of `RESULTS`; `receipt` is the tool's parsed answer when it happened; `note` is
    what a person or the tool said when it did not.
    """

    kind: str
    action_id: str
    receipt: Json = None
    note: str = ""


class Context(Protocol):
    """What the engine hands to a node. Everything a node keeps goes into its state or through here.

    A list that grows is a chain: `append` adds to it, the items are committed with the checkpoint,
    and the state holds only its length and digest under `state["$chains"]`, kept by the engine.
    """

    @property
    def run_id(self) -> str: ...

    @property
    def tenant(self) -> str: ...

    @property
    def node(self) -> str: ...

    @property
    def seq(self) -> int: ...

    @property
    def input(self) -> Mapping[str, Json]: ...

    @property
    def combo(self) -> Versions:
        """What the run is pinned to: prompts, model, settings. A node reads them nowhere else."""

    def append(self, chain: str, item: Json) -> None: ...

    def items(self, chain: str) -> list[Json]: ...

    def put(self, content: bytes) -> dict[str, Json]:
        """Store a large value by content; returns `{"$blob": <sha256 hex>, "size": bytes}`."""

    def get(self, reference: Mapping[str, Json]) -> bytes: ...

    def saw(self, source: str, version: str) -> None:
        """Record the fingerprint of something a read node read (commit SHA, ETag, version)."""

    def spent(self, **amounts: int) -> None:
        """Record what a model call cost, in integer units (`prompt_tokens=…`)."""


NodeFunction = Callable[[State, Context], To]
ProposeFunction = Callable[[State, Context], Proposal]
AbsorbFunction = Callable[[State, Result, Context], To]
# Reads the present version of a source; None when the source is gone.
CurrentVersion = Callable[[str, Context], str | None]


@dataclass(frozen=True)
class Retry:
    """How often a node is tried again after a declared transient error, and how long it waits."""

    times: int = 0
    transient: tuple[type[Exception], ...] = ()
    first_wait_seconds: float = 1.0
    longest_wait_seconds: float = 60.0


@dataclass(frozen=True)
class Recheck:
    """How a fingerprint is checked before the run goes on, and what to do when it has moved.

    `if_moved`: *note* goes on with an event, *reread* goes back to the node that read it,
    *hold* calls a person.
    """

    current: CurrentVersion
    if_moved: Literal["note", "reread", "hold"] = "hold"


@dataclass(frozen=True)
class Node:
    """One named unit of work. Action nodes have `propose` and `absorb` instead of `run`."""

    name: str
    kind: NodeKind
    to: tuple[str, ...]
    run: NodeFunction | None = None
    propose: ProposeFunction | None = None
    absorb: AbsorbFunction | None = None
    handles: tuple[str, ...] = ()
    output: Mapping[str, Json] | None = None
    deadline_seconds: int | None = None
    retry: Retry = field(default_factory=Retry)
    recheck: Recheck | None = None


@dataclass(frozen=True)
class Forbidden:
    """An effect the task type must never propose: any given field that matches forbids it."""

    tool: str = ""
    target_prefix: str = ""
    magnitude_over: tuple[str, int] | None = None


@dataclass(frozen=True)
class Manifest:
    """What a task type promises and what it must not do; part of every combo's digest."""

    input_schema: Mapping[str, Json]
    input_source: str
    data_class: Literal["public", "internal", "personal", "secret"]
    succeeded: Callable[[State], bool]
    succeeded_says: str
    tools: tuple[str, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    owner: str | None = None
    timeout_seconds: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)


Migrator = Callable[[State], State]


class Graph:
    """The definition of a task type. `Graph.migrate(2, 3)` registers how state 2 becomes 3."""

    def __init__(
        self,
        task_type: str,
        *,
        title: str,
        start: str,
        manifest: Manifest,
        state_schema: int = 1,
        state_schemas: Mapping[int, Mapping[str, Json]] | None = None,
    ) -> None:
        self.task_type = task_type
        self.title = title
        self.start = start
        self.manifest = manifest
        self.state_schema = state_schema
        self.state_schemas = dict(state_schemas or {})
        self.nodes: dict[str, Node] = {}
        self.migrators: dict[tuple[int, int], Migrator] = {}

    def add(self, node: Node) -> Node:
        """Declare a node. Raises `GraphError` when the name is taken or its functions don't fit."""
        if node.name in self.nodes or node.name == END:
            raise GraphError(f"{self.task_type}: the node name {node.name!r} is taken")
        is_action = node.kind == ACTION
        if is_action != (node.propose is not None and node.absorb is not None):
            raise GraphError(f"{self.task_type}.{node.name}: propose and absorb make an action")
        if is_action == (node.run is not None):
            raise GraphError(f"{self.task_type}.{node.name}: exactly one of run or propose/absorb")
        unknown = set(node.handles) - set(RESULTS)
        if unknown:
            raise GraphError(f"{self.task_type}.{node.name}: unknown results {sorted(unknown)}")
        if is_action and HAPPENED not in node.handles:
            # It would end with a stop reason that does not exist.
            raise GraphError(f"{self.task_type}.{node.name}: an action handles {HAPPENED!r}")
        self.nodes[node.name] = node
        return node

    def node(
        self, name: str, kind: NodeKind, *, to: Sequence[str], **options: Any
    ) -> Callable[[NodeFunction], NodeFunction]:
        """Decorator for compute, model and read nodes; options are the fields of `Node`."""

        def declare(function: NodeFunction) -> NodeFunction:
            self.add(Node(name=name, kind=kind, to=tuple(to), run=function, **options))
            return function

        return declare

    def migrate(self, old: int, new: int) -> Callable[[Migrator], Migrator]:
        """Decorator: the function turns a state of schema `old` into one of schema `new`."""

        def declare(function: Migrator) -> Migrator:
            self.migrators[(old, new)] = function
            return function

        return declare

    def at_schema(self, number: int, schema: Mapping[str, Json] | None) -> "Graph":
        """The same graph as if it wrote state `number`, whose schema somebody else declared."""
        other = copy(self)
        other.state_schema, other.migrators = number, dict(self.migrators)
        other.state_schemas = {**self.state_schemas, **({} if schema is None else {number: schema})}
        return other

    def checked(self) -> "Graph":
        """Refuse a graph with an edge to nowhere. Returns the graph, so it reads as a last line."""
        for node in self.nodes.values():
            missing = [name for name in node.to if name != END and name not in self.nodes]
            if missing:
                raise GraphError(f"{self.task_type}.{node.name} goes to unknown {missing}")
        if self.start not in self.nodes:
            raise GraphError(f"{self.task_type} starts at unknown node {self.start!r}")
        return self
