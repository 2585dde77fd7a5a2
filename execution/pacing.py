"""After a stop is lifted: the runs that wait for it go on in small batches, never all at once."""

from datetime import datetime, timedelta
from math import ceil
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from checkpoints import liftings, states, wakeups
from checkpoints.models import Lifting, Run, Stop
from checkpoints.scopes import Scope
from reconciliation.models import Action
from reconciliation.stopping import within
from tenants.keys import hiding

MOST_PER_ROUND: Final = 200
MOST_LIFTINGS: Final = 50
# A sweeper that was away does not make up for it: at most this much of the pace at once.
AT_ONCE: Final = timedelta(seconds=5)
EVERY_RUN: Final = Q(pk__isnull=False)
A_MINUTE: Final = timedelta(minutes=1)


def let_go_on() -> int:
    """Wake the runs whose stop is lifted, at the pace that was declared; returns how many.

    A run that waits though no stop and no lifting accounts for it goes on at once: a crash lost it.
    """
    woken, covered = 0, Q(pk__in=())
    known = list(under_way()[:MOST_LIFTINGS])
    # Newest first: a run that several liftings cover goes on at the pace of the last.
    for lifting in known:
        covers = covered_by(Scope.of_stop(lifting.stop))
        woken += _let_go_on(lifting, _free().filter(covers).exclude(covered))
        covered |= covers
    if len(known) < MOST_LIFTINGS:
        woken += _let_strays_go_on(_free().exclude(covered))
    return woken


def under_way() -> QuerySet[Lifting]:
    """The liftings that have still runs to let go on, newest first."""
    found = Lifting.objects.filter(ended=liftings.CONFIRMED, paced_to_the_end_at=None)
    return found.select_related("stop__tenant", "stop__combo").order_by("-ended_at", "-pk")


def waiting_for(lifting: Lifting) -> QuerySet[Run]:
    """The runs that a lifting under way has still to let go on."""
    return _waiting().filter(covered_by(Scope.of_stop(lifting.stop)))


def covered_by(scope: Scope) -> Q:
    """The runs that a stop of effects of this scope holds back, were they to send now."""
    # Everything in words: an empty condition, or-ed to others, would mean none.
    found = within(Scope(scope.tenant, scope.task_type, scope.combo), of_run="") or EVERY_RUN
    if scope.tool:
        asked = Action.objects.filter(run=OuterRef("pk"), absorbed_seq=None, tool=scope.tool)
        found &= Q(Exists(asked))
    return found


def earned(per_minute: int, paced_at: datetime, now: datetime) -> tuple[int, datetime]:
    """How many may go on now, and up to when the pace is kept by that; it was up to `paced_at`."""
    beat = A_MINUTE / per_minute
    due = max(0, int((now - paced_at) / beat))
    allowed = min(due, ceil(AT_ONCE / beat), MOST_PER_ROUND)
    return allowed, now if allowed < due else paced_at + due * beat


def _let_go_on(known: Lifting, runs: QuerySet[Run]) -> int:
    with transaction.atomic():
        # Skipped when another sweeper has it: that one keeps the pace.
        own = Lifting.objects.filter(pk=known.pk, paced_to_the_end_at=None)
        lifting = own.select_for_update(skip_locked=True).annotate(now=Now()).first()
        if lifting is None:
            return 0
        paced_at = lifting.paced_at or lifting.now
        allowed, paced_at = earned(lifting.per_minute, paced_at, lifting.now)
        ids = list(runs.order_by("id").values_list("id", flat=True)[:allowed])
        for run_id in ids:
            wakeups.wake(run_id, why=hiding.text(f"{known.stop.lifted_by} lifted the stop."))
        Lifting.objects.filter(pk=known.pk).update(
            paced_at=paced_at,
            woken=lifting.woken + len(ids),
            paced_to_the_end_at=None if waiting_for(known).exists() else Now(),
        )
    return len(ids)


def _let_strays_go_on(runs: QuerySet[Run]) -> int:
    ids = list(runs.order_by("id").values_list("id", flat=True)[:MOST_PER_ROUND])
    for run_id in ids:
        with transaction.atomic():
            wakeups.wake(run_id, why="The stop is lifted.")
    return len(ids)


def _waiting() -> QuerySet[Run]:
    return Run.objects.filter(status=states.WAITING, reason=states.FOR_STOP)


def _free() -> QuerySet[Run]:
    """Those that wait for a stop, and no stop in force holds them back."""
    tools = Action.objects.filter(run=OuterRef(OuterRef("pk")), absorbed_seq=None).values("tool")
    stopped = Stop.objects.filter(
        Q(tenant=None) | Q(tenant=OuterRef("tenant")),
        Q(task_type="") | Q(task_type=OuterRef("task_type")),
        Q(combo=None) | Q(combo=OuterRef("combo")),
        Q(tool="") | Q(tool__in=tools),
        lock="effects",
        lifted_at=None,
    )
    return _waiting().filter(~Exists(stopped))
