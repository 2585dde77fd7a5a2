"""Takes leases away from workers that are dead or silent; the only caller of `runs.lapse`."""

import logging
from uuid import UUID

from django.db import DatabaseError

from approvals.clock import ClockTimestamp
from checkpoints import runs, states
from checkpoints.leases import session_lock_key
from checkpoints.models import Run
from tenants.actors import Actor
from tenants.database import execute
from tenants.keys import hiding

log = logging.getLogger(__name__)

# A session lock as pg_locks shows a bigint key: high half, low half, objsubid 1.
SESSION_LOCKS = """
SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
 WHERE locktype = 'advisory' AND objsubid = 1 AND granted
   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def of_holder(holder: UUID | None, *, why: str, actor: Actor) -> int:
    """Give away what a dead horse held; a database out of reach leaves it to the sweeper."""
    try:
        held = Run.objects.filter(holder=holder, status=states.RUNNING)
        return _lapse(list(held.values_list("id", "fence")), why, actor)
    except DatabaseError as error:
        log.warning("leases of a dead horse not given away, the sweeper will: %s", error)
        return 0


def overdue(*, actor: Actor) -> int:
    """Leases that ran out: their worker is gone, cut off or stopped."""
    over = Run.objects.filter(status=states.RUNNING, lease_until__lt=ClockTimestamp())
    return _lapse(list(over.values_list("id", "fence")), "its lease ran out", actor)


def unlocked(*, actor: Actor) -> int:
    """Leases whose holder's session lock is gone: its process or its connection died.

    That shortens the lease and nothing else: what it sent may still arrive (rule 7).
    """
    # Leases first, locks second: a horse takes its lock before its first lease.
    leased = list(Run.objects.filter(status=states.RUNNING).values_list("id", "fence", "holder"))
    if not leased:
        return 0
    locks = {row[0] for row in execute(SESSION_LOCKS, {})}
    dead = [
        (run, fence)
        for run, fence, holder in leased
        if holder is None or session_lock_key(holder) not in locks
    ]
    return _lapse(dead, "its worker is gone", actor)


def _lapse(found: list[tuple[UUID, int]], why: str, actor: Actor) -> int:
    said = hiding.text(why)
    return sum(runs.lapse(run_id, fence=fence, why=said, actor=actor) for run_id, fence in found)
