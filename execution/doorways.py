"""Doors, as the sweeper keeps them: probed beside it, opened, and gone through at a set pace."""

import logging
from functools import partial
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef

from approvals import clock
from canonical.redaction import ours
from checkpoints import wakeups
from checkpoints.models import Run
from execution import pacing
from execution.beside import Beside
from reconciliation.doors import probing
from reconciliation.doors.models import Door
from reconciliation.models import Action

log = logging.getLogger(__name__)

MOST_DOORS: Final = 50
_probes: Final = Beside()


def probe() -> int:
    """Open what answered, and start the probes that are due; returns how many of both."""
    opened = probing.open_answered()
    started = 0
    for door in probing.claim():
        if _probes.room(str(door.pk), at_once=1) > 0:
            _probes.start(str(door.pk), partial(_probe, door))
            started += 1
    return opened + started


def wait(seconds: float) -> bool:
    """Wait for the probes under way, so long at most; True when none is any more."""
    return _probes.wait(seconds)


def let_go_on() -> int:
    """Wake runs that wait for a door which is open, never all at once; returns how many."""
    # Few tools ever have a door, and of those that are open few have somebody waiting.
    asked = Action.objects.filter(
        run=OuterRef("pk"), absorbed_seq=None, tool=OuterRef(OuterRef("tool"))
    )
    waiting = Run.objects.filter(Exists(asked), probing.AT_A_DOOR, tenant=OuterRef("tenant"))
    doors = Door.objects.filter(Exists(waiting), closed_at=None, paced_at__isnull=False)
    return sum(_let_go_on(door) for door in doors.order_by("pk")[:MOST_DOORS])


def _let_go_on(known: Door) -> int:
    """The pace is kept first, in a transaction of its own: a door's row is locked after a run's."""
    with transaction.atomic():
        still_open = Door.objects.filter(pk=known.pk, closed_at=None, paced_at__isnull=False)
        door = still_open.select_for_update(skip_locked=True).first()
        if door is None or door.paced_at is None:
            return 0
        now = clock.now()
        allowed, paced_at = pacing.earned(settings.KEDGE_DOOR_RUNS_PER_MINUTE, door.paced_at, now)
        ids = list(probing.waiting_for(door).values_list("id", flat=True)[:allowed])
        Door.objects.filter(pk=door.pk).update(paced_at=paced_at, woken=F("woken") + len(ids))
    for run_id in ids:
        with transaction.atomic():
            wakeups.wake(run_id, why=ours("The door is open."))
    return len(ids)


def _probe(door: Door) -> None:
    try:
        probing.probe(door)
    except Exception:  # the claim runs out, and the next probe comes
        log.exception("a probe was not kept")
