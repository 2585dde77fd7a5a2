"""Proof that the harness can fail: the engine is broken on purpose, and that must be found."""

import os
import random
import time

from tests.chaos import checker
from tests.chaos.arena import Arena
from tests.chaos.checker import Findings
from tests.chaos.faults.boundaries import KilledAfterEffect
from tests.chaos.load import Load, going
from tests.chaos.options import Options
from tests.chaos.people import People
from tests.chaos.season import Season
from tests.chaos.work import BY_NAME

# What each broken engine must be caught at.
CAUGHT_AT = {"resend_blindly": "duplicates", "never_notice": "stuck_after_heal"}
# Whoever dies after this effect leaves something that must be looked up, once somebody notices.
ACTING = BY_NAME["moody_look_up"]
RUNS, STRIKES, STRIKE_SECONDS, PATIENCE_SECONDS = 3, 2, 120, 6


def prove(arena: Arena, people: People, options: Options) -> dict[str, bool]:
    """For each broken engine: whether it was found. The crew is another one afterwards."""
    return {mutant: _is_found(arena, people, mutant, options) for mutant in CAUGHT_AT}


def _is_found(arena: Arena, people: People, mutant: str, options: Options) -> bool:
    arena.crew.end()
    os.environ["KEDGE_CHAOS_MUTANT"] = mutant
    arena.crew.begin()
    arena.wait_until_ready(options.workers)
    arena.load = Load(arena.load.remotes, random.Random(mutant), RUNS, (ACTING,))
    season = Season(arena, options.seed, [KilledAfterEffect] * STRIKES)
    with going("load", arena.load.round):
        season.rage(until=time.monotonic() + STRIKE_SECONDS)
    arena.load.settle()
    checker.wait_for_all(PATIENCE_SECONDS)
    found = _judged(arena, people)
    arena.say(f"{mutant}: {found.numbers()}")
    return found.numbers()[CAUGHT_AT[mutant]] > 0


def _judged(arena: Arena, people: People) -> Findings:
    checker.outwait()
    found = Findings()
    checker.judge_runs(found, arena.load.started, people.outside)
    return found
