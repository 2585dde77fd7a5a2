"""A worker in a network of its own: cut off while it holds a run, and heard again later. Root only."""

import atexit
import random
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache

from tests.chaos import ground
from tests.chaos.arena import Arena
from tests.chaos.faults.terms import Fault
from tests.chaos.instruments import lines, namespaces
from tests.chaos.instruments.namespaces import Namespace
from tests.chaos.instruments.standins import Held, StandIn

HERE = "127.0.0.1"
HELD_SECONDS = 8


@dataclass
class Remote:
    """The worker and its network."""

    space: Namespace
    standin: StandIn


_there: dict[int, Remote] = {}


def of(arena: Arena) -> Remote:
    """The worker of this arena in its own network; PostgreSQL, Valkey and mail are led there."""
    found = _there.get(id(arena))
    if found is None:
        stack = ExitStack()
        atexit.register(stack.close)
        space = stack.enter_context(namespaces.opened())
        host = space.host
        record, bell, mail = (
            stack.enter_context(lines.opened(f"{HERE}:{port}", protocol=protocol, host=host))
            for port, protocol in (
                (arena.postgres.port, "postgres"),
                (arena.valkey.port, "bytes"),
                (arena.servers.mail.port, "bytes"),
            )
        )
        # Inside, mail goes to the port of the loopback that it goes to everywhere.
        inner = {"protocol": "bytes", "host": HERE}
        stack.enter_context(
            lines.opened(mail.address, port=arena.servers.mail.port, prefix=space.prefix, **inner)
        )
        standin = StandIn(arena, record, bell, prefix=space.prefix)
        found = _there[id(arena)] = Remote(space, standin)
    return found


class CutOff(Fault):
    """The cable is pulled out for longer than a lease while the worker holds a run."""

    name = "worker_cut_off"
    group = "net"
    share = 2
    lasts = (ground.LEASE_SECONDS + 0.5, ground.LEASE_SECONDS + 3)

    @classmethod
    @cache
    def why_not(cls) -> str:
        return namespaces.why_not()

    def strike(self, arena: Arena, rng: random.Random) -> bool:
        remote = of(arena)
        ready = remote.standin.is_ready()
        if not (ready and arena.waited(lambda: bool(self.held(remote)), HELD_SECONDS)):
            return False
        self.cut(remote.space)
        # PostgreSQL does not know yet, so what it says is how it stood when the cable was out.
        if self.held(remote):
            return True
        remote.space.heal()
        return False

    def held(self, remote: Remote) -> list[Held]:
        return remote.standin.held()

    def cut(self, space: Namespace) -> None:
        space.cut()

    def heal(self, arena: Arena) -> None:
        of(arena).space.heal()


class CutOffInEffect(CutOff):
    """The same while an effect of its own is out."""

    name = "worker_cut_off_in_effect"

    def held(self, remote: Remote) -> list[Held]:
        return [held for held in remote.standin.held() if held.has_effect_out]


class Deafened(CutOff):
    """What it says arrives, and no answer comes back: its commits count, and it does not know."""

    name = "worker_deafened"

    def cut(self, space: Namespace) -> None:
        space.deafen()


KINDS: tuple[type[Fault], ...] = (CutOff, CutOffInEffect, Deafened)
