"""The arena of one chaos run: what a fault may touch, and how it looks at it."""

import random
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from tests.chaos import aims, crew
from tests.chaos.aims import Aim, anything
from tests.chaos.crew import Crew
from tests.chaos.load import Load
from tests.chaos.servers import Postgres, Servers, Valkey
from tests.chaos.work import Work

READY_SECONDS = 300
REGISTERED = "SELECT pid FROM execution_process WHERE kind = %s"


@dataclass
class Arena:
    """Servers, crew and the folder of the outside world. `look` never goes through a proxy."""

    servers: Servers
    crew: Crew
    load: Load
    began: float = field(default_factory=time.monotonic)
    quiet: bool = False
    _reader: psycopg.Connection | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def postgres(self) -> Postgres:
        return self.servers.postgres

    @property
    def valkey(self) -> Valkey:
        return self.servers.valkey

    @property
    def folder(self) -> Path:
        return self.servers.folder

    @property
    def world(self) -> Path:
        """What the fake tools have done."""
        return self.folder / "world"

    @property
    def plugs(self) -> Path:
        """A file "<run id>" here, holding a boundary's name, ends the worker that brings it there."""
        return self.folder / "plugs"

    @property
    def seconds(self) -> float:
        """Since the arena was opened."""
        return time.monotonic() - self.began

    def reader(self) -> psycopg.Connection:
        """A superuser's connection, autocommit, opened anew when it broke. For the fault's thread.

        Raises `psycopg.OperationalError` while PostgreSQL is away.
        """
        if self._reader is None or self._reader.closed or self._reader.broken:
            self._reader = self.postgres.connect()
        return self._reader

    def ask(self, query: str, given: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Rows of a query of the harness; [] while PostgreSQL is away."""
        try:
            return self.reader().execute(query.encode(), given).fetchall()
        except psycopg.OperationalError:
            return []

    def freeze(self, rng: random.Random, *, wanted: Callable[[Aim], bool] = anything) -> Aim | None:
        """A stopped horse that is at what is wanted (see `aims.frozen`); None: no victim."""
        try:
            return aims.frozen(self.reader(), self.crew, rng, wanted=wanted)
        except psycopg.OperationalError:
            return None

    def ready(self, kind: str) -> list[int]:
        """The living processes of a kind ("worker", "sweeper") that have said they are at work."""
        alive = self.crew.workers() if kind == "worker" else self.crew.sweepers()
        said = {row[0] for row in self.ask(REGISTERED, (kind,))}
        return [pid for pid in alive if pid in said]

    def wait_until_ready(self, workers: int) -> None:
        """Return once the whole crew is at work. Ends the program when it is not, in minutes."""

        def ready() -> bool:
            return len(self.ready("worker")) >= workers and bool(self.ready("sweeper"))

        if not self.waited(ready, READY_SECONDS):
            raise SystemExit(f"the crew is not ready after {READY_SECONDS} s; see {self.folder}")
        self.say(f"{workers} workers and a sweeper are ready")

    def adopt(self, key: str, kind: Work) -> bool:
        """Start a run of the fault's own, or find it; it is awaited and counted like all others.

        False: PostgreSQL is away, and it is started once it is back.
        """
        return self.load.adopt(key, kind)

    def waited(self, fact: Callable[[], bool], seconds: float) -> bool:
        """Whether `fact` became true in this time."""
        return crew.waited(fact, seconds)

    def say(self, words: str) -> None:
        """One line for whoever watches."""
        if not self.quiet:
            print(f"[{self.seconds:6.1f} s] {words}", file=sys.stderr, flush=True)
