"""One more worker of the crew whose connections all go through proxies, kept for the whole run."""

import atexit
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from uuid import UUID

from checkpoints.leases import session_lock_key
from config.embedded.postgres import WORKER
from tests.chaos import aims
from tests.chaos.arena import Arena
from tests.chaos.crew import WORK, children
from tests.chaos.instruments import lines
from tests.chaos.instruments.lines import Line

READY_SECONDS = 30
REGISTERED = "SELECT 1 FROM execution_process WHERE kind = 'worker' AND pid = %s"


@dataclass(frozen=True)
class Held:
    """A run that a stand-in works on."""

    run: UUID
    fence: int
    has_effect_out: bool


@dataclass
class StandIn:
    """The worker, and the lines it has to PostgreSQL (`record`) and to Valkey (`bell`)."""

    arena: Arena
    record: Line
    bell: Line
    prefix: Sequence[str] = ()
    environment: Mapping[str, str] | None = None
    guest: subprocess.Popen[bytes] | None = None

    def is_ready(self) -> bool:
        """Whether it is at work; one that some other fault has killed is started anew."""
        if self.guest is not None and self.guest.poll() is not None:
            self.arena.crew.dismiss(self.guest)
            self.guest = None
        if self.guest is None:
            self.guest = self.arena.crew.guest(
                WORK,
                prefix=self.prefix,
                environment={**self._addresses(), **(self.environment or {})},
            )
        return self.arena.waited(lambda: bool(self.registered()), READY_SECONDS)

    def registered(self) -> list[int]:
        """Its process, once it has said that it works; the prefix may have started it."""
        assert self.guest is not None
        pids = (self.guest.pid, *children(self.guest.pid))
        return [pid for pid in pids if self.arena.ask(REGISTERED, (pid,))]

    def held(self) -> list[Held]:
        """What it works on now, as PostgreSQL sees it: the session lock came through the proxy."""
        rows = self.arena.ask(aims.LEASED)
        ports = dict(self.arena.ask(aims.LOCKS))
        ours = aims.ports_of(self.record.pid)
        return [
            Held(run, fence, bool(out))
            for run, fence, holder, out, *_ in rows
            if holder is not None and ports.get(session_lock_key(holder)) in ours
        ]

    def _addresses(self) -> dict[str, str]:
        postgres, valkey = self.arena.postgres, self.arena.valkey
        return {
            "DATABASE_URL": postgres.url(at=self.record.address),
            "DATABASE_URL_WORKER": postgres.url(WORKER, at=self.record.address),
            "REDIS_URL": valkey.url(at=self.bell.address),
        }


_there: dict[int, StandIn] = {}


def of(arena: Arena) -> StandIn:
    """The stand-in of this arena; it may have to be waited for (`is_ready`)."""
    found = _there.get(id(arena))
    if found is None:
        stack = ExitStack()
        atexit.register(stack.close)
        record = stack.enter_context(lines.opened(f"127.0.0.1:{arena.postgres.port}"))
        bell = stack.enter_context(lines.opened(f"127.0.0.1:{arena.valkey.port}", protocol="bytes"))
        found = _there[id(arena)] = StandIn(arena, record, bell)
    return found
