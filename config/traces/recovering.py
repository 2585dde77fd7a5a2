"""What the record says of a lease that was interrupted: its worker could not say it itself."""

from dataclasses import dataclass
from datetime import datetime

from checkpoints.commits import Lease
from checkpoints.models import Checkpoint, Recovery
from reconciliation.models import Attempt


@dataclass(frozen=True)
class Interrupted:
    """A lease by its fence, from the first thing it wrote until somebody noticed its end."""

    fence: int
    since: datetime
    until: datetime


def just_before(lease: Lease) -> Interrupted | None:
    """The lease before this one, if it was interrupted; told by the turn that follows it alone."""
    fence = lease.fence - 1
    recovery = Recovery.objects.filter(
        run_id=lease.run_id, ended="", interrupted_fence=fence
    ).first()
    if recovery is None:
        return None
    committed = Checkpoint.objects.filter(run_id=lease.run_id, fence=fence).order_by("seq")
    sent = Attempt.objects.filter(action__run_id=lease.run_id, fence=fence).order_by("number")
    wrote = [
        committed.values_list("at", flat=True).first(),
        sent.values_list("dispatched_at", flat=True).first(),
    ]
    until = recovery.noticed_at
    return Interrupted(fence, min([until, *(at for at in wrote if at is not None)]), until)
