"""When even a late arrival of an attempt is over: by the database's clock and this machine's own."""

from datetime import datetime, timedelta

from approvals import clock
from checkpoints.timers import boot_id, boot_seconds
from reconciliation import ledger, states
from reconciliation.calls import tool_of
from reconciliation.models import Action, Attempt


def end(attempt: Attempt) -> datetime:
    """When even a late arrival of this attempt is over, by the database's clock."""
    return attempt.deadline_at + timedelta(seconds=attempt.margin_seconds)


def over_at(attempt: Attempt) -> datetime:
    """When to look at it again: as both clocks will have passed the window. Begins to count here."""
    if _first_sight(attempt) is None:
        ledger.record_look_up(attempt, "first_seen", detail="", clock=own_clock())
    own = _first_sight(attempt)
    left = (boot_seconds() if own is None else own) + _seconds(attempt) - boot_seconds()
    at = max(end(attempt), clock.now() + timedelta(seconds=max(left, 0)))
    return at + timedelta(milliseconds=50)


def is_over(attempt: Attempt) -> bool:
    """Both clocks must agree: the database's, and this machine's own since first sight (rule 8)."""
    mine = _first_sight(attempt)
    own = mine is not None and boot_seconds() - mine >= _seconds(attempt)
    return own and clock.now() > end(attempt)


def ages(action: Action, attempt: Attempt) -> states.Ages:
    """What decides about sending it again under its key."""
    tool = tool_of(action)
    return states.Ages(
        since_first_intent=(clock.now() - first_sent(action)).total_seconds(),
        window_closed=is_over(attempt),
        budget=tool.budget_seconds,
        margin=tool.margin_seconds,
    )


def first_sent(action: Action) -> datetime:
    """When its first intent was committed."""
    sent: datetime = action.attempts.order_by("number").values_list("dispatched_at", flat=True)[0]
    return sent


def own_clock() -> tuple[str, float]:
    """This machine's own clock, as a look-up keeps it: its boot, and seconds since."""
    return boot_id(), boot_seconds()


def _first_sight(attempt: Attempt) -> float | None:
    """When this machine first looked, by its own clock.

    What lies ahead of that clock does not count: a machine that was set back to a snapshot of itself
    would wait until its clock is there again.
    """
    mine = attempt.look_ups.filter(boot_id=boot_id(), boot_seconds__lte=boot_seconds())
    return mine.order_by("id").values_list("boot_seconds", flat=True).first()


def _seconds(attempt: Attempt) -> float:
    return tool_of(attempt.action).budget_seconds + attempt.margin_seconds
