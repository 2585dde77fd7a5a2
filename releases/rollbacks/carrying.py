"""Carrying a rollback on: one phase, or a part of it, in one transaction with where it stands then.

Everything is read from the rows: killed anywhere, or run by two at once, it goes on where it stands.
"""

from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from checkpoints.boundaries import boundary
from releases.rollbacks import notices, phases
from releases.rollbacks.board import ROLLBACK
from releases.rollbacks.models import Rollback
from releases.rollbacks.proposing import tell
from releases.rollbacks.steps import STEPS

RELATED = (
    "tenant",
    "release",
    "from_combo",
    "to_combo",
    "started_by",
    "starts_stop",
    "effects_stop",
)


def carry_on(rollback_id: UUID) -> bool:
    """Do what its phase allows now; True when it came to the next one."""
    with transaction.atomic():
        # One process at a time is at a rollback; who is second leaves it to the first.
        free = Rollback.objects.select_for_update(skip_locked=True, of=("self",))
        under_way = free.filter(pk=rollback_id, ended="", paused_at=None, phase__in=phases.SIX)
        rollback = under_way.select_related(*RELATED).first()
        if rollback is None:
            return False
        phase = rollback.phase
        boundary(f"rollback {phase}:before")
        waits_for = STEPS[phase](rollback)
        _stand(rollback, waits_for)
    boundary(f"rollback {phase}:after")
    return not waits_for


def _stand(rollback: Rollback, waits_for: str) -> None:
    mine = Rollback.objects.filter(pk=rollback.pk, phase=rollback.phase)
    if waits_for:
        mine.exclude(waits_for=waits_for).update(waits_for=waits_for)
        return
    reached = phases.after(rollback.phase)
    ended = {"ended": phases.CLOSED, "ended_at": Now()} if reached == phases.CLOSED else {}
    mine.update(phase=reached, phase_at=Now(), waits_for="", **ended)
    rollback.phase = reached
    tell(rollback, ROLLBACK, "carried rollback on")
    if reached == phases.CLOSED:
        notices.closed(rollback)
