"""Stops: locks on new runs or on effects, for everything, a tenant, a task type, a combo or a tool.

A stop takes its scope's lock alone; start and dispatch take the locks of all scopes they fall
under, shared, and judge afterwards. So a stop that has answered is in force: nothing slips past it
(rule 11). How it is lifted stands in `liftings`.
"""

from collections.abc import Callable
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from checkpoints import liftings, notices, scopes
from checkpoints.errors import IllegalMoveError, StoppedError
from checkpoints.models import Stop
from checkpoints.scopes import Lock, Scope, Under
from checkpoints.stopright import admit, refusals_on_record
from tenants import audit
from tenants.actors import Actor
from tenants.database import Rows, Statement, together
from tenants.keys import hiding
from tenants.models import Tenant

# A statement of its own: it sees what was committed while the locks were waited for. Few stops are
# open at any time; they are found by one_open_stop_per_scope_and_lock. A record that is on another
# PostgreSQL than it was written on is stopped before anybody has noticed it (rule 13).
IN_FORCE: Final = """
SELECT 'Kedge', clock_timestamp(), %(elsewhere)s, '', NULL::bigint, ''
 WHERE %(lock)s = 'effects' AND NOT kedge_is_itself()
 UNION ALL
SELECT stopped_by, stopped_at, why, task_type, combo_id, tool FROM checkpoints_stop
 WHERE lock = %(lock)s AND lifted_at IS NULL
   AND (tenant_id IS NULL OR tenant_id = %(tenant)s)
   AND (task_type = '' OR task_type = %(task_type)s)
   AND (combo_id IS NULL OR combo_id = %(combo)s)
   AND (tool = '' OR tool = ANY(%(tools)s))
 LIMIT 1
"""

ELSEWHERE: Final = (
    "this is not the PostgreSQL, or not the timeline of it, on which this record was written"
)


def stop(
    where: Scope | Tenant | None,
    lock: Lock,
    *,
    why: str,
    actor: Actor,
    noting: Callable[[Stop], None] = lambda _: None,
) -> Stop:
    """Stop new runs or effects of a scope, a tenant or (None) everything. Twice is one stop.

    One person with the right, or one of our own processes, and a reason; what goes on in the scope
    is waited for, so when it returns, what is out is known. A proposal to lift the standing stop
    is withdrawn by stopping again. `noting` writes down what was out, in the same transaction and
    under the lock. Raises `StopRefusedError`, `IllegalMoveError` (no reason).
    """
    scope = Scope.of(where)
    if not why.strip():
        raise IllegalMoveError("a stop needs a reason; say in a few words why you stop")
    subject = hiding.text(f"{lock} of {scope}")
    with refusals_on_record(scope.tenant, actor, "stop", subject), transaction.atomic():
        scopes.take_alone(scope, lock)
        if actor.kind != "machine":
            admit(scope.tenant_id, actor)
        same = Stop.objects.filter(**scope.fields(), lock=lock)
        standing = same.filter(lifted_at=None).first()
        if standing is not None:
            liftings.withdraw_open(standing, subject, why=why, actor=actor)
            return standing
        liftings.end_paces(same)
        made = _made(scope, lock, why, actor)
        noting(made)
        audit.record(scope.tenant, actor, "stopped", subject, why=hiding.text(why))
        notices.stopped(made, actor)
    return made


def in_force(tenant_id: int | None, lock: Lock) -> QuerySet[Stop]:
    """The open stops that may hold something of a tenant: its own and those for every tenant."""
    scope = Q(tenant=None) | Q(tenant_id=tenant_id) if tenant_id else Q(tenant=None)
    return Stop.objects.filter(scope, lock=lock, lifted_at=None)


def refuse_if_stopped(lock: Lock, under: Under) -> None:
    """Inside a transaction: keep stops out until it ends, then judge. Raises `StoppedError`."""
    refuse(lock, *together(keeping_out(lock, under)))


def keeping_out(lock: Lock, under: Under) -> list[Statement]:
    """What keeps stops out until its transaction ends, and then looks; `refuse` judges the rows."""
    values = {
        "lock": lock,
        "elsewhere": ELSEWHERE,
        "tenant": under.tenant_id,
        "task_type": under.task_type,
        "combo": under.combo_id,
        "tools": list(under.tools),
    }
    return [scopes.sharing(under, lock), (IN_FORCE, values)]


def refuse(lock: Lock, _locked: Rows, in_force: Rows) -> None:
    """Judge what `keeping_out` found. Raises `StoppedError`."""
    for who, since, why, *thing in in_force:
        what = "new runs" if lock == "new_runs" else "effects"
        raise StoppedError(
            f"{what}{_of(*thing)} are stopped by {who} since {since:%Y-%m-%d %H:%M} UTC: {why}."
            " Lift the stop first."
        )


def _made(scope: Scope, lock: Lock, why: str, actor: Actor) -> Stop:
    # A start is in the record or is not: nothing of it is out.
    known = Now() if lock == "new_runs" else None
    return Stop.objects.create(
        **scope.fields(), lock=lock, why=why, stopped_by=actor.name, reconciled_at=known
    )


def _of(task_type: str, combo_id: int | None, tool: str) -> str:
    if combo_id is not None:
        return " of this combo"
    return f" of {task_type}" if task_type else f" with {tool}" if tool else ""
