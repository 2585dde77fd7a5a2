"""Workers that acquire, commit, renew and let go, stand still in between, and write all of it down.

Nothing but the database keeps them apart: they have no timer, and go on after any pause with what
they remember.
"""

import json
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from uuid import UUID, uuid4

from checkpoints import leases, runs
from checkpoints.commits import Lease
from checkpoints.errors import LeaseLostError
from checkpoints.models import Run
from checkpoints.registry import runnable_combos
from execution import lapses
from tenants.actors import Actor
from tenants.database import execute
from tests.checkpoints.records import commit
from tests.forks import Child, fork, state_of
from tests.leaselog.log import GRANT, Line

LEASE_SECONDS = 0.2
STANDS_STILL = 0.15  # how likely before each write
MOST_WRITES = 6
NOW = "SELECT extract(epoch FROM clock_timestamp())::float8"


@dataclass
class Worker:
    """One process: its name, its dice, and the file it writes to."""

    name: str
    path: Path
    dice: random.Random
    holder: UUID = field(default_factory=uuid4)

    def work(self, until: float) -> None:
        """Take leases and write under them until then, by the monotonic clock."""
        combos = runnable_combos()
        while time.monotonic() < until:
            before = _now()
            lease = leases.acquire(self.holder, combos=combos)
            if lease is None:
                time.sleep(0.005)
                continue
            self._note(before, GRANT, lease, ok=True)
            self._hold(lease)

    def _hold(self, lease: Lease) -> None:
        for _ in range(self.dice.randint(1, MOST_WRITES)):
            op = self.dice.choices(("commit", "renew"), (3, 2))[0]
            written = self._try(op, lease)
            # Whoever is refused tries on: a stale owner may be that stubborn.
            lease = written or lease
        if self.dice.random() < 0.7:  # or it says nothing, and its lease runs out
            self._try("release", lease)

    def _try(self, op: str, lease: Lease) -> Lease | None:
        before = _now()
        if self.dice.random() < STANDS_STILL:
            os.kill(os.getpid(), signal.SIGSTOP)
            before = _now()
        try:
            after = OPERATIONS[op](lease)
        except LeaseLostError:
            after = None
        self._note(before, op, lease, ok=after is not None)
        return after

    def _note(self, before: float, op: str, lease: Lease, *, ok: bool) -> None:
        line = Line(before, _now(), self.name, op, str(lease.run_id), lease.fence, ok)
        with self.path.open("a") as file:
            file.write(json.dumps(line.as_json()) + "\n")


def hammer(folder: Path, *, workers: int, seconds: float, seed: int) -> list[Line]:
    """Let so many processes at the runs there are; wake who stands still once it is overtaken."""
    until = time.monotonic() + seconds
    made = [
        Worker(f"w{n}", folder / f"w{n}.jsonl", random.Random(f"{seed}/{n}"))
        for n in range(workers)
    ]
    children = [fork(partial(worker.work, until)) for worker in made]
    try:
        _sweep_and_wake(children)
        assert [child.wait() for child in children] == [0] * workers
    finally:
        for child in children:
            child.end()
    return [
        Line(**json.loads(text))
        for worker in made
        if worker.path.exists()
        for text in worker.path.read_text().splitlines()
    ]


def _sweep_and_wake(children: list[Child]) -> None:
    """Give overdue leases away, and let those go on whom that left behind, until all are done."""
    stopped: dict[int, float] = {}
    while any(state_of(child.pid) not in ("Z", "") for child in children):
        lapses.overdue(actor=Actor.machine("sweeper"))
        Run.objects.filter(status="queued").update(due_at="2020-01-01T00Z")
        for child in children:
            if state_of(child.pid) != "T":
                continue
            since = stopped.setdefault(child.pid, time.monotonic())
            if time.monotonic() - since > 2 * LEASE_SECONDS:
                del stopped[child.pid]
                child.send(signal.SIGCONT)
        time.sleep(0.01)


def _renew(lease: Lease) -> Lease | None:
    return lease if leases.renew(lease) else None


def _release(lease: Lease) -> Lease:
    runs.yield_to_others(lease)
    return lease


def _now() -> float:
    return float(execute(NOW, {})[0][0])


OPERATIONS: dict[str, Callable[[Lease], Lease | None]] = {
    "commit": commit,
    "renew": _renew,
    "release": _release,
}
