"""Processes forked from a test: to be killed, stopped and waited for by their process ids."""

import ctypes
import os
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from django.db import connections

from checkpoints import boundaries
from tests.ground import wait_for

_PR_SET_PDEATHSIG = 1
# Kept, so that nothing finishes them: they are the parent's.
_inherited: list[object] = []


@dataclass
class Child:
    """A forked process, in a process group of its own."""

    pid: int
    _status: int | None = None

    def wait(self) -> int:
        """Its exit code, negative for the signal that killed it."""
        wait_for(self._is_over, f"process {self.pid} ends")
        assert self._status is not None
        return os.waitstatus_to_exitcode(self._status)

    def wait_until_stopped(self) -> None:
        """Return once it stands still (SIGSTOP)."""
        wait_for(lambda: state_of(self.pid) == "T", f"process {self.pid} stops")

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def end(self) -> None:
        """Kill it, if it is still there."""
        if not self._is_over():
            self.send(signal.SIGKILL)
            self.wait()

    def _is_over(self) -> bool:
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is not None


def fork(work: Callable[[], object], **environment: str) -> Child:
    """Run `work` in a child with connections of its own; it exits with 0, or 1 when it raised."""
    connections.close_all()  # nothing is inherited open across the fork (rule 7)
    pid = os.fork()
    if pid:
        return Child(pid)
    status = 1
    _abandon_inherited()
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setpgrp()
        os.environ.update(environment)
        # Counted from here on, whatever the process that runs the tests came by before.
        boundaries._reached.clear()
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _abandon_inherited() -> None:
    """Forget connections that `close_all` did not see, without closing the parent's session.

    While a browser drives the test, asgiref keeps connections by task: in the child there is no
    running loop any more, and one that a fixture opened before the browser comes to light.
    """
    for each in connections.all(initialized_only=True):
        _inherited.append(each.connection)
        each.connection = None


def state_of(pid: int) -> str:
    """The state letter of a process (R, S, T, Z …); "" when there is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""
