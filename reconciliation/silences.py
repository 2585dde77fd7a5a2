"""A tool that does not answer: kept, counted, met with patience, and at last put before a person."""

from datetime import datetime, timedelta

from approvals import clock
from checkpoints import states as reasons
from reconciliation import ledger, patience, states, windows
from reconciliation.calls import tool_of
from reconciliation.doors import noting
from reconciliation.doors import reading as doors
from reconciliation.doors.models import Door
from reconciliation.findings import Finding, Later, NeedsPerson, unknown
from reconciliation.models import Attempt
from reconciliation.tools import Unanswered
from tenants.keys import hiding


def met(attempt: Attempt, silence: Exception) -> Finding:
    """No answer: ask again with back-off for the tool's patience, only then call a person."""
    said, rest = _said(silence), patience.asked_for(silence)
    ledger.record_look_up(
        attempt, "unanswered", detail=hiding.text(said), clock=windows.own_clock()
    )
    noting.unknown(attempt, hiding.text(said), retry_after=rest)
    now, ends = clock.now(), _silent_since(attempt) + patience.of(tool_of(attempt.action))
    if now > ends:
        return NeedsPerson(unknown(attempt.action, attempt, said))
    asked = attempt.look_ups.filter(answer="unanswered").count()
    wait = patience.wait(asked, who=attempt.pk, at_least=rest)
    # Once more when patience ends, however long the tool wants to be left alone.
    at = min(now + wait, ends + timedelta(milliseconds=50))
    sentence = f"{attempt.action.target} does not answer ({said}); asked again by itself."
    return Later(at, reasons.FOR_LOOK_UP, sentence)


def at_door(attempt: Attempt, door: Door) -> Finding | None:
    """Nothing is asked through a closed door but by its probes. None: there is nothing to ask."""
    action, tool = attempt.action, tool_of(attempt.action)
    can = tool.capabilities
    if can.void or can.look_up:
        ends = _silent_since(attempt) + patience.of(tool)
        if clock.now() > ends:
            return NeedsPerson(unknown(action, attempt, "its door is closed"))
    elif can.keyed is not None:
        if states.first_step(can, windows.ages(action, attempt)) == states.ASK_A_PERSON:
            return NeedsPerson(unknown(action, attempt))
        lasts = can.keyed.remembers_seconds - tool.budget_seconds - tool.margin_seconds
        ends = windows.first_sent(action) + timedelta(seconds=lasts)
    else:
        return None
    return Later(ends + timedelta(milliseconds=50), reasons.FOR_DOOR, doors.sentence(door))


def _silent_since(attempt: Attempt) -> datetime:
    """Since when patience is spent: the first look-up without an answer, else when it was sent."""
    unanswered = attempt.look_ups.filter(answer="unanswered").order_by("id")
    first = unanswered.values_list("at", flat=True).first()
    return first or attempt.dispatched_at


def _said(error: Exception) -> str:
    said = str(error) if isinstance(error, Unanswered) else f"{type(error).__name__}: {error}"
    return str(hiding.text(said))
