"""Breaks the engine on purpose, so that it can be seen that the matrix would find it."""

from collections.abc import Callable
from typing import Any

from django.db import connection

from checkpoints.boundaries import boundary
from execution import lapses
from reconciliation import ledger, outcomes, states
from reconciliation.verdicts import second


def _resend(action: Any, *, fence: int, void: bool = False) -> outcomes.Finding:
    """Take every unknown outcome for an absent one, without asking."""
    attempt = action.attempts.filter(outcome="").first()
    if attempt is not None:
        ledger.end_attempt(attempt, states.ATTEMPT_ABSENT)
    return outcomes.Known()


def _nobody_noticed(*args: object, **options: object) -> int:
    return 0


def resend_blindly() -> None:
    """Reconciling asks nobody: effects must be there twice."""
    outcomes.reconcile = _resend


def never_notice() -> None:
    """Nobody takes a dead worker's lease away: runs must be lost."""
    for name in ("of_holder", "overdue", "unlocked"):
        setattr(lapses, name, _nobody_noticed)


def agreed_apart() -> None:
    """A second person's yes is committed before the verdict: runs must be lost in between."""
    end = second.end

    def end_apart(*given: Any, **more: Any) -> None:
        end(*given, **more)
        connection.connection.commit()
        boundary("apart:after")

    second.end = end_apart


MUTANTS: dict[str, Callable[[], None]] = {
    "resend_blindly": resend_blindly,
    "never_notice": never_notice,
    "agreed_apart": agreed_apart,
}
