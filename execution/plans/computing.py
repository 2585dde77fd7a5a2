"""Working a plan out: each run is judged as it is now, in chunks; then the digest over all of it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from canonical import digests
from canonical.redaction import ours
from checkpoints import events
from checkpoints.boundaries import boundary
from checkpoints.errors import RecordError
from checkpoints.models import Run
from execution import forecasts
from execution.forecasts import Forecast, Transition
from execution.plans import states, subjects
from execution.plans.kinds import kind_of
from execution.plans.kinds.contract import Assessing, Kind, LeftOut, Planned
from execution.plans.models import Plan, PlanItem
from execution.plans.subjects import Subject
from reconciliation.errors import WorldError
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.keys.errors import KeysError

CHUNK: Final = 100
FORECAST: Final = "forecast"
CANCEL: Final = "cancel"
FIELDS: Final = ("state", "holds", "code", "sentence", "was", "case_id")
ENGINE: Final = Actor.machine("sweeper")


def compute(plan_id: UUID, *, most: int = CHUNK) -> int:
    """Judge so many of its runs that nobody has looked at yet; returns how many.

    With none left the plan is ready, under its digest. Idempotent: killed anywhere, the next call
    goes on. A plan that another process is at is left to it.
    """
    boundary("plan chunk:before")
    with transaction.atomic():
        computing = Plan.objects.filter(pk=plan_id, state=states.COMPUTING)
        free = computing.select_for_update(skip_locked=True, of=("self",))
        plan = free.select_related("tenant", "drafted_by").first()
        if plan is None:
            return 0
        waiting = plan.items.filter(state=states.WAITING).order_by("position")
        items = list(waiting[:most])
        _judge(plan, items)
        if not waiting.exists():
            _make_ready(plan)
    boundary("plan chunk:after")
    return len(items)


def digest_of(plan: Plan) -> str:
    """The digest over everything that is reviewed: why and what, and each item as it was judged."""
    told = {
        "tenant": plan.tenant_id,
        "plan": str(plan.pk),
        "number": plan.number,
        "kind": plan.kind,
        "why": plan.why,
        "terms": plan.terms,
        "drafted_by": plan.drafted_by_id,
        "second": plan.needs_second,
        "foreseen": plan.foreseen,
        "items": list(_items(plan)),
    }
    return digests.tagged("plan", told)


def _items(plan: Plan) -> Iterator[list[Any]]:
    columns = ("position", "run_id", "action_id", "state", "code", "terms", "was")
    for row in plan.items.order_by("position").values_list(*columns).iterator():
        position, run_id, action_id, state, *rest = row
        # What became of it comes later and is no part of what was reviewed.
        taken = state != states.LEFT_OUT
        yield [position, str(run_id), str(action_id or ""), taken, *rest]


def _judge(plan: Plan, items: list[PlanItem]) -> None:
    kind, found = kind_of(plan.kind), subjects.load(items)
    judged = {item.pk: _judged(kind, plan, item, found[item.pk]) for item in items}
    taken = [found[pk].run for pk, each in judged.items() if isinstance(each, Planned)]
    foreseen = _foreseen(kind, taken)
    for item in items:
        _settle(item, judged[item.pk], found[item.pk], foreseen.get(item.run_id))
    PlanItem.objects.bulk_update(items, FIELDS)
    _sum_up(plan, judged.values(), foreseen.values())
    for item in items:
        if item.state == states.PLANNED:
            _tell_run(plan, item)


def _foreseen(kind: Kind, runs: list[Run]) -> dict[UUID, Forecast]:
    if not kind.transition or not runs:
        return {}
    how = Transition.cancel() if kind.transition == CANCEL else Transition.resume()
    return forecasts.of_each(runs, how)


def _settle(
    item: PlanItem, judged: Planned | LeftOut, subject: Subject, foreseen: Forecast | None
) -> None:
    item.code, item.sentence = judged.code, str(hiding.text(str(judged.sentence)))
    if isinstance(judged, LeftOut):
        item.state, item.holds = states.LEFT_OUT, False
        return
    item.state, item.was = states.PLANNED, was(subject, judged)
    item.case_id = subject.case.pk if subject.case else None
    if foreseen is not None:
        item.was[FORECAST] = {name: n for name, n in foreseen.counts.items() if n}
        item.sentence = f"{item.sentence} {hiding.text(foreseen.sentence)}"


def _sum_up(plan: Plan, judged: Iterable[Planned | LeftOut], foreseen: Iterable[Forecast]) -> None:
    seconds = [str(each.second) for each in judged if isinstance(each, Planned) and each.second]
    plan.needs_second = plan.needs_second or next(iter(seconds), "")
    sums = Counter(plan.foreseen)
    for each in foreseen:
        sums.update({name: n for name, n in each.counts.items() if n})
    plan.foreseen = dict(sums)
    changed = {"needs_second": plan.needs_second, "foreseen": plan.foreseen}
    Plan.objects.filter(pk=plan.pk).update(**changed)


def was(subject: Subject, judged: Planned) -> dict[str, Any]:
    """What is kept of a judged run: the facts that are watched, and those of the kind."""
    facts = subject.facts()
    return {name: facts[name] for name in judged.watched} | dict(judged.facts)


def _judged(kind: Kind, plan: Plan, item: PlanItem, subject: Subject) -> Planned | LeftOut:
    terms: Mapping[str, Any] = {**plan.terms, **item.terms}
    try:
        with transaction.atomic():
            return kind.assess(Assessing(subject, terms, plan.drafted_by))
    except (RecordError, WorldError, KeysError) as error:
        # A check that cannot be completed leaves the run out.
        return LeftOut("cannot_be_judged", f"{_('It cannot be judged.')} {error}")


def _make_ready(plan: Plan) -> None:
    digest = digest_of(plan)
    Plan.objects.filter(pk=plan.pk).update(state=states.READY, digest=digest, ready_at=Now())
    audit.record(
        plan.tenant,
        ENGINE,
        "worked out plan",
        ours("plan:%(id)s", id=plan.pk),
        number=plan.number,
        digest=hiding.text(digest),
    )


def _tell_run(plan: Plan, item: PlanItem) -> None:
    told = ours("P-%(n)s", n=plan.number)
    actor = Actor.person(plan.drafted_by)
    events.append(item.run_id, "planned", actor, plan=told, kind=hiding.text(plan.kind))
