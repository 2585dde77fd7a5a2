"""From what a person typed to a state that can be kept, and the difference that is shown of it.

The door is as narrow as for a node: strict JSON, the graph's own schema, the size limit, encrypted
fields, large values that the run knows, lists as they are.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import jsonschema

from canonical import agreement
from canonical import json as canonical
from canonical.diffs import json_changes
from canonical.sensitivity import at, pointer
from checkpoints import blobs, reading
from checkpoints.errors import DamagedRecordError, StateRefusedError
from checkpoints.graph import END, Graph, Json
from checkpoints.migrators import check_schema
from checkpoints.models import Blob, BlobReference, Run
from checkpoints.reading import CHAINS, Loaded
from checkpoints.states import EDIT_STATE, MIGRATE_BY_HAND
from execution.context import NodeContext, sealed_state
from execution.edits import marks
from execution.edits.errors import EditRefusedError
from execution.work import LISTS, NOTHING, STATE_LIMIT_BYTES
from tenants.keys import hiding, seeing, vaults

EDITED_NODE: Final = "(state edited)"
BY_HAND_NODE: Final = "(migrated by hand)"
NODE_OF: Final = {EDIT_STATE: EDITED_NODE, MIGRATE_BY_HAND: BY_HAND_NODE}


@dataclass(frozen=True)
class Written:
    """What a person typed: the state as JSON text, why, and what it is to follow.

    `next_node` counts only where the checkpoint's own is gone from the code; `shown` are stored
    states beside the base whose marks the text may hold (an earlier proposal that is written anew).
    """

    parent_seq: int
    text: str
    reason: str = ""
    next_node: str = ""
    shown: tuple[Json, ...] = field(default=())


@dataclass(frozen=True)
class Base:
    """The checkpoint that is edited, verified: as stored, and what the edit of it would be."""

    run: Run
    graph: Graph
    loaded: Loaded
    kind: str

    @property
    def schema(self) -> int:
        """The number of the schema it was written in."""
        return int(self.loaded.header.get("schema", self.graph.state_schema))

    @property
    def next_is_gone(self) -> bool:
        """Whether this code has no such node to go on with."""
        return self.loaded.next_node not in (*self.graph.nodes, END)

    @property
    def text(self) -> str:
        """The state as its text area is filled: marks for what is encrypted, lists left out."""
        return pretty(self.run.tenant_id, self.loaded.state)


@dataclass(frozen=True)
class Draft:
    """A new state that can be kept. `content` is stored bytes, `diff` what people are shown."""

    base: Base
    content: bytes
    diff: bytes
    next_node: str


def base_of(run: Run, graph: Graph, seq: int) -> Base:
    """The checkpoint to be edited. Raises `EditRefusedError` when it cannot be read back."""
    if not 0 <= seq <= run.head:
        raise EditRefusedError(f"the run has checkpoints up to {run.head}; name one of them")
    try:
        loaded = reading.load(run, seq)
    except DamagedRecordError as error:
        said = hiding.text(str(error))
        raise EditRefusedError(
            f"checkpoint {seq} is not intact, so it stays as it is: {said}"
        ) from error
    if seq == 0:
        # The row says where the run stands now; before its first checkpoint it stood at the start.
        loaded = replace(loaded, next_node=graph.start)
    found = Base(run, graph, loaded, EDIT_STATE)
    by_hand = found.schema != graph.state_schema or found.next_is_gone
    return Base(run, graph, loaded, MIGRATE_BY_HAND) if by_hand else found


def drafted(base: Base, written: Written) -> Draft:
    """The new state, checked and encrypted. Raises `EditRefusedError` that says what is wrong.

    Inside `vaults.bound`: what is sensitive in the old state is known, and hidden in the new.
    """
    vault = vaults.vault_of(base.run.tenant_id)
    stored = [base.loaded.state, *written.shown]
    for each in stored:
        vault.learn(canonical.dumps(each))
    typed = _parsed(written.text)
    state = marks.filled(typed, stored, vault)
    content = _kept(base, state)
    next_node = _next(base, written)
    draft = Draft(base, content, _diff(base, content, next_node), next_node)
    _refuse_if_the_same(draft)
    return draft


def pretty(tenant_id: int, state: Mapping[str, Json]) -> str:
    """A stored state as people edit it: canonical order, indented, without the engine's own members."""
    own = {name: value for name, value in state.items() if name != CHAINS}
    return json_text(seeing.of_value(tenant_id, own).value)


def json_text(value: Json) -> str:
    """A JSON value as people read it: indented, in canonical order."""
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True)


def changes_of(diff: bytes) -> tuple[Json, Json]:
    """What a stored diff compares: before and after."""
    compared = canonical.loads_object(diff)
    return compared["before"], compared["after"]


def _parsed(text: str) -> dict[str, Json]:
    try:
        value = canonical.loads(text)
    except canonical.CanonicalError as error:
        raise EditRefusedError(f"this is not strict JSON: {hiding.text(str(error))}") from error
    if not isinstance(value, dict):
        raise EditRefusedError("a state is a JSON object: { … }")
    return value


def _kept(base: Base, state: dict[str, Json]) -> bytes:
    """Canonical bytes as a node's own step would leave them, with the lists of the base."""
    schema = base.graph.state_schemas.get(base.graph.state_schema, NOTHING)
    context = NodeContext(
        run=base.run,
        loaded=base.loaded,
        node=NODE_OF[base.kind],
        seq=base.run.head + 1,
        input={},
        lists=schema.get(LISTS, NOTHING),
    )
    try:
        content, value = sealed_state(state, context, limit=STATE_LIMIT_BYTES)
        check_schema(base.graph, state, base.graph.state_schema)
        _refuse_strange_blobs(base, value)
        content = context.encrypted(content, schema)
    except StateRefusedError as error:
        raise EditRefusedError(str(hiding.text(str(error)))) from error
    except jsonschema.ValidationError as error:
        where = "/" + "/".join(str(part) for part in error.absolute_path)
        said = hiding.text(error.message)
        raise EditRefusedError(f"it does not fit the schema at {where}: {said}") from error
    if len(content) > STATE_LIMIT_BYTES:
        raise EditRefusedError(
            f"it has {len(content):,} bytes as it is kept, over the limit of {STATE_LIMIT_BYTES:,}"
        )
    return content


def _refuse_strange_blobs(base: Base, value: Json) -> None:
    """A large value can be left or taken out, not brought in: only what this run has named counts."""
    places = list(blobs.places_in(value))
    wanted = {digest for _path, digest in places}
    if not wanted:
        return
    try:
        named = BlobReference.objects.filter(
            run=base.run, digest__in=[bytes.fromhex(digest) for digest in wanted]
        )
    except ValueError as error:
        raise EditRefusedError("a large value is named by something that is no digest") from error
    known = {bytes(digest) for digest in named.values_list("digest", flat=True)}
    rows = Blob.objects.filter(tenant_id=base.run.tenant_id, digest__in=known)
    whole = {bytes(row.digest).hex(): blobs.reference_to(bytes(row.content)) for row in rows}
    for path, digest in places:
        if at(value, path) != whole.get(digest):
            where = pointer(path) or "the root"
            raise EditRefusedError(
                f"{where} names a large value that this run does not have; leave the one that stood "
                "there, or take it out"
            )


def _next(base: Base, written: Written) -> str:
    if not base.next_is_gone:
        return base.loaded.next_node
    if written.next_node not in (*base.graph.nodes, END):
        gone = base.loaded.next_node
        raise EditRefusedError(f"this code has no node {gone!r}; say with which node it goes on")
    return written.next_node


def _diff(base: Base, content: bytes, next_node: str) -> bytes:
    """What people are shown: schema, next node and state, before and after, with marks."""
    sides: dict[str, Any] = {
        "before": _side(base, base.loaded.state, base.schema, base.loaded.next_node),
        "after": _side(base, canonical.loads(content), base.graph.state_schema, next_node),
    }
    return canonical.dumps(sides)


def _side(base: Base, stored: Json, schema: int, next_node: str) -> dict[str, Json]:
    seen = seeing.of_value(base.run.tenant_id, stored).value
    return {"next node": next_node, "schema": schema, "state": seen}


def _refuse_if_the_same(draft: Draft) -> None:
    """Nothing changes nothing, and a change that cannot be seen is not put before anybody."""
    stored = canonical.dumps(draft.base.loaded.state)
    before, after = changes_of(draft.diff)
    moves = (before["schema"], before["next node"]) != (after["schema"], after["next node"])
    if stored == draft.content and not moves:
        raise EditRefusedError(
            "nothing differs from the checkpoint; change something, or try again"
        )
    if not json_changes(before, after) or agreement.of_values(before, after) is not None:
        raise EditRefusedError("what would change cannot be shown, so nobody could approve it")
