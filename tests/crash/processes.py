"""One forked process that does one thing on connections of its own, and may die at a boundary."""

import ctypes
import os
import select
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from django.db import connections

_PR_SET_PDEATHSIG = 1


class StuckError(Exception):
    """A process neither ended nor died in its time; it was killed by the matrix itself."""


@dataclass(frozen=True)
class Ended:
    """How a process ended, and every boundary it reached ("commit:before@2"), in order."""

    pid: int
    status: int
    reached: tuple[str, ...]

    def died_at(self, point: str) -> bool:
        """Whether SIGKILL took it, and at this very boundary."""
        by_kill = os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status) == signal.SIGKILL
        return by_kill and self.reached[-1:] == (point,)

    @property
    def in_order(self) -> bool:
        return self.status == 0


def live(
    act: Callable[[], object], folder: Path, *, kill_at: str = "", seconds: float = 90
) -> Ended:
    """Fork, `act` there, and wait for the end. What it says is added to the file `said`.

    Nothing is inherited open: the caller must hold no connection of Django's.
    """
    log = folder / "boundaries"
    log.unlink(missing_ok=True)
    pid = os.fork()
    if pid == 0:
        _child(act, folder, kill_at)
    status = _awaited(pid, seconds)
    reached = tuple(log.read_text().split("\n")[:-1]) if log.exists() else ()
    return Ended(pid, status, reached)


def _child(act: Callable[[], object], folder: Path, kill_at: str) -> NoReturn:
    code = 1
    try:
        # Whatever becomes of the matrix, nothing that it started goes on.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setpgrp()
        said = os.open(folder / "said", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(said, 1)
        os.dup2(said, 2)
        os.environ["KEDGE_BOUNDARY_LOG"] = str(folder / "boundaries")
        if kill_at:
            os.environ["KEDGE_KILL_AT"] = kill_at
        act()
        connections.close_all()
        code = 0
    except BaseException:  # nothing of the parent's may run on in the child
        traceback.print_exc()
    finally:
        os._exit(code)


def _awaited(pid: int, seconds: float) -> int:
    handle = os.pidfd_open(pid)
    try:
        ended, _, _ = select.select([handle], [], [], seconds)
        if not ended:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise StuckError(f"process {pid} was still there after {seconds:g} s")
    finally:
        os.close(handle)
    return os.waitpid(pid, 0)[1]
