"""The sweeper's duties for shadows: start twins, wake those whose live run is past them, compare, end.

It remembers nothing: killed at any moment, the next round does the same again.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, Subquery
from django.db.models.functions import Now

from canonical.redaction import ours
from checkpoints import runs, states, wakeups
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Twin
from reconciliation import states as world
from reconciliation.models import Action
from releases.models import Release
from releases.shadows import keeping, starting
from tenants.paces import Pace

EVERY_SECONDS: Final = 2.0
MOST: Final = 200
# How long after a release is over its twins are looked for.
LATELY: Final = timedelta(days=30)
OVER: Final = ours("its release is no shadow and no canary any more")
_pace = Pace()


def sweep() -> int:
    """All four, at most every two seconds; returns how many twins were started."""
    if not _pace.is_time(EVERY_SECONDS):
        return 0
    end_strays()
    started = starting.start_due()
    wake()
    keeping.keep_due()
    return started


def wake() -> int:
    """Wake twins that wait for an effect of their live run, once that is settled or never comes.

    Bounded; here and below by twins_of_a_series.
    """
    mine = Action.objects.filter(run=OuterRef(OuterRef("run")), absorbed_seq=None)
    settled = Action.objects.filter(
        run=OuterRef("twin_of"),
        stands=world.SETTLED,
        node=Subquery(mine.values("node")[:1]),
        ordinal=Subquery(mine.values("ordinal")[:1]),
    )
    under_way = Release.objects.filter(place__in=starting.PLACES).values("pk")
    waiting = Twin.objects.filter(
        series__in=under_way, run__status=states.WAITING, run__reason=states.FOR_SAME_KEY
    )
    over = waiting.filter(Q(twin_of__status__in=states.FINAL) | Exists(settled))
    ids = list(over.values_list("run_id", flat=True)[:MOST])
    for run_id in ids:
        with transaction.atomic():
            wakeups.wake(run_id, why=ours("The live run is past this effect."))
    return len(ids)


def end_strays() -> int:
    """Ask the twins to end whose release is over: nothing is compared for it any more."""
    over = Release.objects.filter(moved_at__gte=Now() - LATELY).exclude(place__in=starting.PLACES)
    living = Twin.objects.filter(run__status__in=states.LIVE, run__cancel_requested_at=None)
    strays = living.filter(series__in=over.values("pk")).values_list("run_id", flat=True)
    return sum(_ended(run_id) for run_id in list(strays[:MOST]))


def _ended(run_id: UUID) -> bool:
    try:
        runs.request_cancel(run_id, why=OVER, actor=starting.SHADOWS)
    except IllegalMoveError:  # it ended meanwhile
        return False
    return True
