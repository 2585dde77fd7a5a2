"""Reading the record back: nothing is used that is not what was committed.

Every read verifies tenant, header, parent link, state, lists and blobs. Damage is raised, never
skipped; the run's caller quarantines it by opening a case, and the bytes stay as they are.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db.models import Subquery

from canonical import digests
from canonical import json as canonical
from checkpoints import blobs, pins
from checkpoints.errors import DamagedRecordError, MissingBlobError
from checkpoints.graph import Json, State
from checkpoints.headers import (
    PROTOCOL,
    Ancestry,
    Origin,
    fork_genesis,
    genesis,
    parent_seq,
    written,
)
from checkpoints.models import Blob, Checkpoint, Fork, Run

CHAINS = "$chains"


@dataclass(frozen=True)
class Loaded:
    """A verified checkpoint: what its header says, and the state parsed from its bytes."""

    seq: int
    digest: str
    header: dict[str, Json]
    state: State
    next_node: str

    def ancestry(self, run: Run) -> Ancestry:
        """What the next header inherits."""
        return Ancestry(
            tenant_id=run.tenant_id,
            run_id=run.id,
            combo_digest=run.combo.hex,
            seq=self.seq,
            digest=self.digest,
            done=int(self.header.get("done", 0)),
            saw=self.header.get("saw", {}),
            proposals=self.header.get("proposals", {}),
        )


def load_head(run: Run) -> Loaded:
    """The run's latest checkpoint, verified with its parent link. Raises `DamagedRecordError`.

    A run without a checkpoint loads as its genesis: empty state at the graph's start.
    """
    return load(run, run.head)


def load(run: Run, seq: int) -> Loaded:
    """One checkpoint of a run, verified. Raises `DamagedRecordError`."""
    with _misread_is_damage():
        return _genesis(run) if seq == 0 else _verified(run, seq)


def chain_items(run: Run, loaded: Loaded, chain: str) -> list[Json]:
    """All items of one list as of a checkpoint, checked against the state's length and digest."""
    claimed = loaded.state.get(CHAINS, {}).get(chain)
    if claimed is None:
        return []
    items: list[Json] = []
    tail = digests.GENESIS
    with _misread_is_damage():
        for appended in _appended_up_to(run, loaded.seq):
            for item in appended.get(chain, []):
                items.append(item)
                tail = digests.chain(tail, canonical.dumps(item))
    if len(items) != claimed["length"] or tail != claimed["digest"]:
        raise DamagedRecordError(
            f"the list {chain!r} has {len(items)} items and digest {tail[:12]}; checkpoint "
            f"{loaded.seq} says {claimed['length']} and {str(claimed['digest'])[:12]}"
        )
    return items


def verify_run(run: Run) -> list[str]:
    """Re-read the whole chain of a run; returns one sentence per damage, none when intact."""
    damage: list[str] = []
    seen: set[str] = set()
    for seq in range(1, run.head + 1):
        try:
            loaded = load(run, seq)
            seen |= set(loaded.state.get(CHAINS, {}))
        except DamagedRecordError as error:
            damage.append(f"checkpoint {seq}: {error}")
    if not damage and run.head:
        head = load_head(run)
        for chain in sorted(seen):
            try:
                chain_items(run, head, chain)
            except DamagedRecordError as error:
                damage.append(str(error))
    # Against the head of the same snapshot: a run that works meanwhile has moved on, undamaged.
    head_now = Run.objects.filter(id=run.id).values("head")
    beyond = Checkpoint.objects.filter(run_id=run.id, seq__gt=Subquery(head_now)).count()
    if beyond:
        damage.append(f"{beyond} checkpoints lie beyond the head {head_now.get()['head']}")
    return damage


@contextmanager
def _misread_is_damage() -> Iterator[None]:
    """Bytes that cannot even be understood are damage like any other."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        said = f"what was read back makes no sense: {type(error).__name__}: {error}"
        raise DamagedRecordError(said[:500]) from error


def _verified(run: Run, seq: int) -> Loaded:
    row = Checkpoint.objects.filter(run_id=run.id, seq=seq).first()
    if row is None:
        raise DamagedRecordError(f"checkpoint {seq} is missing; the run's head says it exists")
    header = _verified_header(run, row)
    loaded = Loaded(
        seq=seq,
        digest=bytes(row.digest).hex(),
        header=header,
        state=_verified_state(row, header),
        next_node=row.next_node,
    )
    _verify_parent(run, header)
    _verify_blobs(run, loaded.state)
    return loaded


def _genesis(run: Run) -> Loaded:
    # What was asked is checked where the chain begins: the first header binds its digest.
    if digests.sha256_hex(bytes(run.input)) != bytes(run.input_digest).hex():
        raise DamagedRecordError("the input is not what its digest says")
    combo = pins.started_on(run).hex
    digest = genesis(run.tenant_id, run.id, combo, bytes(run.input_digest).hex())
    if run.forked_from_id is not None:
        digest = fork_genesis(digest, _origin(run))
    return Loaded(seq=0, digest=digest, header={}, state={}, next_node=run.next_node)


def _origin(run: Run) -> Origin:
    """Where a fork began, as its row says and as the source's record still has it."""
    fork = Fork.objects.select_related("source__combo").get(run=run)
    origin = Origin(fork.source_id, fork.seq, bytes(fork.checkpoint).hex())
    if fork.source_id != run.forked_from_id or _digest(fork.source, fork.seq) != origin.digest:
        raise DamagedRecordError(
            f"checkpoint {fork.seq} of run {fork.source_id}, which this was forked from, is not "
            "what it was then"
        )
    return origin


def _verified_header(run: Run, row: Checkpoint) -> dict[str, Json]:
    content = bytes(row.header)
    if digests.sha256_hex(content) != bytes(row.digest).hex():
        raise DamagedRecordError("the header is not what its digest says")
    header = canonical.loads_object(content)
    pinned = pins.of(run).at(row.seq)
    expected: dict[str, Any] = {
        "protocol": PROTOCOL,
        "tenant": run.tenant_id,
        "run": str(run.id),
        "seq": row.seq,
        "node": row.node,
        "next": row.next_node,
        "combo": written(pinned.hex),
    }
    for name, value in expected.items():
        if header.get(name) != value:
            raise DamagedRecordError(f"the header says {name} {header.get(name)!r}, not {value!r}")
    if parent_seq(header) != row.parent_seq:
        raise DamagedRecordError(f"the header follows {parent_seq(header)}, not {row.parent_seq}")
    if row.combo_id != pinned.pk:
        raise DamagedRecordError("the checkpoint names another combo than the run had then")
    return header


def _verified_state(row: Checkpoint, header: dict[str, Json]) -> State:
    content = bytes(row.state)
    if written(digests.sha256_hex(content)) != header["state"]:
        raise DamagedRecordError("the state is not what the header says")
    return canonical.loads_object(content)


def _verify_parent(run: Run, header: dict[str, Json]) -> None:
    at = parent_seq(header)
    parent = _digest(run, at)
    if not parent or written(parent) != header["parent"]:
        raise DamagedRecordError(f"the parent {at} is not the one the header names")
    forked = _origin(run).as_json() if run.forked_from_id and header["seq"] == 1 else None
    if header.get("forked") != forked:
        raise DamagedRecordError("the header names another origin than the run was forked from")


def _digest(run: Run, seq: int) -> str:
    """The digest (hex) of one checkpoint of a run, of its genesis for 0; "" when it is missing."""
    if seq == 0:
        return _genesis(run).digest
    found = Checkpoint.objects.filter(run_id=run.id, seq=seq).values_list("digest", flat=True)
    stored = found.first()
    return bytes(stored).hex() if stored is not None else ""


def _verify_blobs(run: Run, state: State) -> None:
    named = set(blobs.named_in(state))
    if not named:
        return
    rows = Blob.objects.filter(
        tenant_id=run.tenant_id, digest__in=[bytes.fromhex(digest) for digest in named]
    )
    intact = {
        bytes(row.digest).hex()
        for row in rows
        if digests.sha256_hex(bytes(row.content)) == bytes(row.digest).hex()
    }
    if named - intact:
        raise MissingBlobError(f"blob {sorted(named - intact)[0]} is missing or damaged")


def _appended_up_to(run: Run, seq: int) -> list[dict[str, list[Json]]]:
    """What the checkpoint's ancestors and itself appended, oldest first.

    A run that went back has a checkpoint whose parent is not the one before it: what lies
    between is no ancestor.
    """
    rows = Checkpoint.objects.filter(run_id=run.id, seq__lte=seq).order_by("-seq")
    wanted = seq
    found: list[dict[str, list[Json]]] = []
    for at, parent, appended in rows.values_list("seq", "parent_seq", "appended").iterator():
        if at != wanted:
            continue
        if appended is not None:
            found.append(canonical.loads_object(appended))
        wanted = parent
    return found[::-1]
