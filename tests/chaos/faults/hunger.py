"""A node that allocates past a limit: the kernel ends its horse, and nothing else."""

import random
from contextlib import suppress

from tests.chaos import hungry
from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault
from tests.chaos.work import HUNGRY

EATEN_SECONDS = 20


class NodeOutOfMemory(Fault):
    """A run of its own is started, whose node takes more memory than its horse may have."""

    name = "node_out_of_memory"
    share = 3

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        key = f"h{rng.getrandbits(48):012x}"
        meal = hungry.meal(arena.world, key)
        meal.write_text("")
        arena.adopt(key, HUNGRY)
        ate = arena.waited(lambda: hungry.eater(arena.world, key) is not None, EATEN_SECONDS)
        pid = hungry.eater(arena.world, key)
        if not ate or pid is None:
            meal.unlink(missing_ok=True)
            return False
        gone = arena.waited(lambda: not hungry.is_eating(pid), EATEN_SECONDS)
        with suppress(OSError):
            hungry.group(pid).rmdir()
        return gone


KINDS: tuple[type[Fault], ...] = (NodeOutOfMemory,)
