"""PostgreSQL stopped at once, also in its own recovery, and backends that are ended or killed."""

import os
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import LiteralString

import psycopg

from config.embedded import postgres as embedded
from tests.chaos import crew
from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault
from tests.chaos.servers import IMMEDIATE

RECOVERING_SECONDS = 5
TRIES = 3
# Sessions of workers, busy ones first.
BACKENDS = """
SELECT pid FROM pg_stat_activity
 WHERE backend_type = 'client backend' AND usename = %s AND pid <> pg_backend_pid()
 ORDER BY state = 'active' DESC, xact_start NULLS LAST, pid
"""
WRITERS = """
SELECT pid FROM pg_stat_activity
 WHERE usename = %s AND xact_start IS NOT NULL
   AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'transactionid' AND granted)
 ORDER BY pid
"""
WRITES_SECONDS, QUESTION_SECONDS = 8, 2.0
WORKING = "SELECT 1 FROM checkpoints_run WHERE status = 'running' LIMIT 1"
END = "SELECT count(pg_terminate_backend(pid)) FROM unnest(%s::int[]) AS pid"


class PostgresStopped(Fault):
    """An immediate stop while runs are worked on, as if the power was gone; recovery follows."""

    name = "postgres_stopped"
    share = 3
    lasts = (0.3, 2.0)
    alone = True

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        if not arena.waited(lambda: bool(arena.ask(WORKING)), RECOVERING_SECONDS):
            return False
        arena.postgres.stop(IMMEDIATE)
        return not arena.postgres.answers()

    def heal(self, arena: Arena) -> None:
        arena.postgres.start()

    def is_healed(self, arena: Arena) -> bool:
        return arena.postgres.answers()


class PostgresStoppedInRecovery(PostgresStopped):
    """The same, and once more while it recovers and says that it is starting up."""

    name = "postgres_stopped_in_recovery"
    share = 2

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        if not super().strike(arena, rng):
            return False
        if any(_stopped_in_recovery(arena) for _ in range(TRIES)):
            return True
        arena.postgres.start()
        return False


class PostgresBackendKilled(Fault):
    """SIGKILL to one backend: PostgreSQL ends all the others and recovers."""

    name = "postgres_backend_killed"
    share = 2
    alone = True

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        pids = _backends(arena)
        if not pids:
            return False
        with arena.postgres.connect() as beside:
            os.kill(rng.choice(pids[:4]), signal.SIGKILL)
            return arena.waited(lambda: _is_cut(beside), RECOVERING_SECONDS)

    def is_healed(self, arena: Arena) -> bool:
        return arena.postgres.answers()


class PostgresBackendsEnded(Fault):
    """All sessions of workers are ended at once; the server lives."""

    name = "postgres_backends_ended"
    share = 2

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        rows = _fresh(arena, END, _backends(arena))
        return bool(rows) and rows[0] > 0


class PostgresStandsStill(Fault):
    """One backend that has written stands still in its transaction, with its locks; then it goes on."""

    name = "postgres_backend_stands_still"
    share = 2
    lasts = (1.5, 5.0)

    def __init__(self) -> None:
        self.pid = 0

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        with suppress(psycopg.OperationalError), arena.postgres.connect() as beside:
            return arena.waited(lambda: self._is_caught(beside, rng), WRITES_SECONDS)
        return False

    def _is_caught(self, beside: psycopg.Connection, rng: random.Random) -> bool:
        writers = _writers(beside)
        if not writers:
            return False
        self.pid = rng.choice(writers)
        # What it holds, our own question may need: then it goes on, and nobody was caught.
        with _going_on_after(QUESTION_SECONDS, self.pid):
            if crew.stop(self.pid) and self.pid in _writers(beside):
                return crew.state_of(self.pid) == "T"
        crew.carry_on(self.pid)
        return False

    def heal(self, arena: Arena) -> None:
        crew.carry_on(self.pid)


def _backends(arena: Arena) -> list[int]:
    return _fresh(arena, BACKENDS, embedded.WORKER)


def _writers(connection: psycopg.Connection) -> list[int]:
    """Backends of workers that have written in a transaction that is not over."""
    return [row[0] for row in connection.execute(WRITERS, (embedded.WORKER,))]


@contextmanager
def _going_on_after(seconds: float, pid: int) -> Iterator[None]:
    timer = Timer(seconds, crew.carry_on, [pid])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _fresh(arena: Arena, query: LiteralString, given: object) -> list[int]:
    """Of each row the number that it is, by a connection that nothing can have broken before."""
    with suppress(psycopg.OperationalError), arena.postgres.connect() as connection:
        return [row[0] for row in connection.execute(query, (given,))]
    return []


def _is_cut(connection: psycopg.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except psycopg.OperationalError:
        return True
    return False


def _stopped_in_recovery(arena: Arena) -> bool:
    """Start it, catch the process that replays, hear that it starts up, and stop it all once more."""
    server = arena.postgres
    server.prepare()
    server.begin()
    found: list[int] = []

    def caught() -> bool:
        found[:] = [pid for pid in _recovering(arena) if crew.stop(pid)]
        return bool(found) or not server.runs or server.answers()

    arena.waited(caught, RECOVERING_SECONDS)
    starts_up = bool(found) and arena.waited(lambda: _says_it_starts(arena), RECOVERING_SECONDS)
    server.send(IMMEDIATE)
    for pid in found:
        crew.carry_on(pid)
    server.stop(IMMEDIATE)
    return starts_up


def _recovering(arena: Arena) -> list[int]:
    """The start-up process of this server, by its title."""
    assert arena.postgres.process is not None
    found = []
    for pid in crew.children(arena.postgres.process.pid):
        with suppress(OSError):
            if b"startup" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


def _says_it_starts(arena: Arena) -> bool:
    try:
        arena.postgres.connect().close()
    except psycopg.OperationalError as error:
        return "starting up" in str(error) or "not yet accepting" in str(error)
    return False


KINDS: tuple[type[Fault], ...] = (
    PostgresStopped,
    PostgresStoppedInRecovery,
    PostgresBackendKilled,
    PostgresBackendsEnded,
    PostgresStandsStill,
)
