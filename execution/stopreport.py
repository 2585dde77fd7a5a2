"""What a stop holds back, what was out, and who lifts it, as a command says it."""

from collections.abc import Iterable
from typing import Any, Final

from checkpoints.models import Stop
from checkpoints.scopes import Scope
from execution import pacing
from reconciliation import stopping

MOST_STOPS: Final = 200


def in_force() -> Iterable[Stop]:
    """The stops in force, and those lifted whose runs still go on; oldest first."""
    going_on = pacing.under_way().values("stop")
    found = Stop.objects.filter(lifted_at=None) | Stop.objects.filter(pk__in=going_on)
    return found.order_by("pk")[:MOST_STOPS]


def report(stop: Stop) -> dict[str, Any]:
    """Everything about one stop: JSON. `state` is *stopped* only when nothing is out any more."""
    stop = Stop.objects.select_related("tenant", "combo").get(pk=stop.pk)
    scope, calls = Scope.of_stop(stop), stopping.calls(stop)
    return {
        "id": stop.pk,
        "state": _state(stop, calls.still_out),
        "lock": stop.lock,
        "scope": {
            "tenant": stop.tenant.slug if stop.tenant else None,
            "task_type": stop.task_type or None,
            "combo": stop.combo.hex if stop.combo else None,
            "tool": stop.tool or None,
        },
        "stopped_by": stop.stopped_by,
        "stopped_at": stop.stopped_at.isoformat(),
        "why": stop.why,
        "calls": {
            "total": calls.total,
            **calls.became,
            "listed": [
                {
                    "action": str(attempt.action_id),
                    "attempt": str(attempt.pk),
                    "tenant": attempt.action.tenant.slug,
                    "describe": attempt.action.describe,
                    "became": stopping.became_of(attempt),
                }
                for attempt in calls.listed
            ],
        },
        "unused_approvals": stopping.unused_approvals(scope) if stop.lock == "effects" else 0,
        "lifting": _lifting(stop),
    }


def lines(told: dict[str, Any]) -> Iterable[str]:
    """The same for people."""
    calls, lifting = told["calls"], told["lifting"]
    what = "effects" if told["lock"] == "effects" else "new runs"
    named = [f"{kind} {name}" for kind, name in told["scope"].items() if name]
    where = ", ".join(named) or "everything"
    out = f": {calls['still_out']} calls still out" if told["state"] == "stopping" else ""
    yield f"{told['id']}  {told['state']}{out}  {what} of {where}, by {told['stopped_by']}: {told['why']}"
    if told["lock"] == "effects":
        yield (
            f"   {calls['total']} calls were out: {calls['happened']} happened,"
            f" {calls['did_not']} did not, {calls['written_off']} written off,"
            f" {calls['still_out']} not known; {told['unused_approvals']} approvals unused"
        )
    for call in calls["listed"]:
        yield f"   {call['action']} {call['describe']} ({call['tenant']}): {call['became']}"
    if lifting and lifting["state"] == "proposed":
        yield f"   {lifting['proposed_by']} proposes to lift it until {lifting['expires_at']}: {lifting['why']}"
    if lifting and lifting["state"] == "confirmed":
        yield f"   lifted; {lifting['woken']} runs went on, {lifting['left']} wait, {lifting['per_minute']} a minute"


def _state(stop: Stop, still_out: int) -> str:
    if stop.lifted_at is not None:
        return "lifted"
    return "stopping" if still_out else "stopped"


def _lifting(stop: Stop) -> dict[str, Any] | None:
    newest = stop.liftings.select_related("proposed_by", "confirmed_by").order_by("-pk").first()
    if newest is None:
        return None
    newest.stop = stop
    return {
        "id": newest.pk,
        "state": newest.ended or "proposed",
        "why": newest.why,
        "per_minute": newest.per_minute,
        "proposed_by": str(newest.proposed_by),
        "expires_at": newest.expires_at.isoformat(),
        "confirmed_by": str(newest.confirmed_by) if newest.confirmed_by else None,
        "woken": newest.woken,
        "left": pacing.waiting_for(newest).count() if newest.ended == "confirmed" else 0,
        "paced_to_the_end": newest.paced_to_the_end_at is not None,
    }
