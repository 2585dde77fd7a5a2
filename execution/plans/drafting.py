"""Drafting a plan: exactly these runs or effects, each held for it from now on, none of it judged yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from canonical.redaction import ours
from checkpoints import knowing
from checkpoints.boundaries import boundary
from checkpoints.models import Run
from checkpoints.states import LIVE_MODE
from execution.plans import computing, states
from execution.plans.errors import EmptyPlanError, PlanRefusedError
from execution.plans.kinds import kind_of
from execution.plans.kinds.contract import IN_PLAN, Kind
from execution.plans.models import Plan, PlanItem
from reconciliation.models import Action
from tenants import access, audit
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import Tenant, User

NUMBERS: Final = 0x4B504C4E  # "KPLN": the first half of an advisory lock, the tenant is the second
AT_ONCE: Final = 100  # so few are judged while the person waits; more by the sweeper
IN_A_ROW: Final = 1_000


@dataclass(frozen=True)
class Target:
    """One run, or one effect of it; `terms` hold for it beside those of the plan."""

    run_id: UUID
    action_id: UUID | None = None
    terms: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Draft:
    """What is to be planned. `about` says in our words what was chosen, `why` is the person's."""

    kind: str
    why: str
    about: str
    targets: Sequence[Target]
    terms: Mapping[str, Any] = field(default_factory=dict)
    per_minute: int = states.USUAL_PER_MINUTE


def draft(tenant: Tenant, wanted: Draft, *, user: User) -> Plan:
    """Store the plan with its exact runs; few of them are judged at once, many by the sweeper.

    A run that is in another unfinished plan is left out and named. Raises `EmptyPlanError`,
    `PlanRefusedError`, `Denied` without the right of the kind, `Run.DoesNotExist` when one of the
    runs or effects is not of this tenant.
    """
    kind = kind_of(wanted.kind)
    if user.pk not in access.who_may(tenant.pk, kind.right, [user.pk]):
        raise Denied(tenant.pk, kind.right)
    _refuse(kind, wanted)
    targets = _in_order(tenant, wanted.targets)
    boundary("draft plan:before")
    with transaction.atomic():
        transaction.on_commit(partial(boundary, "draft plan:after"))
        plan = _numbered(tenant, wanted, targets, user)
        _hold(plan, targets)
        _tell(plan, user, len(targets))
    if len(targets) <= AT_ONCE:
        computing.compute(plan.pk)
    plan.refresh_from_db()
    return plan


def _refuse(kind: Kind, wanted: Draft) -> None:
    if not wanted.targets:
        raise EmptyPlanError
    if len(wanted.targets) > states.MOST_ITEMS:
        raise PlanRefusedError(f"a plan has at most {states.MOST_ITEMS} runs; choose fewer")
    if not wanted.why.strip():
        raise PlanRefusedError(_("say why: a plan needs a reason"))
    if not 1 <= wanted.per_minute <= states.FASTEST_PER_MINUTE:
        raise PlanRefusedError(f"from 1 to {states.FASTEST_PER_MINUTE} a minute")
    kind.refuse(wanted.terms)


def _in_order(tenant: Tenant, targets: Sequence[Target]) -> list[Target]:
    """Each once, in the order of the run ids: two drafts that cross wait in one direction only."""
    by_key = {(target.run_id, target.action_id): target for target in targets}
    run_ids = {run_id for run_id, _action in by_key}
    mine = Run.objects.filter(tenant=tenant, pk__in=run_ids, mode=LIVE_MODE)
    if mine.count() != len(run_ids):
        raise Run.DoesNotExist
    named = {pair for pair in by_key if pair[1] is not None}
    of_runs = Action.objects.filter(tenant=tenant, pk__in=[action for _run, action in named])
    if set(of_runs.values_list("run_id", "pk")) != named:
        raise Run.DoesNotExist
    return [by_key[key] for key in sorted(by_key, key=lambda key: (key[0], str(key[1] or "")))]


def _numbered(tenant: Tenant, wanted: Draft, targets: list[Target], user: User) -> Plan:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [NUMBERS, tenant.pk])
    last = Plan.objects.filter(tenant=tenant).aggregate(last=Max("number"))["last"] or 0
    terms = {name: str(_words(said, targets)) for name, said in wanted.terms.items()}
    return Plan.objects.create(
        tenant=tenant,
        number=last + 1,
        kind=wanted.kind,
        about=str(hiding.text(wanted.about)),
        why=str(_words(wanted.why.strip(), targets)),
        terms=terms,
        per_minute=wanted.per_minute,
        drafted_by=user,
    )


def _words(said: str, targets: list[Target]) -> str:
    return str(knowing.words(str(said), of={target.run_id for target in targets}))


def _hold(plan: Plan, targets: list[Target]) -> None:
    """Insert first, then see which were refused: of two plans for one run the first has it."""
    rows = [_row(plan, position, target) for position, target in enumerate(targets, 1)]
    first = {row.run_id: row for row in reversed(rows)}
    for row in first.values():
        row.holds = True
    PlanItem.objects.bulk_create(first.values(), batch_size=IN_A_ROW, ignore_conflicts=True)
    mine = set(plan.items.values_list("run_id", flat=True))
    others = _elsewhere({row.run_id for row in rows} - mine)
    rest = [row for row in rows if row.run_id not in mine or first[row.run_id] is not row]
    for row in rest:
        if row.run_id not in mine:
            row.state, row.holds, row.code = states.LEFT_OUT, False, IN_PLAN
            row.sentence = others.get(row.run_id, _("In another plan a moment ago."))
    PlanItem.objects.bulk_create(rest, batch_size=IN_A_ROW)


def _row(plan: Plan, position: int, target: Target) -> PlanItem:
    terms = {name: str(hiding.text(str(said))) for name, said in target.terms.items()}
    return PlanItem(
        plan=plan,
        position=position,
        run_id=target.run_id,
        action_id=target.action_id,
        terms=terms,
    )


def _elsewhere(run_ids: set[UUID]) -> dict[UUID, str]:
    holding = PlanItem.objects.filter(run_id__in=run_ids, holds=True)
    told = _("In plan P-%(number)d by %(who)s.")
    above = {
        run_id: sentence
        for path in settings.RUN_HOLDERS
        for run_id, sentence in import_string(path)(run_ids).items()
    }
    return above | {
        item.run_id: told % {"number": item.plan.number, "who": item.plan.drafted_by}
        for item in holding.select_related("plan__drafted_by")
    }


def _tell(plan: Plan, user: User, runs: int) -> None:
    audit.record(
        plan.tenant,
        Actor.person(user),
        "drafted plan",
        ours("plan:%(id)s", id=plan.pk),
        number=plan.number,
        kind=hiding.text(plan.kind),
        why=hiding.text(plan.why),
        runs=runs,
    )
