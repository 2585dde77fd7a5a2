"""What a stop would hold back, what was out when it came, and what became of each of those."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints import states
from checkpoints.models import Lifting, Run, Stop
from checkpoints.scopes import Scope
from execution import pacing
from execution.pages import stopscopes
from execution.pages.places import ACTION, place
from reconciliation import stopping
from reconciliation.models import Action, Attempt
from reconciliation.stopping import Calls
from tenants import amounts
from tenants.models import Tenant

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
class Scene:
    """What a stop of effects would meet now in its scope."""

    out: Sequence[Call]
    unused: int
    waiting: int
    live: int

    @property
    def sets_going(self) -> dict[str, str]:
        """What lifting the stop of effects would set going, in numbers, for the buttons."""
        go_on = ngettext("%(n)s run goes on", "%(n)s runs go on", self.waiting)
        sent = ngettext(
            "%(n)s approved effect may be sent", "%(n)s approved effects may be sent", self.unused
        )
        waiting = amounts.count(self.waiting, COUNTED_TO)
        return {"runs": go_on % {"n": waiting}, "sent": sent % {"n": amounts.count(self.unused)}}


@dataclass(frozen=True)
class Standing:
    """A stop in force, as its page shows it to people of one tenant, or to those of all.

    `calls` counts what was out when it came, `caught` lists it; `lifting` is an open proposal.
    """

    stop: Stop
    sentence: str
    calls: Calls
    caught: Sequence[Call]
    scene: Scene
    lifting: Lifting | None
    liftable: bool

    @property
    def still_out(self) -> int:
        return self.calls.still_out

    @property
    def proposing(self) -> str:
        """What the button says that proposes to lift it."""
        if self.stop.lock == "new_runs":
            return _("Propose to lift: runs can be started again")
        return _("Propose to lift: %(runs)s, %(sent)s") % self.scene.sets_going

    @property
    def confirming(self) -> str:
        """What the button says that lifts it."""
        if self.stop.lock == "new_runs" or self.lifting is None:
            return _("Lift it: runs can be started again")
        told = {**self.scene.sets_going, "pace": amounts.count(self.lifting.per_minute)}
        return _("Lift it: %(runs)s, %(pace)s a minute; %(sent)s") % told

    @property
    def not_listed(self) -> int:
        return self.calls.total - len(self.caught)


@dataclass(frozen=True)
class GoingOn:
    """A lifted stop whose runs go on at a pace: how many have, how many wait still."""

    stop: Stop
    lifting: Lifting
    sentence: str
    left: int


def stop_sentence(stop: Stop) -> str:
    """What a stop holds back, and where; *stopped* only when all that was out is reconciled."""
    what = stopscopes.what(Scope.of_stop(stop), stop.lock)
    told = {"what": what, "tenant": stop.tenant.name if stop.tenant else ""}
    if stop.reconciled_at is None:
        if stop.tenant is None:
            return _("%(what)s are being stopped everywhere: calls are still out.") % told
        return _("%(what)s are being stopped for %(tenant)s: calls are still out.") % told
    if stop.tenant is None:
        return _("%(what)s are stopped everywhere.") % told
    return _("%(what)s are stopped for %(tenant)s.") % told


def scene(scope: Scope) -> Scene:
    """The calls that are out now, approvals not used yet, and runs that would meet the stop."""
    of_run = Scope(scope.tenant, scope.task_type, scope.combo)
    live = Run.objects.filter(
        stopping.within(of_run, of_run=""), status__in=states.LIVE, mode=states.LIVE_MODE
    )
    stopped = live.filter(pacing.covered_by(scope), status=states.WAITING, reason=states.FOR_STOP)
    out = stopping.light(stopping.open_attempts(scope)).order_by("dispatched_at")[:MOST]
    return Scene(
        _told(out),
        stopping.unused_approvals(scope),
        stopped[: COUNTED_TO + 1].count(),
        live[: COUNTED_TO + 1].count(),
    )


def standing(tenant: Tenant, *, everywhere: bool) -> list[Standing]:
    """The stops that hold something of this tenant, newest first, each with what was out."""
    found = _of(tenant).filter(lifted_at=None).order_by("-pk")[:MOST]
    return [_standing(tenant, stop, everywhere=everywhere) for stop in found]


def in_force(tenant: Tenant, stop_id: int, *, everywhere: bool) -> Standing:
    """One stop that holds for this tenant. Raises `Stop.DoesNotExist`."""
    return _standing(tenant, _of(tenant).get(pk=stop_id), everywhere=everywhere)


def own_stop(tenant: Tenant, stop_id: int) -> Stop:
    """A stop that this tenant's people see. Raises `Stop.DoesNotExist`."""
    return _of(tenant).get(pk=stop_id)


def going_on(tenant: Tenant) -> list[GoingOn]:
    """The lifted stops of this tenant and of all whose runs still go on at a pace."""
    mine = pacing.under_way().filter(Q(stop__tenant=tenant) | Q(stop__tenant=None))
    found = mine.select_related("stop__tenant", "stop__combo", "proposed_by", "confirmed_by")
    return [
        GoingOn(
            lifting.stop,
            lifting,
            stopscopes.what(Scope.of_stop(lifting.stop), lifting.stop.lock),
            pacing.waiting_for(lifting).filter(tenant=tenant)[: COUNTED_TO + 1].count(),
        )
        for lifting in found[:MOST]
    ]


def _of(tenant: Tenant) -> QuerySet[Stop]:
    found = Stop.objects.filter(Q(tenant=tenant) | Q(tenant=None))
    return found.select_related("tenant", "combo").defer("combo__manifest")


def _standing(tenant: Tenant, stop: Stop, *, everywhere: bool) -> Standing:
    """Of a stop of every tenant, those of one see what is theirs."""
    all_seen = everywhere or stop.tenant is not None
    scope = Scope.of_stop(stop)
    calls = stopping.calls(stop, None if all_seen else tenant)
    return Standing(
        stop,
        _sentence_of(stop, calls),
        calls,
        _told(calls.listed[:MOST]),
        scene(scope if all_seen else Scope(tenant, scope.task_type, scope.combo, scope.tool)),
        stop.liftings.select_related("proposed_by").filter(ended="").first(),
        all_seen,
    )


def _sentence_of(stop: Stop, calls: Calls) -> str:
    if stop.lock == "effects" and calls.still_out:
        what = stopscopes.what(Scope.of_stop(stop), stop.lock)
        out = ngettext("%(n)d call still out", "%(n)d calls still out", calls.still_out)
        told = {"what": what, "out": out % {"n": calls.still_out}}
        if stop.tenant is None:
            return _("%(what)s everywhere: stopping, %(out)s.") % told
        return _("%(what)s for %(tenant)s: stopping, %(out)s.") % (
            told | {"tenant": stop.tenant.name}
        )
    return stop_sentence(stop)


def _told(attempts: Iterable[Attempt]) -> list[Call]:
    return [_call(attempt) for attempt in attempts]


def _call(attempt: Attempt) -> Call:
    action = attempt.action
    of_action = action.outcome or action.stands
    outcome = of_action if attempt.outcome in stopping.NOT_KNOWN else attempt.outcome
    return Call(action, attempt.dispatched_at, outcome, place(ACTION, action.tenant, action.pk))
