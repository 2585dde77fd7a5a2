"""What a work-horse does with its life: take due runs, one after the other, and let go in order."""

import logging
import signal
import time
from collections.abc import Callable
from types import FrameType
from uuid import UUID

from django.conf import settings
from django.db import connection

from canonical.redaction import ours
from checkpoints import leases, runs, wakeups
from checkpoints.commits import Lease
from checkpoints.errors import LeaseLostError
from checkpoints.registry import runnable_combos
from checkpoints.timers import SelfStop, boot_seconds
from execution import executor, overtaken, succeeding
from execution.keeper import Keeper
from tenants import database, logs
from tenants.actors import Actor
from tenants.keys import hiding

log = logging.getLogger(__name__)

# How soon a long run makes room for one that somebody waits for; no turn is shorter for it.
FIRST_LOOK_SECONDS = 0.5
ROOM_WAIT_SECONDS = 10.0

_draining = False


def drain(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler's shape
    """SIGUSR1: finish what is in flight, begin nothing new."""
    global _draining  # noqa: PLW0603 - a signal can leave no other mark
    _draining = True


def take_turns(holder: UUID) -> int:
    """Advance due runs until there are none, others should have their turn, or it drains.

    Returns how many runs were taken up. Whatever ends a turn badly gives the lease away at once.
    """
    signal.signal(signal.SIGUSR1, drain)
    combos = runnable_combos()
    succeeding.take_over(combos)
    until = time.monotonic() + settings.KEDGE_TURN_SECONDS
    taken = 0
    last: UUID | None = None
    with SelfStop() as self_stop, Keeper(holder, self_stop) as keeper:
        # Without its session lock it looks dead to everybody: it takes nothing more.
        while not (_draining or keeper.cut_off) and time.monotonic() < until:
            if not overtaken.may_begin():
                return taken
            asked_at = boot_seconds()
            lease = leases.acquire(holder, combos=combos)
            if lease is None:
                return taken
            taken, last = taken + 1, lease.run_id
            keeper.hold(lease, asked_at=asked_at)
            with logs.bind(run=str(lease.run_id), tenant=lease.tenant_id, fence=lease.fence):
                _turn(lease, self_stop, _should_stop(keeper, until, combos))
            keeper.drop()
    if last is not None:
        wakeups.ring(last)  # more may be due: the next horse looks
    return taken


def _turn(lease: Lease, self_stop: SelfStop, should_stop: Callable[[], bool]) -> None:
    try:
        executor.advance(lease, self_stop, should_stop)
    except LeaseLostError as error:
        log.warning("lease lost: %s", error)
    except Exception as error:
        # Nothing is sent again from here: whoever takes over reads back what was committed.
        log.exception("turn ended badly")
        connection.close()
        _give_away(lease, error)


def _give_away(lease: Lease, error: Exception) -> None:
    if database.lacks_room(error):
        # No run is at fault, so none is held for it; and nothing is added to what is full.
        said = hiding.text(str(error)).first(300)
        sentence = ours("PostgreSQL has no room. Make some; tried again by itself. %(it)s", it=said)
        runs.retry_later(lease, sentence, seconds=ROOM_WAIT_SECONDS, counts=False)
        return
    why = hiding.text(f"its worker met {type(error).__name__}: {error}").first(300)
    runs.lapse(lease.run_id, fence=lease.fence, why=why, actor=Actor.machine("worker"))


def _should_stop(keeper: Keeper, until: float, combos: list[int]) -> Callable[[], bool]:
    """Asked at every boundary. A turn is cut short for a run that does not stand in line."""
    look_at = time.monotonic() + FIRST_LOOK_SECONDS

    def stop() -> bool:
        nonlocal look_at
        if _draining or keeper.lost:
            return True
        now = time.monotonic()
        if now > until and leases.others_are_due(combos):
            return True
        if now < look_at:
            return False
        look_at = now + FIRST_LOOK_SECONDS
        return leases.one_goes_first(combos)

    return stop
