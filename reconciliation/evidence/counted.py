"""The three numbers of a run for its page: the same count as in its evidence, without payloads."""

from collections import defaultdict
from typing import Any, Final
from uuid import UUID

from checkpoints.models import Case, Run
from reconciliation.evidence import numbers, snapshots
from reconciliation.models import Action, LookUp, Receipt

MOST_ACTIONS: Final = 1_000

Json = Any


def of(run: Run) -> dict[str, Json] | None:
    """What `numbers.of` says of the run; None of one with more effects than a page counts."""
    actions = dict(Action.objects.filter(run=run).values_list("pk", "outcome")[: MOST_ACTIONS + 1])
    if len(actions) > MOST_ACTIONS:
        return None
    return numbers.of(
        {
            "about": {"kind": "run"},
            "recoveries": snapshots.recoveries(run),
            "cases": list(Case.objects.filter(run=run).values("kind")),
            "actions": _actions(actions),
        }
    )


def _actions(outcomes: dict[UUID, str]) -> list[dict[str, Json]]:
    """One attempt stands for all of an action: what is counted asks no more."""
    look_ups, receipts = defaultdict(list), defaultdict(list)
    asked = LookUp.objects.filter(attempt__action__in=outcomes).order_by("id")
    for action, answer in asked.values_list("attempt__action", "answer"):
        look_ups[action].append({"answer": answer})
    kept = Receipt.objects.filter(action__in=outcomes).order_by("attempt__number", "id")
    for action, source in kept.values_list("action", "source"):
        receipts[action].append({"source": source})
    return [
        {"outcome": outcome, "attempts": [{"look_ups": look_ups[pk], "receipts": receipts[pk]}]}
        for pk, outcome in outcomes.items()
    ]
