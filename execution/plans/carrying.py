"""Carrying plans out: item by item at the set rate, each in one transaction with its effect on the run.

Everything is read from the rows: killed anywhere, stopped, or run by two at once, no item is done
twice, and the next call goes on where the rows say.
"""

import logging
from datetime import datetime, timedelta
from math import ceil
from typing import Any, Final
from uuid import UUID, uuid5

from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from approvals.errors import ApprovalError
from canonical.redaction import ours
from checkpoints import events
from checkpoints.boundaries import boundary
from checkpoints.errors import IllegalMoveError, RecordError
from execution.plans import notices, states, subjects
from execution.plans.computing import ENGINE
from execution.plans.kinds import kind_of
from execution.plans.kinds.contract import Carrying, Kind, Result
from execution.plans.models import Plan, PlanItem
from reconciliation.errors import WorldError
from tenants import access, audit
from tenants.actors import Actor
from tenants.clock import ClockTimestamp
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.keys.errors import KeysError

log = logging.getLogger(__name__)

A_MINUTE: Final = timedelta(minutes=1)
# Whoever was away does not make up for it: at most this much of the rate at once.
AT_ONCE: Final = timedelta(seconds=5)
MOST_TRIES: Final = 20
WORDS: Final = {
    "status": gettext_lazy("status"),
    "reason": gettext_lazy("reason"),
    "head": gettext_lazy("checkpoint"),
    "fence": gettext_lazy("another worker had it"),
    "case": gettext_lazy("its case"),
    "action": gettext_lazy("its effect"),
    "stands": gettext_lazy("where its effect stands"),
    "outcome": gettext_lazy("the outcome of its effect"),
    "attempts": gettext_lazy("attempts"),
}
SAID_IN_FULL: Final = ("status", "head", "attempts")
REFUSALS: Final = (RecordError, WorldError, ApprovalError, KeysError, PermissionDenied)


def carry_on(plan_id: UUID, *, most: int = 200) -> int:
    """Carry out what the rate allows now, at most so many items; returns how many."""
    done = 0
    while done < most and _next(plan_id):
        done += 1
    return done


def _next(plan_id: UUID) -> bool:
    """One item, or none when the rate, a stop, the end, or another process says so."""
    boundary("plan item:before")
    with transaction.atomic():
        # One process at a time is at a plan: the item it is at is behind this lock.
        started = Plan.objects.filter(pk=plan_id, state=states.STARTED)
        free = started.select_for_update(skip_locked=True, of=("self",))
        related = free.select_related("tenant", "started_by", "seconded_by", "drafted_by")
        plan = related.annotate(now=ClockTimestamp()).first()
        if plan is None or not _may_go_on(plan):
            return False
        item = plan.items.filter(state=states.PLANNED).order_by("tries", "position").first()
        if item is None:
            _finish(plan)
            return False
        paced_at = _earned(plan, plan.now)
        if paced_at is None:
            return False
        Plan.objects.filter(pk=plan.pk).update(paced_at=paced_at)
        _carry_out(plan, item)
        # Under the lock of the plan the counter is true: only its last item asks again.
        if plan.planned == 1 and not plan.items.filter(state=states.PLANNED).exists():
            _finish(plan)
    boundary("plan item:after")
    return True


def _may_go_on(plan: Plan) -> bool:
    """Whoever started it is active and permitted still, and who seconded it; else it stops."""
    people = {plan.started_by, plan.seconded_by} if plan.needs_second else {plan.started_by}
    known = {person.pk: person for person in people if person is not None}
    may = access.who_may(plan.tenant_id, kind_of(plan.kind).right, known)
    lost = [str(person) for pk, person in known.items() if pk not in may]
    if not lost:
        return True
    because = _("%(who)s may not do this any more.") % {"who": ", ".join(lost)}
    Plan.objects.filter(pk=plan.pk).update(state=states.STOPPED, stopped_because=because)
    _record(plan, "stopped plan", because=hiding.text(because))
    return False


def _earned(plan: Plan, now: datetime) -> datetime | None:
    """Up to when the rate is kept by one more item; None while it is too early for that."""
    beat = A_MINUTE / plan.per_minute
    paced_at = plan.paced_at or now - beat
    if now - paced_at < beat:
        return None
    return max(paced_at, now - max(AT_ONCE, beat)) + beat


def _carry_out(plan: Plan, item: PlanItem) -> None:
    """The effect on the run and the row of the item together; what is refused leaves no trace."""
    kind = kind_of(plan.kind)
    try:
        with transaction.atomic():
            result = _result(kind, plan, item)
            _keep(plan, item, result)
    except OperationalError as busy:
        _again(plan, item, busy)
    except IllegalMoveError as quicker:
        _keep(plan, item, Result(states.SKIPPED, str(quicker)))
    except InterfaceError:
        raise  # the connection is gone, and with it the lock: whoever is next goes on
    except REFUSALS as refusal:
        _keep(plan, item, Result(states.FAILED, _said(refusal)))
    except Exception as error:  # a fault of ours in one run must not keep the others from theirs
        log.exception("plan %s: run %s", plan.pk, item.run_id)
        broke = _("It broke off (%(what)s).") % {"what": type(error).__name__}
        _keep(plan, item, Result(states.FAILED, broke))


def _result(kind: Kind, plan: Plan, item: PlanItem) -> Result:
    subject = subjects.load([item])[item.pk] if kind.locks_itself else subjects.lock(item)
    moved = _moved(item, subject.facts())
    if moved:
        return Result(states.SKIPPED, _("It changed since the review: %(what)s.") % {"what": moved})
    assert plan.started_by is not None  # noqa: S101 - the plan is started
    why = f"{plan.why} ({plan})"
    terms = {**plan.terms, **item.terms}
    second = plan.seconded_by if plan.needs_second else None
    token = uuid5(plan.pk, str(item.position))
    given = Carrying(subject, terms, why, plan.started_by, second, item.was, token)
    return kind.carry_out(given)


def _moved(item: PlanItem, now: dict[str, Any]) -> str:
    """What differs from the review, in words; "" when nothing does."""
    different = [name for name, old in item.was.items() if name in now and now[name] != old]
    told = [
        f"{WORDS[name]} {item.was[name]} → {now[name]}"
        if name in SAID_IN_FULL
        else str(WORDS[name])
        for name in different
    ]
    return ", ".join(told)


def _keep(plan: Plan, item: PlanItem, result: Result) -> None:
    """One guarded change that must hit exactly this item, still planned."""
    said = str(hiding.text(str(result.said)))
    hit = PlanItem.objects.filter(pk=item.pk, state=states.PLANNED).update(
        state=result.state, said=said, carried_at=ClockTimestamp()
    )
    if hit != 1:
        raise AssertionError(f"item {item.pk} was carried out twice under one lock")
    told = ours("P-%(n)s", n=plan.number)
    actor = Actor.person(plan.started_by) if plan.started_by else ENGINE
    state = hiding.text(result.state)
    events.append(item.run_id, "carried out", actor, plan=told, result=state)


def _again(plan: Plan, item: PlanItem, busy: OperationalError) -> None:
    """Somebody held the run: it comes last in line, and is given up after some tries."""
    log.info("plan %s: run %s is busy: %s", plan.pk, item.run_id, busy)
    if item.tries + 1 >= MOST_TRIES:
        said = _("Somebody else was at the run each time.")
        _keep(plan, item, Result(states.FAILED, said))
        return
    PlanItem.objects.filter(pk=item.pk).update(tries=F("tries") + 1)


def _finish(plan: Plan) -> None:
    hit = Plan.objects.filter(pk=plan.pk, state=states.STARTED)
    hit.update(state=states.FINISHED, ended_at=Now())
    plan.refresh_from_db()
    counted = {name: getattr(plan, name) for name in states.RESULTS}
    _record(plan, "finished plan", **counted)
    notices.finished(plan)


def _record(plan: Plan, verb: str, **told: Any) -> None:
    subject = ours("plan:%(id)s", id=plan.pk)
    audit.record(plan.tenant, ENGINE, hiding.text(verb), subject, number=plan.number, **told)


def _said(refusal: Exception) -> str:
    if isinstance(refusal, Denied):
        return _("Whoever started the plan lacks the right: %(right)s.") % {
            "right": refusal.permission
        }
    return str(refusal) or (type(refusal).__doc__ or "").split("\n")[0]


def seconds_for(items: int, per_minute: int) -> int:
    """How long so many items take at a rate."""
    return ceil(items * 60 / per_minute)
