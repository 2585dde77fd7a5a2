"""Two sides of a race, each on a connection of its own, in an order the test decides."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar
from uuid import UUID

from django.db import connection, transaction

from checkpoints.models import Run

T = TypeVar("T")

# Inside a transaction PostgreSQL shows its first look at the activity again and again.
LOOK_AFRESH = "SELECT pg_stat_clear_snapshot()"
WAITING = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock'
"""
PATIENCE_SECONDS = 10


class Side:
    """What runs beside the test; `start` one by one, and each is known to wait or to be done."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self.threads = threads

    def start(self, verb: Callable[[], T]) -> "Future[T]":
        return self.threads.submit(_alone, verb)

    def finish(self, verb: Callable[[], T]) -> T:
        """Run it to its end, which must not need any lock that the test holds."""
        return self.start(verb).result(timeout=PATIENCE_SECONDS)

    def start_and_block(self, verb: Callable[[], T], *, blocked: int = 1) -> "Future[T]":
        """Start it; returns once `blocked` connections in all wait for a lock."""
        future = self.start(verb)
        until(lambda: future.done() or _waiting() == blocked)
        assert not future.done(), "it did not wait for the lock"
        return future


@contextmanager
def beside() -> Iterator[Side]:
    with ThreadPoolExecutor(max_workers=10) as threads:
        yield Side(threads)


@contextmanager
def run_locked(run_id: UUID) -> Iterator[None]:
    """Hold the lock of a run, as a verb does in the middle of its transaction."""
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run_id)
        yield


def until(condition: Callable[[], bool]) -> None:
    """Wait for a fact, and fail the test when it does not come true in time."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "what the test waits for did not happen"
        time.sleep(0.002)


def _alone(verb: Callable[[], T]) -> T:
    try:
        return verb()
    finally:
        connection.close()


def _waiting() -> int:
    with connection.cursor() as cursor:
        cursor.execute(LOOK_AFRESH)
        cursor.execute(WAITING)
        return int(cursor.fetchone()[0])
