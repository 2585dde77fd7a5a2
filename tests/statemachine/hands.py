"""Workers in this process, of which one moves at a time: from one boundary of the engine to the next.

Each is a thread with a connection of its own that stands at a boundary until it is told to go on,
however much has happened meanwhile, or to drop everything it remembers.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import uuid4

import pytest
from django.db import connections

from checkpoints import boundaries, leases
from checkpoints.errors import LeaseLostError
from checkpoints.registry import runnable_combos
from checkpoints.timers import SelfStop
from execution import executor

PATIENCE_SECONDS: Final = 60.0
# Where the kernel's timer would end whoever stands still for longer than the deadline.
BEFORE_THE_EFFECT: Final = ("dispatch:before", "dispatch:after", "effect:before")


class _KilledError(BaseException):
    """Nothing in the engine catches this."""


class _NoTimer(SelfStop):
    """Time passes by rules of the machine; the kernel must not end the process of the tests."""

    def limit(self, name: str, at: float) -> None:
        """Nothing ends it."""

    def lift(self, name: str) -> None:
        """Nothing was set."""


class Hand:
    """One worker. `at` is the boundary it stands at; "" when it is idle."""

    def __init__(self) -> None:
        self.at = ""
        self.failed: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._stands, self._told = threading.Event(), threading.Event()
        self._is_killed = False

    @property
    def is_idle(self) -> bool:
        return self._thread is None

    def pick_up(self) -> None:
        """Acquire the next due run, as far as the first boundary."""
        assert self.is_idle
        self._is_killed = False
        self._stands.clear()
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()
        self._wait()

    def go_on(self) -> None:
        """To the next boundary, or to the end of its turn."""
        self._stands.clear()
        self._told.set()
        self._wait()

    def kill(self) -> None:
        """Drop what it remembers, where it stands."""
        if not self.is_idle:
            self._is_killed = True
            self.go_on()

    def stand(self, point: str) -> None:
        """Called by its own thread: wait here until it is told."""
        if self._is_killed:
            raise _KilledError
        self.at = point.partition("@")[0]
        self._stands.set()
        self._told.wait()
        self._told.clear()
        if self._is_killed:
            raise _KilledError

    def _live(self) -> None:
        _own.hand = self
        try:
            lease = leases.acquire(uuid4(), combos=runnable_combos())
            if lease is not None:
                executor.advance(lease, _NoTimer(), lambda: False)
        except (LeaseLostError, _KilledError):
            pass  # nothing was written, or nobody is there any more
        except BaseException as error:
            self.failed = error
        finally:
            connections.close_all()
            self.at, self._thread = "", None
            self._stands.set()

    def _wait(self) -> None:
        thread = self._thread
        assert self._stands.wait(PATIENCE_SECONDS), f"a worker hangs after {self.at}"
        if self.is_idle and thread is not None:
            thread.join()
        if self.failed is not None:
            raise self.failed


_own = threading.local()


@contextmanager
def stand_at_boundaries() -> Iterator[None]:
    """Within this, hands stand still wherever a process could be killed."""

    def gate(_log: str, point: str) -> None:
        hand: Hand | None = getattr(_own, "hand", None)
        if hand is not None:
            hand.stand(point)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KEDGE_BOUNDARY_LOG", os.devnull)
        patch.setattr(boundaries, "_append", gate)
        yield
