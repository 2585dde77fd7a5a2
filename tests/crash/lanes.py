"""Runs trials side by side: each lane is a process with a database of its own."""

import ctypes
import gc
import math
import multiprocessing
import os
import signal
import time
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.queues import SimpleQueue
from pathlib import Path

from django.conf import settings
from django.db import connections

from tests.crash import databases, registry, roles, trials
from tests.crash.trials import Result, Stage, Trial
from tests.servers.shop import Shop

_PR_SET_PDEATHSIG = 1
_stage: Stage | None = None


class Lanes:
    """A pool of lanes. Results come as they are ready."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool

    def run(self, wanted: Iterable[Trial], *, until: float = math.inf) -> Iterator[Result]:
        """Run trials in order and yield what became of each.

        Past `until`, of the monotonic clock, no further one is begun.
        """
        begun = [self._pool.submit(_run, trial) for trial in wanted]
        for done in as_completed(begun):
            if time.monotonic() > until:
                for each in begun:
                    each.cancel()
            if not done.cancelled():
                yield done.result()


@dataclass(frozen=True)
class Common:
    """What all lanes share: where worlds are made, mailbox, seed, patience, and a shop if any."""

    folder: Path
    mailbox: Path
    seed: Path
    patience_seconds: float
    shop: Shop | None


@contextmanager
def lanes(names: list[str], common: Common) -> Iterator[Lanes]:
    """One lane for each database. The caller's process must be warm and without connections."""
    context = multiprocessing.get_context("fork")
    waiting: SimpleQueue[str] = context.SimpleQueue()
    for name in names:
        waiting.put(name)
    pool = ProcessPoolExecutor(len(names), context, initializer=_open, initargs=(waiting, common))
    try:
        yield Lanes(pool)
    finally:
        pool.shutdown(cancel_futures=True)


def warm(name: str, folder: Path) -> None:
    """Take one run through here, so that what every child needs is loaded once, before the forks."""
    databases.switch_to(name)
    os.environ["KEDGE_FAKE_WORLD"] = str(folder / "warm")
    given = {"steps": 2, "tool": "fake.void", "what": "warm"}
    cast = databases.cast()
    job = roles.Job(cast, registry.STEPS, uuid.uuid4().hex, given, ("approve",))
    roles.start(job)
    roles.take_turns(uuid.uuid4())
    roles.answer(job)
    roles.take_turns(uuid.uuid4())
    roles.sweep()
    connections.close_all()
    gc.collect()
    gc.freeze()


def _open(waiting: "SimpleQueue[str]", common: Common) -> None:
    global _stage  # noqa: PLW0603 - what a pool's worker keeps between tasks
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    name = waiting.get()
    databases.switch_to(name)
    settings.KEDGE_JOURNAL_DIR = databases.journal_of(name, common.folder)
    cast = databases.cast()
    connections.close_all()
    _stage = Stage(databases.reader(name), cast, **vars(common))


def _run(trial: Trial) -> Result:
    assert _stage is not None
    return trials.run(trial, _stage)
