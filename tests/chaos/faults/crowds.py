"""Too many of a kind: a thousand wake-ups for the same runs, and a second sweeper."""

import random
import signal
import subprocess

from rq import Queue
from rq.serializers import JSONSerializer

from checkpoints import wakeups
from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault

RINGS, OF_RUNS = 1000, 5
READY_SECONDS = 20
LIVE = """
SELECT id FROM checkpoints_run WHERE status IN ('queued', 'running', 'waiting')
 ORDER BY id LIMIT %s
"""
SWEEPER = "SELECT 1 FROM execution_process WHERE kind = 'sweeper' AND pid = %s"


class DoorbellStorm(Fault):
    """A thousand wake-ups for the same few runs, at once."""

    name = "doorbell_storm"
    share = 0.8

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        runs = [str(row[0]) for row in arena.ask(LIVE, (OF_RUNS,))]
        if not runs or not arena.valkey.answers():
            return False
        with arena.valkey.connect() as connection:
            queue = Queue(wakeups.QUEUE, connection=connection, serializer=JSONSerializer)
            data = [
                Queue.prepare_data(
                    wakeups.JOB, (rng.choice(runs),), timeout=-1, result_ttl=0, failure_ttl=0
                )
                for _ in range(RINGS)
            ]
            return len(queue.enqueue_many(data)) == RINGS


class TwoSweepers(Fault):
    """A second sweeper beside the first."""

    name = "two_sweepers"
    share = 2
    lasts = (1.0, 4.0)

    def __init__(self) -> None:
        self.guest: subprocess.Popen[bytes] | None = None

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        guest = self.guest = arena.crew.guest("sweep")
        if arena.waited(lambda: bool(arena.ask(SWEEPER, (guest.pid,))), READY_SECONDS):
            return len(arena.crew.sweepers()) > 1 or self._leave(arena)
        return self._leave(arena)

    def heal(self, arena: Arena) -> None:
        self._leave(arena)

    def _leave(self, arena: Arena) -> bool:
        if self.guest is not None:
            arena.crew.dismiss(self.guest, number=signal.SIGKILL)
        return False


KINDS: tuple[type[Fault], ...] = (DoorbellStorm, TwoSweepers)
