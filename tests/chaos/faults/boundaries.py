"""Deaths at a chosen boundary: a plug (KEDGE_PLUGS) ends the worker that brings a run there."""

import random
from pathlib import Path
from typing import ClassVar

from tests.chaos import work
from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault

MOST_SECONDS = 12
AT_ONCE = 3
# What a run with an effect passes, from its first commit to the last.
BOUNDARIES = (
    "commit:before", "commit:after", "propose:before", "propose:after", "ask:before",
    "dispatch:before", "dispatch:after", "effect:before", "effect:after",
    "receipt:before", "receipt:after", "absorb:before", "absorb:after",
    "finish:before", "finish:after",
)  # fmt: skip
YOUNG = """
SELECT run.id FROM checkpoints_run AS run
 WHERE status IN ('queued', 'running', 'waiting') AND task_type = ANY(%s)
   AND NOT EXISTS (SELECT 1 FROM reconciliation_attempt AS attempt
                     JOIN reconciliation_action AS action ON action.id = attempt.action_id
                    WHERE action.run_id = run.id)
 ORDER BY run.id DESC LIMIT %s
"""
ACTING = ["chaos_steps", "chaos_mail", "fleet_change"]


class KilledAtBoundary(Fault):
    """Worker and horse die right before or after something becomes durable, or leaves the house."""

    name = "killed_at_boundary"
    share = 8
    boundaries: ClassVar[tuple[str, ...]] = BOUNDARIES

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        boundary = rng.choice(self.boundaries)
        arena.plugs.mkdir(exist_ok=True)
        arena.adopt(f"b{rng.getrandbits(48):012x}", rng.choice(work.ACTING))
        young = arena.ask(YOUNG, (ACTING, AT_ONCE))
        plugs = [arena.plugs / str(row[0]) for row in young]
        for plug in plugs:
            draft = plug.with_name(f".{plug.name}")
            draft.write_text(boundary)
            draft.rename(plug)
        arena.waited(lambda: not all(plug.exists() for plug in plugs), MOST_SECONDS)
        return sum(_is_used(plug) for plug in plugs) > 0  # every one is taken away


class KilledAfterEffect(KilledAtBoundary):
    """The worst moment there is: the world has it, and nobody has written down that it has."""

    name = "killed_after_effect"
    share = 4
    boundaries = ("effect:after",)


def _is_used(plug: Path) -> bool:
    """Whether a worker took it; if none did, none will."""
    try:
        plug.unlink()
    except FileNotFoundError:
        return True
    return False


KINDS: tuple[type[Fault], ...] = (KilledAtBoundary, KilledAfterEffect)
