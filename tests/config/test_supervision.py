"""The supervisor restarts what dies, stops in order, and leaves nothing behind when killed."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from config import instance, supervision
from config.embedded import folders, processes
from config.embedded.places import Places, places
from config.programs import Program
from config.supervision import Supervisor
from tests import ground

# Says in one file that it runs, and that it was told to stop.
NOTED = """
import os, signal, sys, time
def note(what):
    with open(sys.argv[1], "a") as notes:
        notes.write(f"{what} {sys.argv[2]} {os.getpid()} {os.environ['KEDGE_ROLE']}\\n")
def end(number, frame):
    note("stopped")
    sys.exit()
signal.signal(signal.SIGTERM, end)
note("started")
time.sleep(300)
"""


@pytest.fixture
def here() -> Iterator[Places]:
    with ground.open_folder() as folder:
        found = places(folder / "50% of ever#ything", chosen=True, account=None)
        folders.prepare(found)
        (found.var / "noted.py").write_text(NOTED)
        yield found


def noted(here: Places, name: str, group: str, *, copies: int = 1, role: str = "") -> Program:
    command = [sys.executable, str(here.var / "noted.py"), str(here.var / "notes"), name]
    return Program(name, group, command, copies=copies, role=role)


def notes(here: Places) -> list[list[str]]:
    path = here.var / "notes"
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


@contextmanager
def supervised(here: Places, *listed: Program) -> Iterator[Supervisor]:
    text = supervision.configuration(here, list(listed), ground.ROOT)
    with instance.take(here.var, 1, say=print) as lock:
        supervisor = supervision.start(here, text, lock=lock)
    try:
        for group in {program.group for program in listed}:
            supervisor.start_group(group)
        started = sum(program.copies for program in listed)
        ground.wait_for(lambda: len(notes(here)) == started, "every program runs")
        yield supervisor
    finally:
        supervisor.end()


def test_a_killed_program_is_started_again_and_the_others_stay(here: Places) -> None:
    workers = noted(here, "worker", "kedge", copies=2, role="worker")
    with supervised(here, noted(here, "first", "servers"), workers):
        before = notes(here)
        assert [note[3] for note in before if note[1] == "worker"] == ["worker", "worker"]
        victim = next(int(note[2]) for note in before if note[1] == "worker")
        os.kill(victim, signal.SIGKILL)
        ground.wait_for(lambda: len(notes(here)) == 4, "the killed one is started again")
        assert notes(here)[3][:2] == ["started", "worker"]
        others = [int(note[2]) for note in before if int(note[2]) != victim]
        assert all(processes.alive(pid) for pid in others)


def test_the_first_group_stops_last(here: Places) -> None:
    listed = [noted(here, name, name) for name in ("postgres", "valkey", "web")]
    with supervised(here, *listed):
        pass
    stopped = [note[1] for note in notes(here) if note[0] == "stopped"]
    assert stopped == ["web", "valkey", "postgres"]


def test_a_killed_supervisor_leaves_nothing_behind(here: Places) -> None:
    with supervised(here, noted(here, "first", "a"), noted(here, "worker", "b", copies=2)) as it:
        pids = [int(note[2]) for note in notes(here)]
        it.process.kill()
        ground.wait_for(
            lambda: not any(processes.alive(pid) for pid in pids), "every program has ended"
        )
        assert it.busy("b") == []
        assert not it.running()


def test_the_folder_is_free_only_when_the_supervisor_has_ended(here: Places) -> None:
    with supervised(here, noted(here, "first", "a")) as supervisor:
        lock = (here.var / "instance.lock").open("a+")
        assert not instance.locked(lock)
        assert supervisor.busy("a") == ["first"]
        supervisor.end()
        assert instance.locked(lock)
        lock.close()
