"""Takeover with real processes: workers and sweeper as in production, one of them killed -9.

Measured by the database's clock: from the kill to the first checkpoint under a new fence.
"""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg
from django.db import connections

from checkpoints import runs
from checkpoints.models import Run
from config.embedded import processes
from tenants.actors import Actor
from tests.crash import databases, registry, roles

ROOT = Path(__file__).resolve().parents[2]
WORKERS = 2
STUCK_SECONDS = 60
POLL_SECONDS = 0.01
LEAD = 3  # checkpoints before the kill
HORSE_ALONE, WITH_PARENT = "horse alone", "with its parent"

HEAD = "SELECT head, fence FROM checkpoints_run WHERE business_key = %s"
NOW = "SELECT clock_timestamp()"
NEXT = """
SELECT extract(epoch FROM min(at) - %s)::float8 FROM checkpoints_checkpoint
 WHERE run_id = (SELECT id FROM checkpoints_run WHERE business_key = %s) AND fence > %s
"""
ALIVE = "SELECT count(*) FROM execution_process WHERE kind = %s"


class NoTakeoverError(Exception):
    """A run was not taken over in any time worth waiting for."""


@dataclass
class Crew:
    """The processes, and how to start another worker."""

    environment: dict[str, str]
    folder: Path
    workers: list[subprocess.Popen[bytes]]

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """One `manage.py` process."""
        with (self.folder / "crew.log").open("ab") as log:
            return subprocess.Popen(
                processes.tied([sys.executable, str(ROOT / "manage.py"), *command]),
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def replace(self, worker: subprocess.Popen[bytes]) -> None:
        """What a supervisor does, at once: the newcomer's start falls into the takeover."""
        worker.wait()
        self.workers[self.workers.index(worker)] = self.start("work")


def measure(name: str, folder: Path, count: int) -> Iterator[float]:
    """Kill `count` working workers, half of them with their parent; yields seconds to takeover.

    Raises `NoTakeoverError`.
    """
    databases.switch_to(name)
    cast = databases.cast()
    with databases.reader(name) as reader, _crew(name, folder, reader) as crew:
        for number in range(count):
            key = uuid.uuid4().hex
            given = {"steps": registry.LONG_STEPS}
            roles.start(roles.Job(cast, registry.LONG, key, given, ()))
            connections.close_all()
            how = (HORSE_ALONE, WITH_PARENT)[number % 2]
            yield _kill(reader, crew, key, how)
            _cancel(reader, key)


def _kill(reader: psycopg.Connection, crew: Crew, key: str, how: str) -> float:
    fence = _advanced(reader, key)
    worker, horse = _busy(crew)
    known = _alive(reader, "worker")
    row = reader.execute(NOW).fetchone()
    assert row is not None
    if how == WITH_PARENT:
        os.kill(worker.pid, signal.SIGKILL)
    os.kill(horse, signal.SIGKILL)
    if how == WITH_PARENT:
        crew.replace(worker)
    seconds = _taken_over(reader, (row[0], key, fence))
    if how == WITH_PARENT:
        # A parent killed with its horse leaves its row. One kill is measured at a time: the next
        # comes when there are as many workers as before.
        _wait_for(lambda: _alive(reader, "worker") > known, "the killed worker is replaced")
    return seconds


def _advanced(reader: psycopg.Connection, key: str) -> int:
    """The fence under which the run has made some steps."""
    found: list[int] = []

    def advanced() -> bool:
        row = reader.execute(HEAD, [key]).fetchone()
        found[:] = [row[1]] if row is not None and row[0] >= LEAD else []
        return bool(found)

    _wait_for(advanced, "the run advances")
    return found[0]


def _busy(crew: Crew) -> tuple[subprocess.Popen[bytes], int]:
    """The one worker that has a horse, and that horse; a horse without work is soon gone."""
    seen: list[tuple[subprocess.Popen[bytes], int]] = []

    def steady() -> bool:
        before, seen[:] = (
            list(seen),
            [(worker, horse) for worker in crew.workers for horse in _children(worker.pid)],
        )
        return len(seen) == 1 and before == seen

    _wait_for(steady, "one worker is busy")
    return seen[0]


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _taken_over(reader: psycopg.Connection, since: tuple[object, str, int]) -> float:
    found: list[float] = []

    def goes_on() -> bool:
        row = reader.execute(NEXT, since).fetchone()
        found[:] = [row[0]] if row is not None and row[0] is not None else []
        return bool(found)

    _wait_for(goes_on, "another worker goes on")
    return found[0]


def _cancel(reader: psycopg.Connection, key: str) -> None:
    """End the run, so that the next one has the workers for itself."""
    run = Run.objects.get(business_key=key)
    runs.request_cancel(run.id, why="measured", actor=Actor.machine("crash"))
    connections.close_all()
    ended = "SELECT 1 FROM checkpoints_run WHERE business_key = %s AND status = 'cancelled'"
    _wait_for(lambda: reader.execute(ended, [key]).fetchone() is not None, "the run is cancelled")


@contextmanager
def _crew(name: str, folder: Path, reader: psycopg.Connection) -> Iterator[Crew]:
    """Workers and a sweeper on database `name`, all ready; killed at the end."""
    address = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{quote(name)}").geturl()
    named = {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": address,
        "KEDGE_JOURNAL_DIR": str(databases.journal_of(name, folder)),
    }
    crew = Crew({**os.environ, **named}, folder, [])
    sweeper = crew.start("sweep")
    try:
        crew.workers += [crew.start("work") for _ in range(WORKERS)]
        _wait_for(lambda: _alive(reader, "sweeper") >= 1, "the sweeper is ready")
        _wait_for(lambda: _alive(reader, "worker") >= WORKERS, "the workers are ready")
        yield crew
    finally:
        for process in (*crew.workers, sweeper):
            process.kill()
            process.wait()


def _alive(reader: psycopg.Connection, kind: str) -> int:
    row = reader.execute(ALIVE, [kind]).fetchone()
    assert row is not None
    return int(row[0])


def _wait_for(fact: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + STUCK_SECONDS
    while not fact():
        if time.monotonic() > end:
            raise NoTakeoverError(f"not within {STUCK_SECONDS} s: {what}")
        time.sleep(POLL_SECONDS)
