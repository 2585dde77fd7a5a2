"""A trial under way: what is to be killed in it, where it takes place, and what happened so far."""

import os
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.crash import points, record
from tests.crash.databases import Cast
from tests.crash.points import Point
from tests.crash.processes import Ended, live, watch_statements
from tests.crash.record import End, Stands
from tests.crash.roles import Job
from tests.crash.rulings import Word
from tests.crash.scenarios import BY_NAME, Scenario
from tests.crash.worlds import Place
from tests.servers.shop import Shop


@dataclass(frozen=True)
class Trial:
    """Which scenario is killed where, one after the other; who notices that a horse died.

    `noticed_by` *parent*: its worker lives; *sweep*: the worker died with it; *revoke*: a person was
    quicker than both. `sweeps`: a sweeper
    round follows every process, also when nothing has happened. `statements`: every statement to
    PostgreSQL is a boundary.
    """

    scenario: str
    kills: tuple[Point, ...] = ()
    noticed_by: str = points.PARENT
    sweeps: bool = False
    statements: bool = False

    def __str__(self) -> str:
        where = ", then ".join(str(kill) for kill in self.kills) or "not killed"
        return f"{self.scenario}: {where} (noticed by {self.noticed_by})"


@dataclass(frozen=True)
class Stage:
    """Where the trials of one lane take place. `patience_seconds` 0: as each scenario says."""

    reader: psycopg.Connection
    cast: Cast
    folder: Path
    mailbox: Path
    seed: Path
    patience_seconds: float = 0
    shop: Shop | None = None


@dataclass
class Course:
    """A trial under way."""

    trial: Trial
    job: Job
    place: Place
    stage: Stage
    fired: int = 0
    count: Counter[str] = field(default_factory=Counter)
    reached: list[Point] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    died: uuid.UUID | None = None
    held: list[End] = field(default_factory=list)
    is_cancelled: bool = False
    trouble: str = ""

    @property
    def scenario(self) -> Scenario:
        return BY_NAME[self.trial.scenario]

    @property
    def is_to_be_cancelled(self) -> bool:
        return self.scenario.cancelled and self.fired > 0 and not self.is_cancelled

    def is_to_be_forked(self, now: Stands) -> bool:
        return self.scenario.forked and now.is_final and not now.is_fork

    def stands(self) -> Stands | None:
        return record.stands(self.stage.reader, self.job.business_key)

    def undoing(self) -> Stands | None:
        """Where the run is that undoes an effect, if one does."""
        if not self.scenario.words:
            return None
        return record.undoing(self.stage.reader, self.job.business_key)

    def word(self) -> Word | None:
        """What people who decide its cases have not said yet: the next of it."""
        words = self.scenario.words
        if not words:
            return None
        said = record.said(self.stage.reader, self.job.business_key)
        return words[said] if said < len(words) else None

    def end(self) -> End:
        return record.end_of(self.job.business_key, ticket=self.place.ticket)

    def live(self, role: str, act: Callable[[], object]) -> Ended:
        """Let one process act, and die if its turn has come."""
        self.count[role] += 1
        nth = self.count[role]
        kill = self.trial.kills[self.fired] if self.fired < len(self.trial.kills) else None
        armed = kill if kill and kill.role == role and kill.nth in (0, nth) else None
        os.environ["KEDGE_CRASH_LIVES"] = str(self.fired)
        if self.trial.statements:
            act = _watched(act)
        ended = live(act, self.place.folder, kill_at=armed.at if armed else "")
        self.reached += [Point(role, nth, at) for at in ended.reached]
        if armed and ended.died_at(armed.at):
            self._note_death()
        elif not ended.in_order:
            self.trouble = self.trouble or f"{role} {nth} ended with status {ended.status}"
        return ended

    def _note_death(self) -> None:
        self.fired += 1
        self.count.clear()
        self.reached.clear()
        effects = len(self.place.effects())
        self.conditions.append(record.condition(self.stage.reader, self.job.business_key, effects))


def _watched(act: Callable[[], object]) -> Callable[[], object]:
    def watched() -> None:
        watch_statements()
        act()

    return watched
