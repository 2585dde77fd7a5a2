"""One forked process that does one thing on connections of its own, and may die at a boundary."""

import ctypes
import os
import select
import signal
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import psycopg
from django.db import connections

from checkpoints import boundaries
from checkpoints.boundaries import boundary
from tenants import pipelines
from tests.crash.points import IN_THE_HOOK, STATEMENT

_PR_SET_PDEATHSIG = 1
LONGEST_LIFE_SECONDS = 120
HOOK_RUNS = "hook-runs"  # the file that a slow remote's hook makes


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
        last = "effect:before@1" if point == IN_THE_HOOK else point
        return by_kill and self.reached[-1:] == (last,)

    @property
    def in_order(self) -> bool:
        return self.status == 0


def live(act: Callable[[], object], folder: Path, *, kill_at: str = "") -> Ended:
    """Fork, `act` there, and wait for the end. What it says is added to the file `said`.

    Nothing is inherited open: the caller must hold no connection of Django's. `kill_at`: the
    boundary where it dies, or `IN_THE_HOOK`: once the remote's hook says that it runs.
    """
    log = folder / "boundaries"
    log.unlink(missing_ok=True)
    pid = os.fork()
    if pid == 0:
        _child(act, folder, kill_at)
    if kill_at == IN_THE_HOOK:
        _kill_once(pid, folder / HOOK_RUNS)
    status = _awaited(pid, LONGEST_LIFE_SECONDS)
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
        # Counted from here on, whatever the process that runs the tests came by before.
        boundaries._reached.clear()
        act()
        connections.close_all()
        code = 0
    except BaseException:  # nothing of the parent's may run on in the child
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def watch_statements() -> None:
    """From now on every statement of this process's first thread is a boundary too.

    What is sent together is one: PostgreSQL has all of it when the process dies.
    """
    psycopg.Cursor.execute = _after(_before(psycopg.Cursor.execute))  # type: ignore[method-assign]
    # Sent in one call and heard in another: in between a node may run ahead.
    pipelines.Exchange.__init__ = _before(pipelines.Exchange.__init__)  # type: ignore[method-assign]
    pipelines.Exchange.rows = _after(pipelines.Exchange.rows)  # type: ignore[method-assign]


def _before(original: Any) -> Any:
    def watched(*given: Any, **options: Any) -> Any:
        if threading.current_thread() is threading.main_thread():
            boundary(f"{STATEMENT}:before")
        return original(*given, **options)

    return watched


def _after(original: Any) -> Any:
    def watched(*given: Any, **options: Any) -> Any:
        done = original(*given, **options)
        if threading.current_thread() is threading.main_thread():
            boundary(f"{STATEMENT}:after")
        return done

    return watched


def _kill_once(pid: int, file: Path) -> None:
    """Wait for the file, then kill; a process that ends before is left alone."""
    while not file.exists():
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)


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
