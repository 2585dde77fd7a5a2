"""The header of a checkpoint: what its digest covers. Pure; `docs/PROTOCOL.md` is its statement.

A header costs bytes at every step, so an absent member means empty, an absent `parent_seq` the
checkpoint before, and digests are written in base64url (RFC 4648 §5, no padding): 43 characters.
What a step appends to lists is covered by their digests in the state.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from canonical import digests
from canonical import json as canonical
from checkpoints.graph import Json

PROTOCOL = 1
PROPOSED = "proposed"  # what a mark says of an action that this step proposed


@dataclass(frozen=True)
class ActionMark:
    """What a checkpoint says of an action: the record knows no more of it than this."""

    action_id: str
    parameters_digest: str
    outcome: str
    receipt_digest: str = ""

    def as_json(self) -> dict[str, Json]:
        parameters = written(self.parameters_digest)
        mark = {"id": self.action_id, "parameters": parameters, "is": self.outcome}
        return mark | ({"receipt": written(self.receipt_digest)} if self.receipt_digest else {})


@dataclass(frozen=True)
class Origin:
    """Where a fork begins: a checkpoint of another run, by its digest (hex; its genesis for 0)."""

    run_id: UUID
    seq: int
    digest: str

    def as_json(self) -> dict[str, Json]:
        return {"run": str(self.run_id), "seq": self.seq, "checkpoint": written(self.digest)}


@dataclass(frozen=True)
class Ancestry:
    """What a header inherits: where the run stands before the step."""

    tenant_id: int
    run_id: UUID
    combo_digest: str
    seq: int
    digest: str
    done: int = 0
    saw: Mapping[str, Json] = field(default_factory=dict)
    proposals: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One step to be committed: `state` is canonical bytes, `appended` too (None = nothing).

    `saw` maps each source read to `[version, node that read it]`; `stop` is why the run will end
    when `next_node` is the end and it is no success. `edit` is the hash (hex) of what a second person
    allowed, when a person wrote the state.
    """

    node: str
    next_node: str
    state: bytes
    schema: int
    appended: bytes | None = None
    blobs: tuple[str, ...] = ()
    actions: tuple[ActionMark, ...] = ()
    saw: Mapping[str, Json] = field(default_factory=dict)
    proposes: bool = False
    stop: str = ""
    edit: str = ""
    forked: Origin | None = None
    # The state read back from `state`, when the maker of the step has it at hand.
    parsed: dict[str, Json] | None = field(default=None, compare=False, repr=False)


def genesis(tenant_id: int, run_id: UUID, combo_digest: str, input_digest: str) -> str:
    """The parent digest of a run's first checkpoint: binds it to what was asked, and by whom."""
    started = [tenant_id, str(run_id), combo_digest, input_digest]
    return digests.tagged("run-start", started)


def fork_genesis(started: str, origin: Origin) -> str:
    """The parent digest of a fork's first checkpoint: `started` is its genesis were it no fork."""
    return digests.tagged("run-fork", [started, str(origin.run_id), origin.seq, origin.digest])


def header_bytes(before: Ancestry, step: Step, *, seq: int) -> bytes:
    """Canonical bytes of the header of checkpoint `seq` whose parent is `before`."""
    header: dict[str, Json] = {
        "protocol": PROTOCOL,
        "tenant": before.tenant_id,
        "run": str(before.run_id),
        "seq": seq,
        "parent": written(before.digest),
        "node": step.node,
        "next": step.next_node,
        "done": before.done + 1,
        "combo": written(before.combo_digest),
        "schema": step.schema,
        "state": written(digests.sha256_hex(step.state)),
    }
    proposals = dict(before.proposals)
    if step.proposes:
        proposals[step.node] = proposals.get(step.node, 0) + 1
    saw = {**before.saw, **step.saw}
    optional: dict[str, Json] = {
        "parent_seq": before.seq if before.seq != seq - 1 else None,
        "actions": [mark.as_json() for mark in step.actions],
        "saw": saw,
        "proposals": proposals,
        "stop": step.stop,
        "edit": written(step.edit) if step.edit else "",
        "forked": step.forked and step.forked.as_json(),
    }
    header |= {name: value for name, value in optional.items() if value or value == 0}
    return canonical.dumps(header)


def proposed_for_good(header: Mapping[str, Json]) -> dict[str, int]:
    """How often each node has proposed, without the proposal that this checkpoint itself made.

    Whoever goes on from here makes that one again: the same effect, with the same ordinal.
    """
    proposals = dict(header.get("proposals", {}))
    node = str(header.get("node", ""))
    if any(mark.get("is") == PROPOSED for mark in header.get("actions", ())):
        proposals[node] -= 1
    return {name: number for name, number in proposals.items() if number}


def written(digest: str) -> str:
    """A digest (hex) as headers write it."""
    return base64.urlsafe_b64encode(bytes.fromhex(digest)).rstrip(b"=").decode()


def parent_seq(header: Mapping[str, Json]) -> int:
    """Which checkpoint a header follows."""
    return int(header.get("parent_seq", int(header["seq"]) - 1))
