"""Runs of the combo are held at their last boundary: they wait for the stop of its effects."""

from typing import Final

from django.db.models import Q, QuerySet

from canonical.redaction import Redacted
from checkpoints import holding, states
from checkpoints.models import Run
from releases.rollbacks import outlook
from releases.rollbacks.board import ROLLBACK
from releases.rollbacks.models import Rollback
from tenants.keys import hiding

MOST: Final = 100
MOVING: Final = Q(status=states.QUEUED) | Q(status=states.WAITING) & ~Q(reason=states.FOR_STOP)
FREE: Final = Q(effect_in_flight=None, cancel_requested_at=None, moving_to=None)


def runs(rollback: Rollback) -> QuerySet[Run]:
    """The live runs of the combo that have not ended, wherever the rollback knows of them."""
    return outlook.of_combo(rollback.tenant, rollback.from_combo)


def moving(rollback: Rollback) -> QuerySet[Run]:
    """Those that a worker may take up, and that are not being looked after already."""
    return runs(rollback).filter(MOVING & FREE)


def rest_idle(rollback: Rollback) -> int:
    """Hold those that nobody works on; who holds one of them is not waited for."""
    ids = list(moving(rollback).order_by("pk").values_list("pk", flat=True)[:MOST])
    locked = Run.objects.select_for_update(skip_locked=True).filter(pk__in=ids).order_by("pk")
    return sum(holding.rest_now(run, said(rollback), actor=ROLLBACK) for run in locked)


def said(rollback: Rollback) -> Redacted:
    """Why a run waits."""
    return hiding.text(f"Held at its last boundary by rollback {rollback}: {rollback.why}")
