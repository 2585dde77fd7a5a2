"""What happened to a run, for people: its events, checkpoints, attempts and recoveries in order of time."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from approvals.models import Decision
from checkpoints.models import Checkpoint, Event, Recovery, Run
from reconciliation.evidence import counted
from reconciliation.models import Action, Attempt, LookUp, Receipt

Json = Any
When = tuple[datetime, str, str]


def of(run: Run, arrived: Mapping[str, int]) -> dict[str, Json]:
    """Run id, how it ended, its effects with how often each is in the world, and its key events."""
    run.refresh_from_db()
    happened = sorted([*_events(run), *_steps(run), *_calls(run), *_answers(run)])
    return {
        "run_id": str(run.pk),
        "task_type": run.task_type,
        "combo": bytes(run.combo.digest).hex(),
        "status": run.status,
        "stop_reason": run.stop_reason,
        "effects": _effects(run, arrived),
        "recoveries": _recoveries(run),
        "numbers": counted.of(run),
        "key_events": [
            {"at": at.isoformat(), "what": f"{what} {said}".strip()} for at, what, said in happened
        ],
    }


def _effects(run: Run, arrived: Mapping[str, int]) -> list[dict[str, Json]]:
    return [
        {
            "action_id": str(action.pk),
            "tool": action.tool,
            "describe": action.describe,
            "outcome": action.outcome,
            "because": action.because,
            "attempts": action.attempts.count(),
            "in_the_world": arrived.get(bytes(action.key).hex(), 0),
        }
        for action in Action.objects.filter(run=run).order_by("proposed_seq")
    ]


def _recoveries(run: Run) -> list[dict[str, Json]]:
    return [
        {"why": each.why, "ended": each.ended, "seconds": _seconds(each)}
        for each in Recovery.objects.filter(run=run).order_by("id")
    ]


def _seconds(recovery: Recovery) -> float | None:
    if recovery.new_boundary_at is None:
        return None
    return round((recovery.new_boundary_at - recovery.noticed_at).total_seconds(), 3)


def _events(run: Run) -> list[When]:
    return [(each.at, each.what, str(each.detail.get("why", "")))
            for each in Event.objects.filter(run_id=run.pk)]  # fmt: skip


def _steps(run: Run) -> list[When]:
    made = Checkpoint.objects.filter(run_id=run.pk)
    return [(each.at, f"checkpoint {each.seq}:", f"{each.node} → {each.next_node} (fence {each.fence})")
            for each in made]  # fmt: skip


def _calls(run: Run) -> list[When]:
    attempts = Attempt.objects.filter(action__run=run).select_related("action")
    sent = [(it.dispatched_at, f"attempt {it.number} sent:", it.action.tool) for it in attempts]
    receipts = Receipt.objects.filter(action__run=run).select_related("action")
    heard = [(each.at, f"receipt ({each.source}):", each.action.tool) for each in receipts]
    looked = LookUp.objects.filter(attempt__action__run=run).select_related("attempt__action")
    seen = [(each.at, f"looked up, {each.answer}:", each.attempt.action.tool) for each in looked]
    return [*sent, *heard, *seen]


def _answers(run: Run) -> list[When]:
    given = Decision.objects.filter(request__run=run).select_related("request", "user")
    return [(each.at, f"{each.user} said {each.verdict}:", each.request.describe) for each in given]
