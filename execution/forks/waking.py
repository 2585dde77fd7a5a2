"""Wakes runs that wait for the same effect in another run of their lineage, once it is over."""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from checkpoints import states, wakeups
from checkpoints.models import Run
from reconciliation import states as world
from reconciliation.models import Action

MOST_PER_ROUND = 200


def wake_all() -> int:
    """The wake-up derived from the fact: nothing of their lineage is open any more."""
    members = Q(run_id=OuterRef("effect_scope")) | Q(
        run__effect_scope=OuterRef("effect_scope"), run__forked_from__isnull=False
    )
    open_elsewhere = Action.objects.exclude(stands=world.SETTLED).filter(members)
    waiting = Run.objects.filter(status=states.WAITING, reason=states.FOR_SAME_KEY)
    over = waiting.filter(~Exists(open_elsewhere)).values_list("id", flat=True)
    ids = list(over[:MOST_PER_ROUND])
    for run_id in ids:
        with transaction.atomic():
            wakeups.wake(run_id, why="The same effect in another run is over.")
    return len(ids)
