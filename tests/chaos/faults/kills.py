"""Kills of processes: horse, worker, both, sweeper, supervisor; at any moment and at chosen ones."""

import os
import random
import signal
from pathlib import Path

from tests.chaos import aims, crew
from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault

DRAIN_SECONDS = 5


class HorseKilled(Fault):
    """SIGKILL to a horse that holds a lease; its parent sees it die."""

    name = "horse_killed"
    share = 16

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        aim = arena.freeze(rng)
        return aim is not None and crew.kill(aim.horse)


class HorseKilledInEffect(Fault):
    """The same while an effect is out: sent, and not yet heard of."""

    name = "horse_killed_in_effect"
    share = 8

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        aim = arena.freeze(rng, wanted=aims.effect_out)
        return aim is not None and crew.kill(aim.horse)


class WorkerKilled(Fault):
    """SIGKILL to the parent of a horse at work; the kernel takes the horse along."""

    name = "worker_killed"
    share = 8

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        aim = arena.freeze(rng)
        if aim is None:
            return False
        hit = crew.kill(aim.worker)
        return arena.waited(lambda: not crew.state_of(aim.horse), 5) and hit


class IdleWorkerKilled(Fault):
    """SIGKILL to a worker that has said it is ready, whatever it does."""

    name = "any_worker_killed"
    share = 4

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        ready = arena.ready("worker")
        return bool(ready) and crew.kill(rng.choice(ready))


class BothKilled(Fault):
    """Horse first, then at once its parent, before it can give the lease away: the sweeper must."""

    name = "horse_and_worker_killed"
    share = 6

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        aim = arena.freeze(rng)
        if aim is None:
            return False
        # The parent stands still while its horse dies, so it cannot see it.
        parent_stands = crew.stop(aim.worker)
        horse_died = crew.kill(aim.horse)
        return crew.kill(aim.worker) and parent_stands and horse_died


class KilledInRecovery(Fault):
    """A horse dies with an effect out; who takes its run over dies before it has committed."""

    name = "killed_in_recovery"
    share = 5

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        first = arena.freeze(rng, wanted=aims.effect_out)
        if first is None or not crew.kill(first.horse):
            return False
        second = arena.freeze(rng, wanted=lambda aim: aim.run == first.run and aim.recovers)
        return second is not None and crew.kill(second.horse)


class DrainCutShort(Fault):
    """SIGTERM to a worker at work, and SIGKILL before it has finished what is in flight."""

    name = "drain_cut_short"
    share = 3

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        aim = arena.freeze(rng)
        if aim is None:
            return False
        os.kill(aim.worker, signal.SIGTERM)
        # The parent passes it on; what its horse makes of it is seen when it carries on.
        passed_on = arena.waited(lambda: _has_pending(aim.horse, signal.SIGUSR1), DRAIN_SECONDS)
        crew.carry_on(aim.horse)
        return crew.kill(aim.worker) and passed_on


def _has_pending(pid: int, number: int) -> bool:
    """Whether a stopped process has this signal before it, by the kernel's own account."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return False
    masks = [int(line.split()[1], 16) for line in lines if line.startswith(("ShdPnd", "SigPnd"))]
    return any(mask >> (number - 1) & 1 for mask in masks)


class SweeperKilled(Fault):
    """SIGKILL to a sweeper that is at work."""

    name = "sweeper_killed"
    share = 5

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        ready = arena.ready("sweeper")
        return bool(ready) and crew.kill(rng.choice(ready))


class SupervisorKilled(Fault):
    """SIGKILL to the supervisor: all its programs are told to end; an init starts it again."""

    name = "supervisor_killed"
    share = 1
    lasts = (0.1, 1.0)
    alone = True

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        supervisor = arena.crew.supervisor
        if supervisor is None or not arena.ready("worker"):
            return False
        arena.crew.orphan()
        return crew.kill(supervisor.process.pid)

    def heal(self, arena: Arena) -> None:
        arena.crew.begin()

    def is_healed(self, arena: Arena) -> bool:
        return bool(arena.ready("worker"))


KINDS: tuple[type[Fault], ...] = (
    HorseKilled,
    HorseKilledInEffect,
    WorkerKilled,
    IdleWorkerKilled,
    BothKilled,
    KilledInRecovery,
    DrainCutShort,
    SweeperKilled,
    SupervisorKilled,
)
