"""Rolling restarts under mail: one worker after the other drains while it works, and no case is opened."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from uuid import UUID

from checkpoints.models import Case
from config.embedded import processes
from tests.chaos import crew
from tests.chaos.arena import Arena

NAME = "rolling_restart"
DRAIN_SECONDS = 60
MAILING = "SELECT 1 FROM checkpoints_run WHERE task_type = 'chaos_mail' AND status = 'running'"


class NotRestartedError(Exception):
    """A worker was told to end and did not, or none came in its place."""


@contextmanager
def counted() -> Iterator[list[UUID]]:
    """The cases that were opened in this block; there once it has ended."""
    known, found = list(Case.objects.values_list("id", flat=True)), list[UUID]()
    yield found
    found += Case.objects.exclude(id__in=known).values_list("id", flat=True)


def roll(arena: Arena, count: int) -> None:
    """So many restarts of workers that have a horse. Raises `NotRestartedError`."""
    last = 0
    for number in range(count):
        last = _busy(arena, last)
        os.kill(last, signal.SIGTERM)
        _wait(arena, partial(_is_gone, last), f"worker {last} ends")
        arena.say(f"{NAME} {number + 1} of {count}")


def _busy(arena: Arena, last: int) -> int:
    """A worker whose horse is at work, the next one after the last: they take turns."""
    found: list[int] = []

    def busy() -> bool:
        found[:] = [pid for pid in arena.ready("worker") if crew.children(pid)]
        return bool(found) and bool(arena.ask(MAILING))

    _wait(arena, busy, "a worker is at work")
    return min((pid for pid in found if pid > last), default=found[0])


def _is_gone(pid: int) -> bool:
    return not processes.alive(pid)


def _wait(arena: Arena, fact: Callable[[], bool], what: str) -> None:
    if not arena.waited(fact, DRAIN_SECONDS):
        raise NotRestartedError(f"not within {DRAIN_SECONDS} s: {what}")
