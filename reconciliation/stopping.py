"""Stopping effects, with a list of the calls that were out, and what became of each (rule 11)."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from approvals import states as permission
from approvals.models import ApprovalRequest
from canonical.redaction import ours
from checkpoints import states as record
from checkpoints import stops
from checkpoints.models import CallOut, Run, Stop
from checkpoints.scopes import Lock, Scope
from reconciliation import states
from reconciliation.models import Action, Attempt
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import Tenant

MOST: Final = 500
A_BATCH: Final = 5_000
SWEEPER: Final = Actor.machine("sweeper")

HAPPENED: Final = "happened"
DID_NOT: Final = "did_not"
STILL_OUT: Final = "still_out"
WRITTEN_OFF: Final = "written_off"
BECAME: Final = (HAPPENED, DID_NOT, WRITTEN_OFF, STILL_OUT)
# An attempt that ended so that it may be sent again under its key is not known to have ended.
NOT_KNOWN: Final = (states.ATTEMPT_OPEN, states.ATTEMPT_RESENT)
# Runs that may stand at a stop, or are about to.
AT_A_STOP: Final = (
    Q(status=record.RUNNING)
    | Q(status=record.QUEUED, reason__in=[record.INTERRUPTED, record.WOKEN])
    | Q(status=record.WAITING, reason__in=[record.FOR_STOP, record.FOR_DOOR])
)


@dataclass(frozen=True)
class Calls:
    """The calls that were out when a stop came: all of them counted, the first of them listed.

    `became` counts them by what became of each: happened, did not, written off, still out.
    """

    listed: list[Attempt]
    became: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.became.values())

    @property
    def still_out(self) -> int:
        return self.became[STILL_OUT]


def stop(where: Scope | Tenant | None, lock: Lock, *, why: str, actor: Actor) -> Stop:
    """Stop, and write down which calls were out: the verb of people, pages and commands.

    Raises what `checkpoints.stops.stop` raises.
    """
    made = stops.stop(where, lock, why=why, actor=actor, noting=_note_calls_out)
    mark_reconciled(made)
    made.refresh_from_db()
    return made


def open_attempts(scope: Scope) -> QuerySet[Attempt]:
    """The calls of a scope that are out now: sent, and nobody knows yet what became of them."""
    # one_open_attempt_per_action has the few open attempts of all tenants.
    return Attempt.objects.filter(outcome=states.ATTEMPT_OPEN).filter(
        within(scope, "action__", "action__run__")
    )


def light(attempts: QuerySet[Attempt]) -> QuerySet[Attempt]:
    """Attempts with their actions and runs, without the heavy bytes of either."""
    related = attempts.select_related("action__run", "action__tenant")
    return related.defer("action__parameters", "action__run__input")


def within(scope: Scope, of_tool: str = "", of_run: str = "run__") -> Q:
    """What of a table lies in a scope; the prefixes lead to the columns of the tool and the run."""
    found = Q()
    if scope.tenant is not None:
        found &= Q(**{f"{of_run}tenant": scope.tenant})
    if scope.task_type:
        found &= Q(**{f"{of_run}task_type": scope.task_type})
    if scope.combo is not None:
        found &= Q(**{f"{of_run}combo": scope.combo})
    if scope.tool:
        found &= Q(**{f"{of_tool}tool": scope.tool})
    return found


def unused_approvals(scope: Scope) -> int:
    """How many approvals of a scope are given, not expired and not used: what a stop holds back."""
    given = ApprovalRequest.objects.filter(state=permission.APPROVED, expires_at__gt=Now())
    return given.filter(within(scope)).count()


def calls(stop: Stop, tenant: Tenant | None = None) -> Calls:
    """The calls that were out when a stop came, of one tenant or of all, and what became of each."""
    if stop.lock != "effects":
        return Calls([], dict.fromkeys(BECAME, 0))
    became = dict.fromkeys(BECAME, 0)
    ids = sorted(_attempt_ids(stop, tenant))
    listed: list[Attempt] = []
    for start in range(0, len(ids), A_BATCH):
        for attempt in light(Attempt.objects.filter(pk__in=ids[start : start + A_BATCH])):
            became[became_of(attempt)] += 1
            listed.append(attempt)
    # What is still out first: it is what the stop waits for.
    listed.sort(key=lambda each: (became_of(each) != STILL_OUT, each.dispatched_at))
    return Calls(listed[:MOST], became)


def became_of(attempt: Attempt) -> str:
    """What became of a call, of `BECAME`: by its own outcome, else by that of its action."""
    if attempt.outcome == states.ATTEMPT_WRITTEN_OFF:
        return WRITTEN_OFF
    if attempt.outcome not in NOT_KNOWN:
        return HAPPENED if attempt.outcome == states.ATTEMPT_HAPPENED else DID_NOT
    action = attempt.action
    if action.stands != states.SETTLED:
        return STILL_OUT
    if action.outcome == states.WRITTEN_OFF:
        return WRITTEN_OFF
    return HAPPENED if action.outcome == states.HAPPENED else DID_NOT


def mark_reconciled(stop: Stop) -> bool:
    """Note that nothing is out any more, or that something is again; True if that is news."""
    is_known = not _is_any_out(stop)
    with transaction.atomic():
        was = Stop.objects.filter(pk=stop.pk, reconciled_at__isnull=is_known, lifted_at=None)
        if was.update(reconciled_at=Now() if is_known else None) != 1:
            return False
        verb = ours("reconciled stop" if is_known else "reopened stop")
        subject = hiding.text(f"{stop.lock} of {Scope.of_stop(stop)}")
        audit.record(stop.tenant, SWEEPER, verb, subject)
    return True


def mark_all_reconciled() -> int:
    """The sweeper's duty: every stop in force says whether all that was out is reconciled."""
    standing = Stop.objects.filter(lifted_at=None).select_related("tenant", "combo")
    return sum(mark_reconciled(each) for each in standing.order_by("pk")[:MOST])


def _note_calls_out(made: Stop) -> None:
    """Under the lock of the stop's scope: every dispatch has committed, and none can begin."""
    if made.lock != "effects":
        return
    found = open_attempts(Scope.of_stop(made)).values_list("pk", "action__tenant_id")
    CallOut.objects.bulk_create(
        [CallOut(stop=made, attempt_id=pk, tenant_id=tenant) for pk, tenant in found],
        batch_size=A_BATCH,
    )


def _is_any_out(stop: Stop) -> bool:
    if stop.lock != "effects":
        return False
    noted = Attempt.objects.filter(
        pk__in=CallOut.objects.filter(stop=stop).values("attempt_id"), outcome__in=NOT_KNOWN
    )
    open_still = noted.exclude(action__stands=states.SETTLED)
    return open_still.exists() or any(found.exists() for found in _out_unnoted(stop))


def _attempt_ids(stop: Stop, tenant: Tenant | None) -> set[UUID]:
    """Those written down, and whatever of the scope is out though it was sent before."""
    of_tenant = Q() if tenant is None else Q(tenant=tenant)
    noted = CallOut.objects.filter(of_tenant, stop=stop)
    found: set[UUID] = set(noted.values_list("attempt_id", flat=True))
    for out in _out_unnoted(stop):
        mine = out if tenant is None else out.filter(action__tenant=tenant)
        found |= set(mine.values_list("pk", flat=True))
    return found


def _out_unnoted(stop: Stop) -> tuple[QuerySet[Attempt], QuerySet[Attempt]]:
    """What is out though it was sent before the stop: open, or to be sent again under its key.

    The latter is forbidden by the stop, so its run waits, and nobody knows what became of it.
    """
    scope = Scope.of_stop(stop)
    before = Q(dispatched_at__lte=stop.stopped_at)
    runs = Run.objects.filter(
        AT_A_STOP,
        within(Scope(scope.tenant, scope.task_type, scope.combo), of_run=""),
        effect_in_flight__isnull=False,
    )
    actions = Action.objects.filter(
        within(Scope(tool=scope.tool)),
        pk__in=runs.values("effect_in_flight"),
        stands=states.DISPATCHED,
    )
    again = Attempt.objects.filter(before, action__in=actions, outcome=states.ATTEMPT_RESENT)
    return open_attempts(scope).filter(before), again
