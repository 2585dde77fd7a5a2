"""SIGSTOP beyond the lease, then SIGCONT: zombies that wake up and must not write or send."""

import random
from typing import ClassVar

from tests.chaos import aims, crew, ground
from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault

BEYOND = (ground.LEASE_SECONDS + 0.5, ground.LEASE_SECONDS + 2.5)


class Stopped(Fault):
    """What all share: some pids stand still until they are healed."""

    share: ClassVar[float] = 3
    lasts = BEYOND

    def __init__(self) -> None:
        self.pids: list[int] = []

    def heal(self, arena: Arena) -> None:
        for pid in self.pids:
            crew.carry_on(pid)


class HorseStopped(Stopped):
    """A horse that holds a lease."""

    name = "horse_stopped"

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        aim = arena.freeze(rng)
        self.pids = [aim.horse] if aim else []
        return aim is not None


class HorseStoppedInEffect(Stopped):
    """A horse with an effect out."""

    name = "horse_stopped_in_effect"

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        aim = arena.freeze(rng, wanted=aims.effect_out)
        self.pids = [aim.horse] if aim else []
        return aim is not None


class WorkerStopped(Stopped):
    """The parent of a horse at work: nobody waits for the horse."""

    name = "worker_stopped"

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        aim = arena.freeze(rng)
        if aim is None:
            return False
        hit = crew.stop(aim.worker)
        crew.carry_on(aim.horse)
        self.pids = [aim.worker]
        return hit


class SweeperStopped(Stopped):
    """Every sweeper there is."""

    name = "sweeper_stopped"

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        self.pids = [pid for pid in arena.crew.sweepers() if crew.stop(pid)]
        return bool(self.pids)


class MachineFrozen(Stopped):
    """Everything at once, as a virtual machine that is paused: workers, horses, sweepers."""

    name = "machine_frozen"
    share = 1.5
    alone = True

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        aim = arena.freeze(rng)
        crowd = [*arena.crew.workers(), *arena.crew.sweepers(), *arena.crew.horses()]
        self.pids = [pid for pid in crowd if crew.stop(pid)]
        if aim is None:
            self.heal(arena)
        return aim is not None and aim.worker in self.pids


KINDS: tuple[type[Fault], ...] = (
    HorseStopped,
    HorseStoppedInEffect,
    WorkerStopped,
    SweeperStopped,
    MachineFrozen,
)
