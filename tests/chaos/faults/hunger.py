"""A node that allocates past a limit: its horse is ended, and nothing else."""

import random
from abc import abstractmethod
from contextlib import suppress
from functools import cache
from typing import ClassVar

from tests.chaos import hungry
from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault
from tests.chaos.work import HUNGRY

EATEN_SECONDS = 20


class Hunger(Fault):
    """A run of its own is started, whose node takes more memory than its horse may have."""

    share = 1.5
    limit: ClassVar[str]

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        key = f"h{rng.getrandbits(48):012x}"
        meal = hungry.meal(arena.world, key)
        meal.write_text(self.limit)
        arena.adopt(key, HUNGRY)
        ate = arena.waited(lambda: hungry.eater(arena.world, key) is not None, EATEN_SECONDS)
        pid = hungry.eater(arena.world, key)
        if not ate or pid is None:
            meal.unlink(missing_ok=True)
            return False
        gone = arena.waited(lambda: not hungry.is_eating(pid), EATEN_SECONDS)
        return gone and self.was_for_memory(arena, key, pid)

    @abstractmethod
    def was_for_memory(self, arena: Arena, key: str, pid: int) -> bool:
        """Whether that is what it died of: anything else may have killed it meanwhile."""


class NodeOutOfMemory(Hunger):
    """The kernel kills it: its memory group is full."""

    name, limit = "node_out_of_memory", hungry.GROUP

    @classmethod
    @cache
    def why_not(cls) -> str:
        return hungry.why_no_group()

    def was_for_memory(self, arena: Arena, key: str, pid: int) -> bool:
        own = hungry.group(pid)
        with suppress(OSError):
            killed = hungry.killed_in(own)
            own.rmdir()
            return killed > 0
        return False


class NodeMemoryLimit(Hunger):
    """A simulation that needs no right: it may have no more addresses, and ends itself as if killed."""

    name, limit = "node_memory_limit", hungry.ADDRESSES

    def was_for_memory(self, arena: Arena, key: str, pid: int) -> bool:
        return hungry.was_full(arena.world, key)


KINDS: tuple[type[Fault], ...] = (NodeOutOfMemory, NodeMemoryLimit)
