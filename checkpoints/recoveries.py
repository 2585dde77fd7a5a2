"""Recoveries: every interrupted lease, from the moment it was noticed to its next boundary."""

from uuid import UUID

from django.db.models.functions import Now

from canonical.redaction import Said
from checkpoints.models import Recovery
from tenants.keys import hiding


def begin(run_id: UUID, *, fence: int, why: Said) -> None:
    """Note an interruption, inside the transaction that takes the lease away.

    A recovery that was itself interrupted ends here; the new one stands for the run.
    """
    under_way = Recovery.objects.filter(run_id=run_id, ended="")
    under_way.update(ended="interrupted", ended_at=Now())
    Recovery.objects.create(run_id=run_id, interrupted_fence=fence, why=hiding.said(why))


def end(run_id: UUID, *, how: str) -> None:
    """The run has a new boundary ("recovered"), or a person took it over ("by_person")."""
    changes = {"ended": how, "ended_at": Now()}
    if how == "recovered":
        changes["new_boundary_at"] = Now()
    Recovery.objects.filter(run_id=run_id, ended="").update(**changes)
