"""Whoever starts a run dies on the way, and starts it again with the same business key."""

import json
import os
import random
import signal
import subprocess
import sys
from contextlib import suppress

from tests.chaos import work
from tests.chaos.arena import Arena
from tests.chaos.crew import ROOT
from tests.chaos.faults.terms import Fault
from tests.crash.databases import TENANT

MOMENTS = ("start:before@1", "start:after@1")
STARTER = "ada@example.org"
START_SECONDS = 120


class CallerKilled(Fault):
    """`manage.py start` is killed before or after its transaction; then it is called again, twice."""

    name = "start_caller_killed"
    share = 1.5

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        moment, kind = rng.choice(MOMENTS), rng.choice([work.MAIL, *work.ACTING])
        key = f"s{rng.getrandbits(48):012x}"
        died = self._call(key, kind, kill_at=moment) == -signal.SIGKILL
        # Who does not know repeats; the answer must be the one run, whichever call made it.
        arena.adopt(key, kind)
        return died

    def _call(self, key: str, kind: work.Work, *, kill_at: str) -> int:
        words = [TENANT, kind.task_type, key, "--as", STARTER]
        words += ["--input", json.dumps(kind.content(key))]
        with suppress(subprocess.TimeoutExpired):
            done = subprocess.run(
                [sys.executable, str(ROOT / "manage.py"), "start", *words],
                env={**os.environ, "KEDGE_KILL_AT": kill_at},
                capture_output=True,
                timeout=START_SECONDS,
                check=False,
            )
            return done.returncode
        return 0


KINDS: tuple[type[Fault], ...] = (CallerKilled,)
