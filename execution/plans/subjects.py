"""The runs of a plan with what hangs on them: read in bulk to plan, one by one under locks to act."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from checkpoints.models import Case, Run
from execution.plans.models import PlanItem
from reconciliation.models import Action, Attempt


@dataclass(frozen=True)
class Subject:
    """What an item of a plan is about.

    `case` is the open, undecided case of the run; `action` the effect the item names, else the
    run's unabsorbed one; `attempts` how many of it there were, `is_out` whether nobody knows of one.
    """

    run: Run
    case: Case | None
    action: Action | None
    attempts: int = 0
    is_out: bool = False

    def facts(self) -> dict[str, Any]:
        """Where everything stands, as JSON: what a plan says it was, and compares later."""
        return {
            "status": self.run.status,
            "reason": self.run.reason,
            "head": self.run.head,
            "fence": self.run.fence,
            "case": str(self.case.pk) if self.case else "",
            "action": str(self.action.pk) if self.action else "",
            "stands": self.action.stands if self.action else "",
            "outcome": self.action.outcome if self.action else "",
            "attempts": self.attempts,
        }


def load(items: Sequence[PlanItem]) -> dict[int, Subject]:
    """The subjects of some items by item id; five queries, whatever their number."""
    run_ids = [item.run_id for item in items]
    runs = Run.objects.select_related("combo", "tenant").in_bulk(run_ids)
    cases = {case.run_id: case for case in _open_cases(run_ids).select_related("tenant")}
    named = [item.action_id for item in items if item.action_id]
    actions = Action.objects.select_related("tenant")
    by_id = actions.in_bulk(named)
    by_run = {each.run_id: each for each in actions.filter(run_id__in=run_ids, absorbed_seq=None)}
    tried = _tried([*by_id, *(action.pk for action in by_run.values())])
    found: dict[int, Subject] = {}
    for item in items:
        action = by_id.get(item.action_id) if item.action_id else by_run.get(item.run_id)
        found[item.pk] = _subject(runs[item.run_id], cases.get(item.run_id), action, tried)
    return found


def lock(item: PlanItem) -> Subject:
    """One subject, its run, case and action locked in this order, and read under the locks."""
    run = Run.objects.select_for_update().get(pk=item.run_id)
    case = _open_cases([run.pk]).select_for_update().first()
    wanted = {"pk": item.action_id} if item.action_id else {"absorbed_seq": None}
    action = Action.objects.select_for_update().filter(run_id=run.pk, **wanted).first()
    return _subject(run, case, action, _tried([action.pk] if action else []))


def _open_cases(run_ids: Sequence[UUID]) -> QuerySet[Case]:
    return Case.objects.filter(run_id__in=run_ids, decided_at=None, closed_at=None)


def _tried(action_ids: Sequence[UUID]) -> dict[UUID, tuple[int, int]]:
    """Of each action how many attempts there were, and of how many nobody knows."""
    of = Attempt.objects.filter(action_id__in=action_ids).values("action_id")
    counted = of.annotate(n=Count("pk"), out=Count("pk", filter=Q(outcome=""))).order_by()
    return {row["action_id"]: (row["n"], row["out"]) for row in counted}


def _subject(
    run: Run, case: Case | None, action: Action | None, tried: dict[UUID, tuple[int, int]]
) -> Subject:
    attempts, out = tried.get(action.pk, (0, 0)) if action else (0, 0)
    return Subject(run, case, action, attempts, out > 0)
