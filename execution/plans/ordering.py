"""What people order of a plan: second it, start it, stop it, let it go on, discard it.

Each posts back the digest that the page showed, and is judged under the lock of the plan.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from canonical.redaction import Fact, ours
from checkpoints.boundaries import boundary
from checkpoints.errors import IllegalMoveError
from execution.plans import states
from execution.plans.errors import (
    NumberNotTypedError,
    PlanMovedError,
    PlanRefusedError,
    SecondNeededError,
)
from execution.plans.kinds import kind_of
from execution.plans.models import Plan, PlanOrder
from tenants import access, audit
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import User


@dataclass(frozen=True)
class Order:
    """What a person posted: the digest they saw, the number they typed, how many a minute, why."""

    digest: str
    typed: int | None = None
    per_minute: int | None = None
    why: str = ""


@dataclass(frozen=True)
class _Ordered:
    plan: Plan
    user: User
    order: Order
    said: str
    changes: dict[str, Any] = field(default_factory=dict)


def start(plan_id: UUID, order: Order, *, user: User) -> Plan:
    """Start a ready plan, or let a stopped one go on; what follows follows in its person's name.

    Raises `PlanMovedError` for another digest, `NumberNotTypedError`, `SecondNeededError`,
    `PlanRefusedError`, `IllegalMoveError`, `Denied`.
    """
    with _ordered():
        plan = _locked(plan_id, (states.READY, states.STOPPED), user)
        _refuse_another(plan, order)
        _refuse_start(plan, order, user)
        again = plan.state == states.STOPPED
        rate = plan.per_minute if order.per_minute is None else order.per_minute
        changes = {
            "state": states.STARTED,
            "started_by": user,
            "started_at": plan.started_at or Now(),
            # The first goes at once.
            "paced_at": Now() - timedelta(minutes=1) / rate,
            "per_minute": rate,
            "stopped_because": "",
        }
        said = states.GO_ON if again else states.START
        return _carry(_Ordered(plan, user, order, said, changes))


def stop(plan_id: UUID, order: Order, *, user: User) -> Plan:
    """Nothing more of it is carried out; what is done stays done. Needs no digest: it only stops."""
    with _ordered():
        plan = _locked(plan_id, (states.STARTED,), user)
        because = _("Stopped by %(who)s.") % {"who": user}
        changes = {"state": states.STOPPED, "stopped_because": because}
        return _carry(_Ordered(plan, user, order, states.STOP, changes))


def discard(plan_id: UUID, order: Order, *, user: User) -> Plan:
    """End a plan that was not started, or was stopped: what is left of it is never done."""
    with _ordered():
        unstarted = (states.COMPUTING, states.READY, states.STOPPED)
        plan = _locked(plan_id, unstarted, user)
        changes = {"state": states.DISCARDED, "ended_at": Now()}
        return _carry(_Ordered(plan, user, order, states.DISCARD, changes))


def second(plan_id: UUID, order: Order, *, user: User) -> Plan:
    """Say yes as the second person, to exactly this digest; somebody else starts it."""
    with _ordered():
        plan = _locked(plan_id, (states.READY, states.STOPPED), user)
        _refuse_another(plan, order)
        if not plan.needs_second:
            raise PlanRefusedError(_("this plan takes no second person"))
        if user.pk == plan.drafted_by_id:
            raise PlanRefusedError(_("you planned it: somebody else has to be the second person"))
        if user.pk == plan.started_by_id:
            raise PlanRefusedError(_("you started it: somebody else has to be the second person"))
        return _carry(_Ordered(plan, user, order, states.SECOND, {"seconded_by": user}))


@contextmanager
def _ordered() -> Iterator[None]:
    """An order is one transaction, and a boundary."""
    boundary("order plan:before")
    with transaction.atomic():
        transaction.on_commit(partial(boundary, "order plan:after"))
        yield


def _locked(plan_id: UUID, legal: tuple[str, ...], user: User) -> Plan:
    """The plan under its lock, in one of these states, and the person permitted and active."""
    plan = (
        Plan.objects.select_for_update(of=("self",))
        .select_related("tenant", "drafted_by", "seconded_by")
        .get(pk=plan_id)
    )
    right = kind_of(plan.kind).right
    if user.pk not in access.who_may(plan.tenant_id, right, [user.pk]):
        raise Denied(plan.tenant_id, right)
    if plan.state not in legal:
        raise IllegalMoveError(f"the plan is {plan.state} by now; load the page again")
    return plan


def _refuse_another(plan: Plan, order: Order) -> None:
    if order.digest != plan.digest or not plan.digest:
        raise PlanMovedError


def _refuse_start(plan: Plan, order: Order, user: User) -> None:
    if plan.planned == 0:
        raise PlanRefusedError(_("nothing is left to do in it"))
    if plan.planned > states.TYPED_ABOVE and order.typed != plan.planned:
        raise NumberNotTypedError(_("type %(n)d") % {"n": plan.planned})
    if order.per_minute is not None and not 1 <= order.per_minute <= states.FASTEST_PER_MINUTE:
        raise PlanRefusedError(f"from 1 to {states.FASTEST_PER_MINUTE} a minute")
    if not plan.needs_second:
        return
    right = kind_of(plan.kind).right
    seconder = plan.seconded_by_id
    if seconder is None or seconder == user.pk:
        raise SecondNeededError(plan.needs_second)
    if seconder not in access.who_may(plan.tenant_id, right, [seconder]):
        raise SecondNeededError(_("who said yes to it may not do so any more"))


def _carry(ordered: _Ordered) -> Plan:
    """The order first: PostgreSQL asks for it before the plan may move."""
    plan, user, order = ordered.plan, ordered.user, ordered.order
    why = hiding.text(order.why.strip())
    PlanOrder.objects.create(
        plan=plan, said=ordered.said, user=user, digest=plan.digest, why=str(why)
    )
    hit = Plan.objects.filter(pk=plan.pk, state=plan.state).update(**ordered.changes)
    if hit != 1:
        raise IllegalMoveError("the plan moved meanwhile; load the page again")
    told: dict[str, Fact] = {"number": plan.number, "digest": hiding.text(plan.digest)}
    told |= {"runs": plan.planned, "kind": hiding.text(plan.kind)}
    told |= {"why": why} if str(why) else {}
    verb = ours("%(said)s plan", said=hiding.text(VERBS[ordered.said]))
    subject = ours("plan:%(id)s", id=plan.pk)
    audit.record(plan.tenant, Actor.person(user), verb, subject, **told)
    plan.refresh_from_db()
    return plan


VERBS = {
    states.START: "started",
    states.GO_ON: "let go on",
    states.STOP: "stopped",
    states.SECOND: "seconded",
    states.DISCARD: "discarded",
}
