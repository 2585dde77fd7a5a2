"""The processes that are attacked: workers, their horses and the sweeper, under the real supervisor.

What the kernel says about them is believed, nothing else. A *guest* is one more process that a fault
starts its own way (in a namespace, with another clock) and ends again.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from django.conf import settings

from config import programs, supervision
from config.embedded import folders, processes
from config.supervision import Supervisor

ROOT = Path(__file__).resolve().parents[2]
WORK, SWEEP = "work", "sweep"
POLL_SECONDS = 0.01


@dataclass
class Crew:
    """Workers and sweepers under supervisor, and guests. All methods that name pids ask the kernel."""

    workers_wanted: int
    lock: IO[str]
    supervisor: Supervisor | None = None
    guests: list[subprocess.Popen[bytes]] = field(default_factory=list)
    orphans: list[int] = field(default_factory=list)

    def begin(self) -> None:
        """Start the supervisor and all its programs, as an init would; returns without waiting."""
        folders.prepare(settings.PLACES)
        kinds = {"worker": self.workers_wanted, "sweeper": 1}
        listed = [
            replace(program, copies=kinds[program.name], stop_seconds=30)
            for program in programs.ours({WORK, SWEEP})
            if program.name in kinds
        ]
        text = supervision.configuration(settings.PLACES, listed, ROOT)
        self.supervisor = supervision.start(settings.PLACES, text, lock=self.lock)
        self.supervisor.start_group("kedge")

    def end(self) -> None:
        """End everything at once."""
        for guest in self.guests:
            _kill(guest.pid)
            guest.wait()
        left = [pid for pid in self.orphans if _is(pid, WORK) or _is(pid, SWEEP)]
        for pid in (*self.workers(), *self.sweepers(), *self.horses(), *left):
            _kill(pid)
        if self.supervisor is not None:
            _kill(self.supervisor.process.pid)
            self.supervisor.process.wait()

    def orphan(self) -> None:
        """Remember who is about to lose the supervisor: they end by themselves, later."""
        self.orphans = [*self.workers(), *self.sweepers(), *self.horses()]

    def workers(self) -> list[int]:
        """Workers (parents) that are alive, in order of pid: guests too."""
        return self._running(WORK)

    def sweepers(self) -> list[int]:
        """Sweepers that are alive, guests too."""
        return self._running(SWEEP)

    def horses(self) -> list[int]:
        """Work-horses that are alive; each is a child of a worker."""
        return [horse for worker in self.workers() for horse in children(worker)]

    def guest(
        self,
        command: str,
        *,
        prefix: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start one more `manage.py <command>` behind `prefix` (absolute); `dismiss` it in `heal`."""
        words = [*prefix, sys.executable, str(ROOT / "manage.py"), command]
        with (settings.PLACES.logs / "guests.log").open("ab") as log:
            guest = subprocess.Popen(
                processes.tied(words),
                env={**os.environ, "KEDGE_ROLE": "worker", **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=ROOT,
                start_new_session=True,
            )
        self.guests.append(guest)
        return guest

    def dismiss(self, guest: subprocess.Popen[bytes], *, number: int = signal.SIGKILL) -> None:
        """End a guest, its horse with it, and wait for it."""
        guest.send_signal(signal.SIGCONT)
        guest.send_signal(number)
        guest.wait()
        self.guests.remove(guest)

    def _running(self, command: str) -> list[int]:
        parents = [self.supervisor.process.pid] if self.supervisor is not None else []
        found = [pid for parent in parents for pid in children(parent)]
        found += [pid for guest in self.guests for pid in _with_wrapped(guest.pid)]
        return sorted(pid for pid in found if _is(pid, command))


def _with_wrapped(guest: int) -> list[int]:
    """A guest, or what its prefix has started; a worker's own children are its horses."""
    ours = _is(guest, WORK) or _is(guest, SWEEP)
    return [guest] if ours else [guest, *children(guest)]


def children(pid: int) -> list[int]:
    """The living children of a process, of its first thread."""
    try:
        words = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [int(word) for word in words if processes.alive(int(word))]


def stop(pid: int) -> bool:
    """SIGSTOP; whether the process is stopped now."""
    return _signal(pid, signal.SIGSTOP) and waited(lambda: state_of(pid) == "T", 2)


def carry_on(pid: int) -> bool:
    """SIGCONT; whether there was such a process."""
    return _signal(pid, signal.SIGCONT)


def kill(pid: int) -> bool:
    """SIGKILL, and wait until the process is gone; whether it was alive until then."""
    return processes.alive(pid) and _kill(pid) and waited(lambda: not processes.alive(pid), 10)


def state_of(pid: int) -> str:
    """The kernel's letter for what a process does (R, S, D, T, Z), "" when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def waited(fact: Callable[[], bool], seconds: float) -> bool:
    """Whether `fact` became true in this time."""
    end = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > end:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _is(pid: int, command: str) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    if words[0].startswith(b"rq:worker:"):  # what RQ calls itself once it is ready
        return command == WORK
    return len(words) > 2 and words[1].endswith(b"manage.py") and words[2] == command.encode()


def _kill(pid: int) -> bool:
    return _signal(pid, signal.SIGKILL)


def _signal(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
