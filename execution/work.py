"""A worker's turn with one run: what it holds, and the one way to commit a step."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from canonical import json as canonical
from checkpoints import commits, proving, recoveries
from checkpoints.commits import Committed, Lease, Made, Sent
from checkpoints.graph import END, Graph, Json, Node
from checkpoints.headers import Ancestry, Step
from checkpoints.models import Run
from checkpoints.reading import Loaded
from checkpoints.timers import SelfStop
from execution.context import NodeContext, sealed_state
from tenants.actors import Actor
from tenants.keys import vaults

STATE_LIMIT_BYTES = 256 * 1024
NOTHING: Mapping[str, Json] = {}
LISTS = "x-lists"  # in a state schema: the schema of the items of each list
WORKER = Actor.machine("worker")
# So many quick nodes are committed before it is asked again whether the turn should end.
LONGEST_STRETCH = 32

Commit = Callable[[Lease, Ancestry, Step], Committed]


@dataclass(frozen=True)
class _UnderWay:
    """A commit that is not answered yet, and where the turn stood before it."""

    sent: Sent
    lease: Lease
    loaded: Loaded


@dataclass
class Work:
    """One run under one lease. `loaded` is the verified head that the next node starts from."""

    lease: Lease
    run: Run
    graph: Graph
    loaded: Loaded
    self_stop: SelfStop
    draining: Callable[[], bool]
    called_away: bool = False
    committed: int = 0
    # What the next node raised, when it ran ahead; the longest each node took in this turn.
    ahead: Any = None
    took: dict[str, float] = field(default_factory=dict)
    _under_way: list[_UnderWay] = field(default_factory=list)

    @property
    def node(self) -> Node:
        """The node that is next."""
        return self.graph.nodes[self.loaded.next_node]

    @property
    def at_end(self) -> bool:
        return self.loaded.next_node == END

    def context(self) -> NodeContext:
        """A fresh context for the next step."""
        return NodeContext(
            run=self.run,
            loaded=self.loaded,
            node=self.loaded.next_node,
            seq=self.lease.head + 1,
            input=canonical.loads_object(self._input),
            lists=self._schema.get(LISTS, NOTHING),
            settle=self.settle,
        )

    def opened(self, loaded: Loaded) -> Loaded:
        """A verified checkpoint with its state in the clear. Raises `ErasedError`, `KeyRingError`."""
        state = vaults.vault_of(self.run.tenant_id).decrypted(loaded.state)
        return replace(loaded, state=state)

    def step(self, context: NodeContext, state: object, next_node: str, **more: Any) -> Step:
        """The step that leaves `state` behind. Raises `StateRefusedError`, `KeyRingError`."""
        content, value = sealed_state(state, context, limit=STATE_LIMIT_BYTES)
        content = context.encrypted(content, self._schema)
        if context.appended and context.encrypt_late():
            # The state names the digests of the lists.
            content, value = sealed_state(state, context, limit=STATE_LIMIT_BYTES)
            content = context.encrypted(content, self._schema)
        return Step(
            node=context.node,
            next_node=next_node,
            state=content,
            schema=self.graph.state_schema,
            appended=context.appended_bytes(),
            blobs=context.store(value),
            saw=context.fingerprints,
            parsed=value,
            **more,
        )

    @property
    def _schema(self) -> Mapping[str, Json]:
        return self.graph.state_schemas.get(self.graph.state_schema, NOTHING)

    @cached_property
    def _input(self) -> bytes:
        return vaults.vault_of(self.run.tenant_id).decrypted_bytes(bytes(self.run.input))

    def commit(self, step: Step, *, through: Commit = commits.commit) -> None:
        """Commit a step on top of the head and go on from what was committed."""
        self.commit_after(self.loaded.ancestry(self.run), step, through=through)

    def commit_after(
        self, before: Ancestry, step: Step, *, through: Commit = commits.commit
    ) -> None:
        """Commit a step whose parent may be an earlier checkpoint (the run goes back)."""
        committed = through(self.lease, before, step)
        self._move_to(committed.seq, committed.digest, before, step)
        self._confirm(committed)

    def made(self, step: Step) -> Made:
        """The bytes of a commit on top of the head, for `commit_stretch`."""
        return commits.made(self.lease, self.loaded.ancestry(self.run), step)

    def commit_stretch(self, made: Made, *, ahead: Callable[["Work"], Made | None]) -> None:
        """Commit, and what `ahead` makes on top of that while it is on its way, and so on.

        At most two commits are under way: when the first is refused, so is the one behind it, which
        asks for a head that never was. Nothing that `ahead` does may outlast a refusal, and it asks
        the database only after `settle`. Raises what the first that is refused raises.
        """
        nxt: Made | None = made
        stretch = 0
        try:
            while nxt is not None:
                self._under_way.append(_UnderWay(commits.send(nxt), self.lease, self.loaded))
                self._move_to(nxt.seq, nxt.digest, nxt.before, nxt.step)
                stretch += 1
                self._hear(leave=0 if self._owes_proof or stretch == LONGEST_STRETCH else 1)
                goes_on = self._under_way and not self.called_away
                nxt = ahead(self) if goes_on else None
            self._hear(leave=0)
        except BaseException:
            self._go_back()
            raise

    def settle(self) -> None:
        """Wait until what is being committed stands. Raises what the commit raises."""
        for each in self._under_way:
            _ = each.sent.committed

    @property
    def _owes_proof(self) -> bool:
        return self.lease.owes_proof

    def _hear(self, *, leave: int) -> None:
        """Take in what became of the oldest commits, until so many are under way."""
        while len(self._under_way) > leave:
            committed = self._under_way[0].sent.committed
            del self._under_way[0]
            self._confirm(committed)

    def _go_back(self) -> None:
        """Stand where the last answered commit left the turn; the ones behind it are refused too."""
        under_way, self._under_way, self.ahead = self._under_way, [], None
        if under_way:
            self.lease, self.loaded = under_way[0].lease, under_way[0].loaded
        for each in under_way:
            with suppress(Exception):  # what the first of them raised is being raised
                _ = each.sent.committed

    def _move_to(self, seq: int, digest: str, before: Ancestry, step: Step) -> None:
        self.lease = replace(self.lease, head=seq)
        self.loaded = Loaded(
            seq=seq,
            digest=digest,
            header=_inherited(before, step),
            state=step.parsed or canonical.loads_object(step.state),
            next_node=step.next_node,
        )

    def _confirm(self, committed: Committed) -> None:
        self.called_away = committed.called_away
        if self.lease.owes_proof:
            self._prove()
        self.committed += 1

    def _prove(self) -> None:
        """A recovery ends with the first boundary; a case when the run is past its trouble."""
        if self.committed == 0:
            recoveries.end(self.run.id, how="recovered")
        if proving.close_past(self.run.id):
            self.lease = replace(self.lease, owes_proof=False)


def _inherited(before: Ancestry, step: Step) -> dict[str, Json]:
    """The members of the new header that the next step needs, without parsing it again."""
    proposals = dict(before.proposals)
    if step.proposes:
        proposals[step.node] = proposals.get(step.node, 0) + 1
    return {
        "done": before.done + 1,
        "saw": {**before.saw, **step.saw},
        "proposals": proposals,
        "schema": step.schema,
        "stop": step.stop,
    }
