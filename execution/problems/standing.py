"""One problem as it stands: how much counts to it, by combo, and in which state it is."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from execution.problems import models
from execution.problems.models import CASE, RETRY, UNKNOWN, Problem, ProblemChange


class Counted(Protocol):
    """One run that counts to a problem, kept or only just seen."""

    @property
    def what(self) -> str: ...
    @property
    def combo_id(self) -> int: ...
    @property
    def decided_at(self) -> datetime | None: ...
    @property
    def currency(self) -> str: ...
    @property
    def amount(self) -> int: ...
    @property
    def recipients(self) -> int: ...
    @property
    def since(self) -> datetime: ...


@dataclass
class Tally:
    """How much counts to a problem: all of it, or its part in one combo.

    `money` maps a currency to whole minor units. `undecided` runs need a person, `decided` ones are
    not proven yet, `unknown` outcomes are being asked for, `retrying` go on by themselves, `stuck`
    ones are where they are for too long.
    """

    runs: int = 0
    undecided: int = 0
    decided: int = 0
    unknown: int = 0
    retrying: int = 0
    stuck: int = 0
    lately: int = 0
    recipients: int = 0
    money: Counter[str] = field(default_factory=Counter)
    waits_since: datetime | None = None
    first_seen: datetime | None = None
    last_seen: datetime | None = None

    @property
    def failed(self) -> int:
        """Runs that ended as failed."""
        waiting = self.undecided + self.decided + self.unknown + self.retrying + self.stuck
        return self.runs - waiting

    @property
    def worst_amount(self) -> int:
        """The largest sum of one currency: what amounts are compared by."""
        return max((abs(each) for each in self.money.values()), default=0)

    def count(self, one: Counted, by: int) -> None:
        """Count one run more (1) or less (-1)."""
        self.runs += by
        self.lately += by
        self.undecided += by * (one.what == CASE and one.decided_at is None)
        self.decided += by * (one.what == CASE and one.decided_at is not None)
        self.unknown += by * (one.what == UNKNOWN)
        self.retrying += by * (one.what == RETRY)
        self.recipients += by * one.recipients
        self.money[one.currency] += by * one.amount
        if by > 0:
            self.span(one.since, one.since)
            if one.what == CASE and one.decided_at is None:
                self.waits_since = _older(self.waits_since, one.since)

    def add(self, row: Sequence[Any]) -> None:
        """Add one row of `COUNTS`."""
        currency, runs, undecided, decided, unknown, retrying, lately = row[2], *row[4:10]
        self.runs += runs
        self.undecided += undecided
        self.decided += decided
        self.unknown += unknown
        self.retrying += retrying
        self.lately += lately
        if row[10]:
            self.money[currency] += row[10]
        self.recipients += row[11]
        self.span(row[12], row[13])
        self.waits_since = _older(self.waits_since, row[14])

    def span(self, first: datetime, last: datetime) -> None:
        """It was seen from then to then too."""
        self.first_seen = _older(self.first_seen, first)
        self.last_seen = max(filter(None, (self.last_seen, last)))


@dataclass
class Standing:
    """One problem as it stands: what it is, how much counts to it, and what people said of it.

    `covered` counts what a resolution covers; `snooze` is the snooze that was said last, if it has
    not been ended by a person, `said` the sentence of a run that is not sorted in yet.
    """

    problem: Problem
    all: Tally = field(default_factory=Tally)
    covered: Tally = field(default_factory=Tally)
    by_combo: dict[int, Tally] = field(default_factory=dict)
    snooze: ProblemChange | None = None
    said: str = ""

    def count(self, one: Counted, by: int) -> None:
        """Count one run more or less, in all and in its combo."""
        self.all.count(one, by)
        self.by_combo.setdefault(one.combo_id, Tally()).count(one, by)

    def is_resolved(self) -> bool:
        """All that counts to it is covered by a resolution."""
        return self.all.runs == 0 and self.covered.runs > 0

    def is_snoozed(self, now: datetime) -> bool:
        """Somebody put it off, and neither its time nor its rate has come."""
        if self.snooze is None or self.all.runs == 0:
            return False
        too_late = self.snooze.until is not None and self.snooze.until <= now
        too_many = self.snooze.rate is not None and self.all.lately > self.snooze.rate
        return not too_late and not too_many

    def state(self, now: datetime) -> str:
        """*open*, *snoozed* or *resolved*; that somebody claimed it is said by the claim."""
        if self.is_resolved():
            return models.RESOLVED
        return models.SNOOZED if self.is_snoozed(now) else "open"


def _older(one: datetime | None, other: datetime | None) -> datetime | None:
    return min(filter(None, (one, other)), default=None)
