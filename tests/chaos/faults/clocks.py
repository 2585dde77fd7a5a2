"""Workers and sweepers whose clocks are wrong, and a database whose clock is stepped under load."""

import random
import subprocess
from typing import ClassVar

import psycopg

from tests.chaos import aims
from tests.chaos.arena import Arena
from tests.chaos.crew import SWEEP, WORK
from tests.chaos.faults.terms import Fault
from tests.chaos.instruments import clocks
from tests.chaos.instruments.clocks import SteppedClock
from tests.chaos.servers import IMMEDIATE

READY_SECONDS = 30
WORKS_SECONDS = 10
SWEPT_SECONDS = 30
REGISTERED = "SELECT 1 FROM execution_process WHERE kind = %s AND pid = %s"
# It says how long its last round took: so it has done one.
SWEPT = """
SELECT 1 FROM execution_process
 WHERE kind = 'sweeper' AND pid = %s AND facts ->> 'took_ms' IS NOT NULL
"""
NOW = "SELECT extract(epoch FROM clock_timestamp())::float8"
# All windows are over at once and no approval is: those live an hour, and there may be several steps.
AHEAD_SECONDS, BACK_SECONDS = 600, -7
SLACK_SECONDS = 5


class WorkerClock(Fault):
    """One more worker, whose clock is wrong, takes runs; in the end it is killed."""

    group = "clock"
    share = 1
    lasts = (3.0, 6.0)
    by: ClassVar[tuple[str, ...]]
    whole: ClassVar[bool] = False
    works_seconds: ClassVar[float] = WORKS_SECONDS

    @classmethod
    def why_not(cls) -> str:
        return clocks.why_not()

    def __init__(self) -> None:
        self.guest: subprocess.Popen[bytes] | None = None

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        wrong = clocks.wrong(rng.choice(self.by), whole=self.whole)
        self.guest = guest = arena.crew.guest(self.command, environment=wrong)
        said = (self.kind, guest.pid)
        if arena.waited(lambda: bool(arena.ask(REGISTERED, said)), READY_SECONDS) and arena.waited(
            lambda: clocks.is_faked(guest.pid) and self.takes_part(arena, guest.pid),
            self.works_seconds,
        ):
            return True
        self.heal(arena)
        return False

    command, kind = WORK, "worker"

    def takes_part(self, arena: Arena, pid: int) -> bool:
        return any(aim.worker == pid for aim in aims.at_work(arena.reader(), arena.crew))

    def heal(self, arena: Arena) -> None:
        if self.guest is not None:
            arena.crew.dismiss(self.guest)


class WorkerClockAhead(WorkerClock):
    """An hour ahead."""

    name, by = "worker_clock_ahead", ("+1h",)


class WorkerClockBack(WorkerClock):
    """An hour behind."""

    name, by = "worker_clock_back", ("-1h",)


class WorkerClockSeconds(WorkerClock):
    """Some seconds off: less than a lease, more than a margin."""

    name, by = "worker_clock_seconds", ("+7s", "-7s")


class WorkerClockDrifts(WorkerClock):
    """One per cent too fast or too slow."""

    name, by = "worker_clock_drifts", ("+0 x1.01", "+0 x0.99")


class WorkerClocksWrong(WorkerClock):
    """All its clocks are wrong: nothing that waits for a time wakes, so it cannot stop itself."""

    name, by, whole = "worker_clocks_all_wrong", ("+1h",), True


class SweeperClock(WorkerClock):
    """One more sweeper, an hour off or drifting, sweeps beside the right one."""

    name, by = "sweeper_clock_wrong", ("+1h", "-1h", "+0 x1.01")
    command, kind, works_seconds = SWEEP, "sweeper", SWEPT_SECONDS

    def takes_part(self, arena: Arena, pid: int) -> bool:
        return bool(arena.ask(SWEPT, (pid,)))


class DatabaseClock(Fault):
    """The clock by which everything is judged jumps while leases, windows and waits are under way.

    Last: libfaketime keeps a lock that all processes of the server share. A backend that is killed
    while it looks at the clock takes it along, and the server waits for it for ever (seen once).
    """

    alone = last = True
    steps: ClassVar[int]

    @classmethod
    def why_not(cls) -> str:
        return clocks.why_not()

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        clock, off = _clock_of(arena)
        with arena.postgres.connect() as connection:
            before = _now(connection)
            clock.step(f"{off + self.steps:+d}s")
            return abs(_now(connection) - before - self.steps) < SLACK_SECONDS


class DatabaseClockAhead(DatabaseClock):
    """Every window is over at once, by this clock alone."""

    name, steps = "database_clock_ahead", AHEAD_SECONDS


class DatabaseClockBack(DatabaseClock):
    """Leases last longer, and what was due is not due yet."""

    name, steps = "database_clock_back", BACK_SECONDS


def _now(connection: psycopg.Connection) -> float:
    row = connection.execute(NOW).fetchone()
    assert row is not None
    return float(row[0])


def _clock_of(arena: Arena) -> tuple[SteppedClock, int]:
    """The clock of the arena's PostgreSQL, and how far it is off; the first time it is made one."""
    clock, server = SteppedClock(arena.folder / "database-clock"), arena.postgres
    if not clock.file.exists():
        words = clock.prefix()
        at = server.command.index("--") + 1
        server.stop(IMMEDIATE)
        server.command[at:at] = words
        server.start()
    return clock, int(clock.file.read_text().strip().removesuffix("s"))


KINDS: tuple[type[Fault], ...] = (
    WorkerClockAhead,
    WorkerClockBack,
    WorkerClockSeconds,
    WorkerClockDrifts,
    WorkerClocksWrong,
    SweeperClock,
    DatabaseClockAhead,
    DatabaseClockBack,
)
