"""A declared successor takes over runs that no live worker can run any more, each at its boundary.

By a worker that has the successor's code, and so can read for itself what a run has committed. While a
worker of the run's own code says that it lives, nothing is taken over.
"""

import logging
from collections.abc import Collection
from typing import Final
from uuid import UUID

from django.db import DatabaseError, transaction
from django.db.models.functions import Now

from canonical.redaction import ours
from checkpoints import repins, states
from checkpoints.errors import RecordError
from checkpoints.models import Combo, Run, Successor
from checkpoints.repins import Cause
from execution import announcing, repinning, repinstanding
from execution.plans.rehearsing import UnreadableError, rehearse
from execution.work import WORKER

log = logging.getLogger(__name__)

MOST_DECLARED: Final = 100
MOST_AT_ONCE: Final = 20
WHY: Final = "No worker runs its code any more; this combo is declared to succeed it."


def take_over(combos: Collection[int]) -> int:
    """Move due runs of combos without a worker to those of these that succeed them; how many.

    Never raises: a worker has runs of its own to go on with.
    """
    try:
        return sum(_take_over(each) for each in _declared(combos))
    except (DatabaseError, RecordError) as error:
        log.warning("no run was taken over: %s", error)
        return 0


def _declared(combos: Collection[int]) -> list[Successor]:
    """What is declared of these combos, but for the ones that a live worker can run. The newest first."""
    found = Successor.objects.filter(combo__in=list(combos)).exclude(of__in=list(combos))
    declared = list(found.select_related("combo", "of").order_by("-combo_id")[:MOST_DECLARED])
    alive = announcing.alive() if declared else set()
    return [each for each in declared if announcing.code_of(each.of) not in alive]


def _take_over(declared: Successor) -> int:
    due = Run.objects.filter(
        combo=declared.of,
        # A shadow tells of its own combo, or of nothing.
        mode=states.LIVE_MODE,
        moving_to=None,
        status__in=(states.QUEUED, states.WAITING),
        due_at__lte=Now(),
    )
    # In any order: one that cannot be read is not to keep out the others.
    ids = list(due.order_by("?").values_list("pk", flat=True)[:MOST_AT_ONCE])
    return sum(_take(run_id, declared) for run_id in ids)


def _take(run_id: UUID, declared: Successor) -> bool:
    run = Run.objects.select_related("tenant", "combo").get(pk=run_id)
    try:
        rehearse(run)
    except UnreadableError as error:
        log.info("not taken over: %s", error, extra={"run": str(run_id)})
        return False
    with transaction.atomic():
        return _move(run, declared.of, declared.combo)


def _move(run: Run, of: Combo, to: Combo) -> bool:
    """Judged again under the lock: its own worker may have come back, or begun."""
    Run.objects.select_for_update().values_list("id").get(pk=run.pk)
    [standing] = repinstanding.of([run.pk])
    stays = standing.is_leased or standing.has_ended or standing.is_out
    if stays or standing.combo_id != of.pk or announcing.code_of(of) in announcing.alive():
        return False
    repin = repins.order(run, to, why=ours(WHY), cause=Cause.successor(), actor=WORKER)
    repinning.give_up(standing.proposal)
    repins.move(repin, actor=WORKER)
    return True
