"""Erases a person at a tenant: their key is destroyed, and no turn under way goes on with it."""

from dataclasses import dataclass
from typing import Final

from checkpoints import runs, states
from checkpoints.models import Run
from tenants.actors import Actor
from tenants.keys import keeping
from tenants.keys.errors import KeysError
from tenants.keys.models import DataKey
from tenants.models import Tenant

WHY: Final = "the key of a person was destroyed while it worked"


@dataclass(frozen=True)
class Erased:
    """The destroyed key's row, and how many turns had to let go of their runs."""

    key: DataKey
    turns: int


def erase(tenant: Tenant, subject: str, *, actor: Actor, reason: str) -> Erased:
    """Destroy the key of one person, then take the tenant's leases away; outside any transaction.

    A turn keeps what it has opened in memory. Without its lease it commits nothing more and sends
    nothing more; what it had sent already is reconciled. In this order: a turn that begins later
    opens the key no more. Whoever is interrupted in between erases once more.

    Raises `KeysError` when there is no such key; for one that was destroyed, turns are ended again.
    """
    try:
        row = keeping.erase(tenant, subject, actor=actor, reason=reason)
    except KeysError:
        if keeping.was_erased(tenant, subject):
            end_turns(tenant, actor=actor)
        raise
    return Erased(row, end_turns(tenant, actor=actor))


def end_turns(tenant: Tenant, *, actor: Actor) -> int:
    """Take the lease of every run of the tenant that is worked on; returns how many."""
    leased = Run.objects.filter(tenant=tenant, status=states.RUNNING).values_list("id", "fence")
    return sum(runs.lapse(run, fence=fence, why=WHY, actor=actor) for run, fence in list(leased))
