"""Which runs a rollback has: each is in one unfinished plan, saved or of a rollback."""

from collections.abc import Collection
from uuid import UUID

from django.utils.translation import gettext as _

from execution.plans.models import PlanItem
from releases.rollbacks import outlook, phases
from releases.rollbacks.models import Rollback, RollbackRun
from releases.rollbacks.outlook import Outlook
from tenants.keys import hiding

IN_A_ROW = 1_000
MOST_NAMED = 5


def named(run_ids: Collection[UUID]) -> dict[UUID, str]:
    """For drafting a saved plan: which of these runs a rollback has, and which rollback."""
    found = RollbackRun.objects.filter(run_id__in=run_ids, holds=True)
    told = _("In rollback %(rollback)s.")
    return {
        each.run_id: told % {"rollback": each.rollback} for each in found.select_related("rollback")
    }


def take_in(rollback: Rollback) -> int:
    """Take in the runs that are not in it yet, as they are foreseen now; returns how many.

    PostgreSQL looks whether another unfinished plan has a run; then the rollback waits for it.
    """
    known = rollback.runs.values("run_id")
    fresh = outlook.of_combo(rollback.tenant, rollback.from_combo).exclude(pk__in=known)
    if not fresh.exists():
        return 0
    return take(rollback, outlook.look(fresh, rollback.to_combo))


def take(rollback: Rollback, found: Outlook) -> int:
    """`take_in` of runs that were foreseen a moment ago."""
    rows = [
        RollbackRun(
            rollback=rollback,
            tenant_id=rollback.tenant_id,
            run_id=each.run_id,
            kind=outlook.kind(each),
            foreseen=str(hiding.text(each.sentence)),
            choice=_choice(rollback, outlook.kind(each)),
        )
        for each in found.runs
    ]
    RollbackRun.objects.bulk_create(rows, batch_size=IN_A_ROW)
    return len(rows)


def hold_the_rest(rollback: Rollback) -> list[str]:
    """Hold the runs that another plan had; returns, in words, which plans still have some."""
    rest = rollback.runs.filter(holds=False, ended="")
    if not rest.update(holds=True):
        return []
    others = rollback.runs.filter(holds=False, ended="").values("run_id")
    saved = PlanItem.objects.filter(run_id__in=others, holds=True).select_related("plan")
    plans = {each.plan.number: each.plan for each in saved.order_by("plan__number")[:IN_A_ROW]}
    told = [
        _("plan %(plan)s by %(who)s") % {"plan": plan, "who": plan.drafted_by}
        for plan in list(plans.values())[:MOST_NAMED]
    ]
    also = RollbackRun.objects.filter(run_id__in=others, holds=True).exclude(rollback=rollback)
    rollbacks = {each.rollback for each in also.select_related("rollback")[:IN_A_ROW]}
    return told + [
        _("rollback %(rollback)s") % {"rollback": each}
        for each in sorted(rollbacks, key=lambda one: one.number)[:MOST_NAMED]
    ]


def _choice(rollback: Rollback, kind: str) -> str:
    """As the rollback says for its kind; a run that came since and only goes forward has none yet."""
    choice: str = rollback.choices.get(kind, "")
    return "" if (kind, choice) == (phases.FORWARD_ONLY, phases.TO_GO_ON) else choice


def choices_of(given: dict[str, str], *, usual: dict[str, str]) -> dict[str, str]:
    """What becomes of the runs of each kind. Raises `ValueError` for words that are none."""
    chosen = {**usual, **{kind: choice for kind, choice in given.items() if choice}}
    for kind, choice in chosen.items():
        if kind not in phases.KINDS or choice not in phases.CHOICES:
            raise ValueError(f"{kind}: {choice}")
    return chosen
