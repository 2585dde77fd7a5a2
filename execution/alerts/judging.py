"""Whether a rule goes off for a problem as it stands. Pure."""

from datetime import datetime
from typing import Protocol

from execution.alerts.models import AMOUNT, MINUTES, RECIPIENTS, RUNS, UNKNOWN
from execution.problems.models import Problem
from execution.problems.standing import Standing, Tally


class Bound(Protocol):
    """What is read of a rule."""

    @property
    def kind(self) -> str: ...
    @property
    def task_type(self) -> str: ...
    @property
    def measure(self) -> str: ...
    @property
    def over(self) -> int: ...


def value(tally: Tally, measure: str, now: datetime) -> int:
    """What is measured of a problem, as a whole number."""
    waits = tally.waits_since
    measured = {
        RUNS: tally.runs,
        UNKNOWN: tally.unknown + tally.undecided,
        AMOUNT: tally.worst_amount,
        RECIPIENTS: tally.recipients,
        MINUTES: int((now - waits).total_seconds() // 60) if waits else 0,
    }
    return measured[measure]


def concerns(rule: Bound, problem: Problem) -> bool:
    """Whether the rule is about this problem at all."""
    return rule.kind in ("", problem.kind) and rule.task_type in ("", problem.task_type)


def going_off(rule: Bound, standing: Standing, now: datetime) -> int | None:
    """The value past the bound; None where it is not past, or somebody put the problem off."""
    if not concerns(rule, standing.problem) or standing.state(now) != "open":
        return None
    measured = value(standing.all, rule.measure, now)
    return measured if measured > rule.over else None
