"""Runs the programs under `supervisor`: writes its configuration, starts it, asks and stops it.

Of what was tried, only supervisor restarts one killed program without ending the others, and stops
them in a chosen order.
"""

import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from xmlrpc.client import Error, ServerProxy

from supervisor.xmlrpc import SupervisorTransport

from config import programs
from config.embedded import processes
from config.embedded.places import Places
from config.errors import GroundError
from config.programs import Program

# Until supervisor notices, a program that ended counts as started; it restarts it anyway.
START_SECONDS = 1
ENDED = {"STOPPED", "EXITED", "FATAL"}
WITHOUT_WAITING = [False]  # the protocol has no names for arguments
UNANSWERED = (OSError, HTTPException, Error)
PROGRAM = """
[program:{name}]
command={command}
directory={directory}
environment={environment}
process_name={process_name}
numprocs={copies}
autostart=false
autorestart=true
startsecs={start_seconds}
startretries={retries}
stopsignal={stop_signal}
stopwaitsecs={stop_seconds}
killasgroup=true
redirect_stderr=true
stdout_logfile={log}
stdout_logfile_maxbytes=10MB
stdout_logfile_backups=3
"""
HEAD = """
[supervisord]
nodaemon=true
silent=true
logfile={logs}/supervisor.log
pidfile={control}/supervisor.pid
childlogdir={logs}

[unix_http_server]
file={control}/supervisor.sock
chmod=0700

[supervisorctl]
serverurl=unix://{control}/supervisor.sock

[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
"""


def configuration(places: Places, listed: list[Program], directory: Path) -> str:
    """The text of supervisor's configuration for these programs."""
    head = HEAD.format(logs=_escaped(places.logs), control=_escaped(places.control))
    groups = list(dict.fromkeys(program.group for program in listed))
    members = {
        group: ",".join(program.name for program in listed if program.group == group)
        for group in groups
    }
    return head + "".join(
        [
            *(_program(program, places, directory) for program in listed),
            # The highest priority stops first, each group only after the one before has ended.
            *(
                f"\n[group:{group}]\nprograms={members[group]}\npriority={place + 1}\n"
                for place, group in enumerate(groups)
            ),
        ]
    )


@dataclass
class Supervisor:
    """A running supervisor: ask it over its socket, stop it by its process."""

    process: subprocess.Popen[bytes]
    places: Places

    def running(self) -> bool:
        """Whether the supervisor itself runs."""
        return self.process.poll() is None

    def start_group(self, group: str) -> None:
        """Start every program of a group; returns without waiting for them."""
        with self._asked() as supervisor:
            supervisor.startProcessGroup(group, *WITHOUT_WAITING)

    def state_of(self, program: str) -> str:
        """What a program is doing, in supervisor's words; empty when the supervisor is gone."""
        return next((info["statename"] for info in self._all() if info["name"] == program), "")

    def busy(self, group: str) -> list[str]:
        """The names of the group's programs that have not ended."""
        return [
            info["name"]
            for info in self._all()
            if info["group"] == group and info["statename"] not in ENDED
        ]

    def stop_group(self, group: str) -> None:
        """Tell every program of a group to end; returns without waiting for them."""
        with suppress(*UNANSWERED), self._asked() as supervisor:
            supervisor.stopProcessGroup(group, *WITHOUT_WAITING)

    def end(self) -> None:
        """End the supervisor itself, and wait for it."""
        self.process.terminate()
        self.process.wait()

    def kill_group(self, group: str) -> None:
        """Kill every program of a group at once. The record is made for it."""
        with suppress(*UNANSWERED), self._asked() as supervisor:
            supervisor.signalProcessGroup(group, "KILL")

    def answers(self) -> bool:
        """Whether the supervisor can be asked."""
        return bool(self._all())

    def _all(self) -> list[dict[str, Any]]:
        with suppress(*UNANSWERED), self._asked() as supervisor:
            return list(supervisor.getAllProcessInfo())
        return []

    @contextmanager
    def _asked(self) -> Iterator[Any]:
        socket = f"unix://{self.places.control}/supervisor.sock"
        with ServerProxy("http://localhost", SupervisorTransport("", "", socket)) as proxy:
            yield proxy.supervisor


def start(places: Places, text: str, *, lock: IO[str]) -> Supervisor:
    """Start supervisor with this configuration; it ends, with all its programs, when we end.

    It holds `lock` as its standard input: the folder is free only when it has ended too.
    """
    path = places.control / "supervisor.conf"
    path.write_text(text)
    command = [sys.executable, "-m", "supervisor.supervisord", "-c", str(path)]
    with (places.logs / "supervisor.out").open("ab") as out:
        process = subprocess.Popen(
            processes.tied(command),
            stdin=lock,
            stdout=out,
            stderr=out,
            cwd=places.var,
            # Ctrl-C is for `up`, which stops the programs in order.
            start_new_session=True,
        )
    supervisor = Supervisor(process, places)
    _wait(supervisor, seconds=30)
    return supervisor


def _wait(supervisor: Supervisor, *, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not supervisor.answers():
        if not supervisor.running() or time.monotonic() > end:
            out = supervisor.places.logs / "supervisor.out"
            raise GroundError(f"The supervisor did not start; the end of {out} says why.")
        time.sleep(0.05)


def _program(program: Program, places: Places, directory: Path) -> str:
    environment = {"KEDGE_ROLE": program.role or "owner", **program.environment}
    several = program.copies > 1
    return PROGRAM.format(
        name=program.name,
        command=_escaped(shlex.join(programs.tied(program))),
        directory=_escaped(directory),
        environment=",".join(f'{name}="{_escaped(value)}"' for name, value in environment.items()),
        process_name="%(program_name)s-%(process_num)d" if several else "%(program_name)s",
        copies=program.copies,
        start_seconds=START_SECONDS,
        retries=programs.UNLIMITED,
        stop_signal=program.stop_signal,
        stop_seconds=program.stop_seconds,
        # Relative to where supervisor runs: it expands this line twice, so no escape survives.
        log=f"{places.logs.name}/{program.name}{'-%(process_num)d' if several else ''}.log",
    )


def _escaped(text: object) -> str:
    """As supervisor reads it back: it expands percent signs."""
    return str(text).replace("%", "%%")
