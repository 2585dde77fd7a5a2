"""How old a case is, against the target of its kind; it stands still while outside is waited for."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db.models import Case as Choice
from django.db.models import (
    DateTimeField,
    DurationField,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from checkpoints import states
from checkpoints.models import Case, OutsideWait
from tenants.clock import ClockTimestamp

HOUR: Final = 3600
# Seconds by kind of case, unless `KEDGE_CASE_TARGETS` says otherwise: by the harm that grows.
TARGETS: Final = {
    states.DUPLICATE_EFFECT: HOUR // 2,
    states.CONTRADICTED: HOUR // 2,
    states.RECORD_BEHIND: HOUR // 2,
    states.OUTCOME_UNKNOWN: HOUR,
    states.CREDENTIAL_INVALID: 2 * HOUR,
    states.DAMAGED_CHECKPOINT: 4 * HOUR,
    states.MISSING_BLOB: 4 * HOUR,
    states.CRASH_LOOP: 4 * HOUR,
    states.WORLD_CHANGED: 4 * HOUR,
    states.UNMIGRATABLE: 8 * HOUR,
    states.INVALID_OUTPUT: 8 * HOUR,
}


@dataclass(frozen=True)
class Age:
    """How long a case has waited for people here, and how long it may. `stopped`: it stands still."""

    spent: timedelta
    target: timedelta
    stopped: bool

    @property
    def seconds(self) -> int:
        """What is shown: whole minutes, below the first whole seconds."""
        whole = int(self.spent.total_seconds())
        return whole - whole % 60 if whole >= 60 else max(1, whole)  # noqa: PLR2004

    @property
    def is_overdue(self) -> bool:
        return self.spent > self.target

    @property
    def over(self) -> timedelta:
        """By how much the target is passed."""
        return max(self.spent - self.target, timedelta())


def target_of(kind: str) -> timedelta:
    """How long a case of this kind may take."""
    return timedelta(seconds=settings.KEDGE_CASE_TARGETS.get(kind, TARGETS.get(kind, HOUR)))


def aged(found: QuerySet[Case]) -> QuerySet[Any]:
    """The same cases with `due_at`, when the target is passed, and `stands_still`.

    Both as of now, by the database's clock.
    """
    waits = OutsideWait.objects.filter(case=OuterRef("pk"))
    took = ExpressionWrapper(
        Coalesce(F("ended_at"), ClockTimestamp()) - F("begun_at"), output_field=DurationField()
    )
    waited = waits.order_by().values("case").annotate(took=Sum(took)).values("took")
    kinds = [When(kind=kind, then=Value(target_of(kind))) for kind in states.CASE_KINDS]
    target = Choice(*kinds, default=Value(target_of("")), output_field=DurationField())
    due_at = (
        F("opened_at")
        + target
        + Coalesce(Subquery(waited), Value(timedelta()), output_field=DurationField())
    )
    return found.annotate(
        due_at=ExpressionWrapper(due_at, output_field=DateTimeField()),
        stands_still=Exists(waits.filter(ended_at=None)),
    )


def of(case: Any, *, now: datetime) -> Age:
    """The age of one of `aged`; a closed case is as old as it was when it was closed."""
    target = target_of(case.kind)
    left = case.due_at - (case.closed_at or now)
    stopped = case.stands_still and case.closed_at is None
    return Age(max(target - left, timedelta()), target, stopped)
