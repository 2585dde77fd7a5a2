"""What a stop would hold back, what it did not catch, and what became of each of those."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals import queries as approvals
from checkpoints import states
from checkpoints.models import Run, Stop
from execution.pages.places import ACTION, place
from reconciliation.models import Action, Attempt
from tenants.models import Tenant

LOOKED_AT: Final = 5_000
MOST: Final = 200
COUNTED_TO: Final = 10_000


@dataclass(frozen=True)
class Call:
    """One call of an action: what, where, since when out, what became of it."""

    action: Action
    sent_at: datetime
    outcome: str
    url: str


@dataclass(frozen=True)
class Standing:
    """A stop in force, as its page shows it. `caught` are the calls that were out when it came."""

    stop: Stop
    sentence: str
    caught: Sequence[Call]
    still_out: int
    liftable: bool


@dataclass(frozen=True)
class Scene:
    """What a stop of this tenant's effects would meet now."""

    out: Sequence[Call]
    unused: int
    waiting: int
    live: int

    @property
    def lifting(self) -> str:
        """What lifting the stop of effects would set going, in numbers, for its button."""
        go_on = ngettext("%(n)d run goes on", "%(n)d runs go on", self.waiting)
        sent = ngettext(
            "%(n)d approved effect may be sent", "%(n)d approved effects may be sent", self.unused
        )
        told = {"runs": go_on % {"n": self.waiting}, "sent": sent % {"n": self.unused}}
        return _("Lift this stop: %(runs)s, %(sent)s") % told


def stop_sentence(stop: Stop) -> str:
    """What a stop holds back, and where."""
    if stop.tenant is None:
        effects, new_runs = (
            _("Effects are stopped everywhere."),
            _("New runs are stopped everywhere."),
        )
        return effects if stop.lock == "effects" else new_runs
    effects = _("Effects are stopped for %(tenant)s.")
    new_runs = _("New runs are stopped for %(tenant)s.")
    return (effects if stop.lock == "effects" else new_runs) % {"tenant": stop.tenant.name}


def scene(tenant: Tenant) -> Scene:
    """The calls that are out now, approvals not used yet, and runs that would meet the stop."""
    live = Run.objects.filter(tenant=tenant, status__in=states.LIVE)
    stopped = live.filter(status=states.WAITING, reason=states.FOR_STOP)
    return Scene(
        [_call(tenant, attempt) for attempt in _out_now(tenant)],
        approvals.unused_count(tenant.pk),
        stopped[: COUNTED_TO + 1].count(),
        live[: COUNTED_TO + 1].count(),
    )


def standing(tenant: Tenant) -> list[Standing]:
    """The stops that hold for this tenant, newest first, each with what it did not catch."""
    found = (
        Stop.objects.filter(Q(tenant=tenant) | Q(tenant=None), lifted_at=None)
        .select_related("tenant")
        .order_by("-pk")[:MOST]
    )
    return [_standing(tenant, stop) for stop in found]


def in_force(tenant: Tenant, stop_id: int) -> Standing:
    """One stop that holds for this tenant. Raises `Stop.DoesNotExist`."""
    found = Stop.objects.select_related("tenant").filter(Q(tenant=tenant) | Q(tenant=None))
    return _standing(tenant, found.get(pk=stop_id))


def own_stop(tenant: Tenant, stop_id: int) -> Stop:
    """A stop of this tenant alone. Raises `Stop.DoesNotExist`, also for one of everything."""
    return Stop.objects.get(pk=stop_id, tenant=tenant)


def _standing(tenant: Tenant, stop: Stop) -> Standing:
    caught = _caught(tenant, stop.stopped_at) if stop.lock == "effects" else []
    return Standing(
        stop,
        stop_sentence(stop),
        [_call(tenant, attempt) for attempt in caught],
        sum(attempt.settled_at is None for attempt in caught),
        stop.tenant is not None,
    )


def _caught(tenant: Tenant, at: datetime) -> list[Attempt]:
    """Calls sent before a moment and not settled by then: looked for among the newest actions."""
    newest = Action.objects.filter(tenant=tenant, proposed_at__lte=at).order_by("-proposed_at")
    looked_at = newest.values("pk")[:LOOKED_AT]
    found = Attempt.objects.filter(action__in=looked_at, dispatched_at__lte=at).filter(
        Q(settled_at=None) | Q(settled_at__gte=at)
    )
    return list(_light(found).order_by("dispatched_at")[:MOST])


def _out_now(tenant: Tenant) -> list[Attempt]:
    # one_open_attempt_per_action covers the few open attempts of all tenants.
    found = Attempt.objects.filter(outcome="", action__tenant=tenant)
    return list(_light(found).order_by("dispatched_at")[:MOST])


def _light(attempts: Any) -> Any:
    return attempts.select_related("action__run").defer("action__parameters", "action__run__input")


def _call(tenant: Tenant, attempt: Attempt) -> Call:
    action = attempt.action
    outcome = attempt.outcome or action.outcome or action.stands
    return Call(action, attempt.dispatched_at, outcome, place(ACTION, tenant, action.pk))
