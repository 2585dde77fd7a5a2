"""What was carried out and not yet proven: proven when the case closed past the trouble.

Read from the record in rounds, so nothing that ends a run or closes a case has to know of plans.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from checkpoints import states as record
from checkpoints.models import Case
from execution.plans import states
from execution.plans.models import Plan, PlanItem

MOST_PLANS: Final = 20
MOST_ITEMS: Final = 500
LOOKED_AGAIN_AFTER: Final = timedelta(seconds=2)


def prove_all() -> int:
    """The sweeper's duty: look at what is unproven; returns how many items moved."""
    due = Q(looked_at=None) | Q(looked_at__lt=Now() - LOOKED_AGAIN_AFTER)
    plans = Plan.objects.filter(due, unproven__gt=0).order_by(F("looked_at").asc(nulls_first=True))
    return sum(prove(plan_id) for plan_id in plans.values_list("pk", flat=True)[:MOST_PLANS])


def prove(plan_id: UUID) -> int:
    """Of one plan: done what is proven, failed what came back; the rest waits on."""
    with transaction.atomic():
        free = Plan.objects.filter(pk=plan_id).select_for_update(skip_locked=True)
        if free.first() is None:
            return 0
        Plan.objects.filter(pk=plan_id).update(looked_at=Now())
        return _proven(plan_id) + _back(plan_id)


def _proven(plan_id: UUID) -> int:
    closed = Case.objects.filter(pk=OuterRef("case_id"), closed_at__isnull=False)
    over = Q(run__status__in=record.FINAL)
    found = _unproven(plan_id).filter(Exists(closed) | over)
    return _move(found, states.DONE)


def _back(plan_id: UUID) -> int:
    """On hold again since: another case of the run is open, or the same one is open again."""
    again = Case.objects.filter(run=OuterRef("run"), decided_at=None, closed_at=None).filter(
        Q(opened_at__gt=OuterRef("carried_at")) | Q(pk=OuterRef("case_id"))
    )
    found = _unproven(plan_id).filter(Exists(again))
    ids = list(found.values_list("pk", flat=True)[:MOST_ITEMS])
    came = PlanItem.objects.filter(pk__in=ids, state=states.UNPROVEN)
    return came.update(
        state=states.FAILED, said=Subquery(again.values("sentence")[:1]), proven_at=None
    )


def _unproven(plan_id: UUID) -> QuerySet[PlanItem]:
    return PlanItem.objects.filter(plan_id=plan_id, state=states.UNPROVEN).order_by("position")


def _move(found: QuerySet[PlanItem], state: str) -> int:
    ids = list(found.values_list("pk", flat=True)[:MOST_ITEMS])
    mine = PlanItem.objects.filter(pk__in=ids, state=states.UNPROVEN)
    return mine.update(state=state, proven_at=Now(), said=F("said"))
