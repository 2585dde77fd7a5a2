"""Which effect already stands for a proposal: the same key, in this run or elsewhere in its lineage.

What happened stands, and what nobody knows of; what came to nothing does not, nor what was undone
since, nor what this fork is to do again on purpose: that is a new generation, with a key and a
question of its own (rule 5).
"""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from checkpoints.models import Fork, Run
from reconciliation import ledger, sensitive, undone
from reconciliation import states as world
from reconciliation.models import Action

CAME_TO_NOTHING: Final = (world.DID_NOT_HAPPEN, world.REFUSED)


def holder(action: Action) -> Action | None:
    """The newest effect that stands for a proposal; the proposal gets the first free generation."""
    standing = None
    again: Collection[UUID] | None = None
    while True:
        earlier = ledger.of_key(action.tenant_id, bytes(action.key), mode=action.mode)
        if earlier is None:
            return standing
        again = _again(action.run) if again is None else again
        standing = earlier if _stands(earlier, again) else standing
        action.generation += 1
        key = ledger.ledger_key(
            action.run, node=action.node, ordinal=action.ordinal, generation=action.generation
        )
        action.key = bytes.fromhex(key)


def differs(action: Action, earlier: Action) -> bool:
    """Whether another effect is proposed under the same key. After a rotation of data keys the
    same parameters have other bytes, so what is encrypted is compared in the clear."""
    if action.tool != earlier.tool:
        return True
    if bytes(action.parameters) == bytes(earlier.parameters):
        return False
    return sensitive.parameters(action) != sensitive.parameters(earlier)


def _stands(earlier: Action, again: Collection[UUID]) -> bool:
    if earlier.stands != world.SETTLED:
        return True
    if earlier.outcome in CAME_TO_NOTHING or earlier.pk in again:
        return False
    return undone.by(earlier) is None


def _again(run: Run) -> frozenset[UUID]:
    if run.forked_from_id is None:
        return frozenset()
    named = Fork.objects.values_list("again", flat=True).get(run=run)
    return frozenset(UUID(each) for each in named)
