"""The stream of runs: a thread that keeps so many runs going, and one that is the people.

Both go on while PostgreSQL is away: what failed is tried again, a start with the same business key.
"""

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.db import DatabaseError, InterfaceError, connections

from checkpoints import runs
from checkpoints.asked import Request
from checkpoints.models import Run
from checkpoints.states import FINAL
from tenants.actors import Actor
from tests.chaos import work
from tests.chaos.work import Work
from tests.crash import databases

PAUSE_SECONDS = 0.05
AWAY = (DatabaseError, InterfaceError)


@dataclass
class Load:
    """Keeps `wanted` runs going, of kinds that a seed decides. Started keys are never forgotten."""

    remotes: Path
    rng: random.Random
    wanted: int
    kinds: tuple[Work, ...] = work.KINDS
    started: dict[str, Work] = field(default_factory=dict)
    owed: deque[tuple[str, Work]] = field(default_factory=deque)
    _number: int = 0

    def round(self) -> None:
        """Start one run if there are too few; an answer that was lost is asked for again."""
        live = Run.objects.exclude(status__in=FINAL).count()
        if not self.owed and live >= self.wanted:
            time.sleep(PAUSE_SECONDS)
            return
        if not self.owed:
            self.owed.append(self._next())
        self._start_owed()

    def adopt(self, key: str, kind: Work) -> bool:
        """Start a run that somebody else thought of, or find it; it counts like all others.

        False: nobody answered, and it is started later.
        """
        try:
            self._start(key, kind)
        except AWAY:
            connections.close_all()
            self.owed.append((key, kind))
            return False
        return True

    def settle(self) -> None:
        """Nothing more is begun; whose start was never answered is started now."""
        while self.owed:
            self._start_owed()

    def _start_owed(self) -> None:
        self._start(*self.owed[0])
        self.owed.popleft()

    def _start(self, key: str, kind: Work) -> None:
        work.prepare(kind, key, self.remotes)
        start(key, kind)
        self.started[key] = kind

    def _next(self) -> tuple[str, Work]:
        self._number += 1
        kind = self.rng.choices(self.kinds, [kind.share for kind in self.kinds])[0]
        return f"c{self._number:05d}-{self.rng.getrandbits(32):08x}", kind


def start(key: str, kind: Work) -> bool:
    """Start the run of this key, or find it; True when it is new."""
    cast = databases.cast()
    request = Request(kind.task_type, key, dict(kind.content(key)), channel="chaos")
    return runs.start(cast.tenant, request, actor=Actor.person(cast.starter))[1]


class Thread(threading.Thread):
    """Does `one_round` again and again until it is ended; what it raises is kept and raised there.

    A database that is away is no error: its connection is closed and the round begun again.
    """

    def __init__(self, name: str, one_round: Callable[[], None]) -> None:
        super().__init__(name=name, daemon=True)
        self._round, self._end = one_round, threading.Event()
        self.error: Exception | None = None

    def run(self) -> None:
        while not self._end.is_set():
            try:
                self._round()
            except AWAY:
                connections.close_all()
                time.sleep(PAUSE_SECONDS)
            except Exception as error:
                self.error = error
                break
        connections.close_all()

    def end(self) -> None:
        """Let the round that runs finish. Raises what a round raised."""
        self._end.set()
        self.join()
        self.raise_error()

    def raise_error(self) -> None:
        """Raise what a round raised, if one did."""
        if self.error is not None:
            raise self.error


@contextmanager
def going(name: str, one_round: Callable[[], None]) -> Iterator[Thread]:
    """Such a thread for the length of a block."""
    thread = Thread(name, one_round)
    thread.start()
    try:
        yield thread
    finally:
        thread.end()
