"""Forks in the record: a new run whose first checkpoint is a copy of one of its source's.

The copy stands by itself: state, whole lists and references of blobs. Its header names where it was
taken from, and its genesis binds that. Whether a run may be forked is judged above.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from canonical import digests
from canonical import json as canonical
from canonical.redaction import Said, ours
from checkpoints import blobs, events, reading, wakeups
from checkpoints.errors import MissingBlobError
from checkpoints.graph import Json
from checkpoints.headers import (
    Ancestry,
    Origin,
    Step,
    fork_genesis,
    genesis,
    header_bytes,
    proposed_for_good,
)
from checkpoints.ids import uuid7
from checkpoints.models import Blob, BlobReference, Checkpoint, Combo, Fork, Run
from checkpoints.reading import CHAINS, Loaded
from checkpoints.registry import graph_of
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding

FORKED_NODE = "(forked)"
CHANNEL = "fork"


@dataclass(frozen=True)
class Copied:
    """A verified checkpoint of a source with its whole lists, and the blobs that both name."""

    loaded: Loaded
    lists: dict[str, list[Json]]
    blobs: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """What somebody asks for: the combo, why, the token of the request, and what to do again."""

    combo: Combo
    reason: Said
    token: UUID
    again: Sequence[UUID] = ()


def copied(source: Run, seq: int) -> Copied:
    """A checkpoint as a fork would take it, read back now. Raises `DamagedRecordError`."""
    loaded = reading.load(source, seq)
    names = sorted(loaded.state.get(CHAINS, {}))
    lists = {name: reading.chain_items(source, loaded, name) for name in names}
    named = {*blobs.named_in(loaded.state), *blobs.named_in(lists)}
    wanted = [bytes.fromhex(each) for each in sorted(named)]
    there = Blob.objects.filter(tenant_id=source.tenant_id, digest__in=wanted).count()
    if there != len(named):
        raise MissingBlobError(f"{len(named) - there} of the blobs that its lists name are missing")
    return Copied(loaded, lists, tuple(sorted(named)))


def write(source: Run, copy: Copied, asked: Asked, *, actor: Actor) -> Run:
    """Inside a transaction that has locked the source and judged it: the new run, due at once."""
    run = _run(source, asked, actor)
    run.next_node = _next(run, copy.loaded)
    origin = Origin(source.id, copy.loaded.seq, copy.loaded.digest)
    header, state = _first(run, copy, origin)
    run.save(force_insert=True)
    Checkpoint.objects.create(
        run=run,
        seq=1,
        parent_seq=0,
        node=FORKED_NODE,
        next_node=run.next_node,
        state=state,
        header=header,
        digest=bytes.fromhex(digests.sha256_hex(header)),
        appended=canonical.dumps(copy.lists) if copy.lists else None,
        fence=run.fence,
        combo=asked.combo,
    )
    BlobReference.objects.bulk_create(
        BlobReference(run=run, tenant_id=run.tenant_id, digest=bytes.fromhex(each))
        for each in copy.blobs
    )
    _tell(run, source, origin, asked, actor)
    return run


def _run(source: Run, asked: Asked, actor: Actor) -> Run:
    return Run(
        id=uuid7(),
        tenant=source.tenant,
        task_type=source.task_type,
        combo=asked.combo,
        mode=source.mode,
        business_key=source.business_key,
        effect_scope=source.effect_scope,
        forked_from=source,
        input=source.input,
        input_digest=source.input_digest,
        started_by_id=actor.user_id,
        caller=actor.name,
        on_behalf_of=source.on_behalf_of or _starter(source, actor),
        channel=CHANNEL,
        sentence="Forked; waiting for a worker.",
        head=1,
    )


def _starter(source: Run, actor: Actor) -> str:
    """Whoever started the source asked for its effects: they cannot approve those of the fork."""
    starter = source.started_by
    return starter.email if starter is not None and starter.pk != actor.user_id else ""


def _next(run: Run, loaded: Loaded) -> str:
    return graph_of(run.task_type).start if loaded.seq == 0 else loaded.next_node


def _first(run: Run, copy: Copied, origin: Origin) -> tuple[bytes, bytes]:
    """Header and state of the first checkpoint. It may be of an older schema: it is migrated next."""
    loaded, combo = copy.loaded, run.combo.hex
    started = genesis(run.tenant_id, run.id, combo, bytes(run.input_digest).hex())
    before = Ancestry(
        tenant_id=run.tenant_id,
        run_id=run.id,
        combo_digest=combo,
        seq=0,
        digest=fork_genesis(started, origin),
        done=int(loaded.header.get("done", 0)),
        saw=loaded.header.get("saw", {}),
        proposals=proposed_for_good(loaded.header),
    )
    state = canonical.dumps(loaded.state)
    schema = int(loaded.header.get("schema", graph_of(run.task_type).state_schema))
    step = Step(FORKED_NODE, run.next_node, state, schema, forked=origin)
    return header_bytes(before, step, seq=1), state


def _tell(run: Run, source: Run, origin: Origin, asked: Asked, actor: Actor) -> None:
    reason = hiding.said(asked.reason)
    Fork.objects.create(
        run=run,
        tenant_id=run.tenant_id,
        source=source,
        seq=origin.seq,
        checkpoint=bytes.fromhex(origin.digest),
        token=asked.token,
        reason=reason,
        again=[str(each) for each in asked.again],
        made_by=actor.name,
        person_id=actor.user_id,
    )
    why = hiding.text(reason)
    events.append(run.id, "forked", actor, run=source.id, seq=origin.seq, reason=why)
    events.append(source.id, "was forked", actor, run=run.id, seq=origin.seq, reason=why)
    audit.record(
        run.tenant,
        actor,
        "forked",
        ours("run %(id)s", id=source.id),
        seq=origin.seq,
        fork=run.id,
        combo=hiding.text(str(asked.combo)),
        reason=why,
        again=len(asked.again),
    )
    transaction.on_commit(lambda: wakeups.ring(run.id))
