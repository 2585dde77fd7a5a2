"""Stops: locks on new runs or on effects, for everything or for one tenant.

A stop takes the row of its scope FOR NO KEY UPDATE; start and dispatch take the same rows FOR SHARE and
judge afterwards. So a stop that has answered is in force: nothing slips past it (rule 11).
"""

from typing import Literal

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from checkpoints.errors import IllegalMoveError, StoppedError
from checkpoints.models import Run, Stop
from checkpoints.wakeups import wake
from tenants import audit
from tenants.actors import Actor
from tenants.database import execute
from tenants.models import Installation, Tenant

Lock = Literal["new_runs", "effects"]

SHARE_INSTALLATION = 'SELECT 1 FROM tenants_installation WHERE "only" FOR SHARE'
SHARE_TENANT = "SELECT 1 FROM tenants_tenant WHERE id = %(tenant)s FOR SHARE"
# A statement of its own: it sees what was committed while those waited.
IN_FORCE = """
SELECT stopped_by, stopped_at, why FROM checkpoints_stop
 WHERE lock = %(lock)s AND lifted_at IS NULL AND (tenant_id IS NULL OR tenant_id = %(tenant)s)
 LIMIT 1
"""


def stop(tenant: Tenant | None, lock: Lock, *, why: str, actor: Actor) -> Stop:
    """Stop new runs or effects; `tenant` None means everything. Stopping twice is one stop.

    Waits for dispatches under way in its scope: when it returns, what is out is known.
    """
    if not why.strip():
        raise IllegalMoveError("a stop needs a reason; say in a few words why you stop")
    with transaction.atomic():
        _lock_scope(tenant)
        standing = in_force(tenant.pk if tenant else None, lock).filter(tenant=tenant).first()
        if standing is not None:
            return standing
        made = Stop.objects.create(tenant=tenant, lock=lock, why=why, stopped_by=actor.name)
        scope = tenant.slug if tenant else "everything"
        audit.record(tenant, actor, "stopped", f"{lock} of {scope}", why=why)
    return made


def lift(stop_id: int, *, why: str, actor: Actor) -> Stop:
    """Lift a stop. What waited for it is woken. Raises `IllegalMoveError` if it is lifted."""
    with transaction.atomic():
        standing = Stop.objects.get(pk=stop_id)
        _lock_scope(standing.tenant)
        hit = Stop.objects.filter(pk=stop_id, lifted_at=None).update(
            lifted_at=Now(), lifted_by=actor.name
        )
        if hit != 1:
            raise IllegalMoveError("this stop is lifted already")
        scope = standing.tenant.slug if standing.tenant else "everything"
        audit.record(standing.tenant, actor, "lifted", f"{standing.lock} of {scope}", why=why)
        waiting = Run.objects.filter(status="waiting", reason="for_stop")
        if standing.tenant_id is not None:
            waiting = waiting.filter(tenant_id=standing.tenant_id)
        for run_id in waiting.values_list("id", flat=True)[:1000]:
            wake(run_id, why=f"{actor.name} lifted the stop")
    standing.refresh_from_db()
    return standing


def in_force(tenant_id: int | None, lock: Lock) -> QuerySet[Stop]:
    """The open stops that hold for a tenant (its own and those for everything)."""
    scope = Q(tenant=None) | Q(tenant_id=tenant_id) if tenant_id else Q(tenant=None)
    return Stop.objects.filter(scope, lock=lock, lifted_at=None)


def refuse_if_stopped(tenant_id: int, lock: Lock) -> None:
    """Inside a transaction: keep stops out until it ends, then judge. Raises `StoppedError`."""
    if not execute(SHARE_INSTALLATION, {}):
        # The very first: a stop can wait only for a row that is there.
        Installation.objects.get_or_create(only=True)
        execute(SHARE_INSTALLATION, {})
    execute(SHARE_TENANT, {"tenant": tenant_id})
    for who, since, why in execute(IN_FORCE, {"tenant": tenant_id, "lock": lock}):
        what = "new runs are" if lock == "new_runs" else "effects are"
        raise StoppedError(
            f"{what} stopped by {who} since {since:%Y-%m-%d %H:%M} UTC: {why}. Lift the stop first."
        )


def _lock_scope(tenant: Tenant | None) -> None:
    # NO KEY: keeps every FOR SHARE out, but not the foreign keys of rows that others write while
    # they hold a run: with a full lock, lift and cancel deadlock over tenant and run.
    if tenant is None:
        Installation.objects.get_or_create(only=True)
        Installation.objects.select_for_update(no_key=True).get(only=True)
    else:
        Tenant.objects.select_for_update(no_key=True).get(pk=tenant.pk)
