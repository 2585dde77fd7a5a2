"""Leases: the time-limited right to advance a run, kept on the run row.

PostgreSQL chooses the next due run, fairly among tenants; a wake-up is only a hint. The holder
keeps a session lock that PostgreSQL drops with its connection: seeing it gone shortens a lease,
and nothing else (rule 7).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Now

from checkpoints import states
from checkpoints.boundaries import boundary
from checkpoints.commits import Lease
from checkpoints.models import Recovery, Run
from tenants.database import execute

# Relies on runs_due_by_tenant, runs_due_first and runs_leased. A run that goes first counts for its
# tenant like one lease less, so it never starves other tenants. The random order among equals keeps
# a tenant with thousands of older due runs from always winning the tie.
TENANTS_WITH_DUE_RUNS = """
SELECT tenant.id
  FROM tenants_tenant AS tenant
 CROSS JOIN LATERAL (
       SELECT count(*) AS leases FROM checkpoints_run
        WHERE tenant_id = tenant.id AND status = 'running') AS served
 WHERE served.leases < %(slots)s
   AND EXISTS (
       SELECT 1 FROM checkpoints_run
        WHERE tenant_id = tenant.id AND status IN ('queued', 'waiting')
          AND due_at <= clock_timestamp() AND combo_id = ANY(%(combos)s))
 ORDER BY served.leases - EXISTS (
       SELECT 1 FROM checkpoints_run
        WHERE tenant_id = tenant.id AND status IN ('queued', 'waiting')
          AND reason NOT IN ('started', 'yielded')
          AND due_at <= clock_timestamp() AND combo_id = ANY(%(combos)s))::int, random()
 LIMIT 50
"""

# Relies on runs_due_first and runs_due_by_tenant. SKIP LOCKED: whom another worker is taking is
# not waited for.
ACQUIRE = """
WITH first AS (
    SELECT id, reason FROM checkpoints_run
     WHERE tenant_id = %(tenant)s AND status IN ('queued', 'waiting')
       AND reason NOT IN ('started', 'yielded')
       AND due_at <= clock_timestamp() AND combo_id = ANY(%(combos)s)
     ORDER BY due_at
     LIMIT 1
       FOR UPDATE SKIP LOCKED
), in_line AS (
    SELECT id, reason FROM checkpoints_run
     WHERE NOT EXISTS (SELECT 1 FROM first)
       AND tenant_id = %(tenant)s AND status IN ('queued', 'waiting')
       AND due_at <= clock_timestamp() AND combo_id = ANY(%(combos)s)
     ORDER BY due_at
     LIMIT 1
       FOR UPDATE SKIP LOCKED
), due AS (
    SELECT id, reason FROM first UNION ALL SELECT id, reason FROM in_line
)
UPDATE checkpoints_run AS run
   SET status = 'running', reason = 'working', sentence = '', due_at = NULL,
       woken_at = clock_timestamp(),
       fence = fence + 1, holder = %(holder)s, attempts = attempts + 1,
       lease_until = clock_timestamp() + make_interval(secs => %(ttl)s)
  FROM due
 WHERE run.id = due.id
RETURNING run.id, run.tenant_id, run.combo_id, run.fence, run.holder, run.head, run.wakes,
          run.attempts, due.reason,
          EXISTS (SELECT 1 FROM checkpoints_recovery WHERE run_id = run.id AND ended = '')
          OR EXISTS (SELECT 1 FROM checkpoints_case WHERE run_id = run.id AND closed_at IS NULL)
"""

RENEW = """
UPDATE checkpoints_run
   SET lease_until = clock_timestamp() + make_interval(secs => %(ttl)s)
 WHERE id = %(run)s AND fence = %(fence)s AND holder = %(holder)s
   AND status = 'running' AND lease_until > clock_timestamp()
RETURNING lease_until
"""


def acquire(holder: UUID, *, combos: Sequence[int]) -> Lease | None:
    """Lease the next due run whose combo this worker can run; None when there is none."""
    ttl = float(settings.KEDGE_LEASE_SECONDS)
    values = {"holder": holder, "combos": list(combos), "ttl": ttl}
    boundary("acquire:before")
    slots = {"slots": settings.KEDGE_TENANT_SLOTS, "combos": values["combos"]}
    for (tenant,) in execute(TENANTS_WITH_DUE_RUNS, slots):
        rows = execute(ACQUIRE, {**values, "tenant": tenant})
        if rows:
            boundary("acquire:after")
            run, tenant_id, combo, fence, _, head, wakes, attempts, was, owes = rows[0]
            lease = Lease(run, tenant_id, combo, fence, holder, head, wakes, attempts, ttl, owes)
            if was == states.INTERRUPTED:
                _note_takeover(lease)
            return lease
    return None


def others_are_due(combos: Sequence[int]) -> bool:
    """Whether any run that this worker can run waits for a worker."""
    return _due(combos).exists()


def one_goes_first(combos: Sequence[int]) -> bool:
    """Whether such a run does not stand in line: woken, interrupted, or its wait is over."""
    return _due(combos).exclude(reason__in=states.IN_LINE).exists()


def renew(lease: Lease) -> datetime | None:
    """Extend a lease that is still held; returns its new end, None when it is lost."""
    values = {
        "run": lease.run_id,
        "fence": lease.fence,
        "holder": lease.holder,
        "ttl": lease.ttl_seconds,
    }
    rows = execute(RENEW, values)
    return rows[0][0] if rows else None


def session_lock_key(holder: UUID) -> int:
    """The advisory lock number of a holder: its first 63 bits."""
    return holder.int >> 65


def back_off(attempts: int) -> timedelta:
    """How long an interrupted run waits before it is taken up again: at once, then 1, 2, 4 … s."""
    return timedelta(seconds=0 if attempts <= 1 else min(2 ** (attempts - 2), 30))


def _due(combos: Sequence[int]) -> QuerySet[Run]:
    return Run.objects.filter(
        status__in=[states.QUEUED, states.WAITING], due_at__lte=Now(), combo__in=combos
    )


def _note_takeover(lease: Lease) -> None:
    Recovery.objects.filter(run_id=lease.run_id, ended="", taken_over_at=None).update(
        taken_over_at=Now()
    )
