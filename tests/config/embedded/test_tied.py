"""A tied program ends with its parent, and knows nothing of ours under another account."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from config.embedded import processes
from tests import ground
from tests.config.embedded.conftest import as_root

# Starts a tied program, says its number and waits to be killed.
PARENT = """
import subprocess, sys, time
print(subprocess.Popen(sys.argv[1:]).pid, flush=True)
time.sleep(60)
"""
# Notes the signal it is ended by.
CHILD = """
import pathlib, signal, sys, time
def end(number, frame):
    pathlib.Path(sys.argv[1]).write_text(str(number))
    sys.exit()
signal.signal(signal.SIGINT, end)
signal.signal(signal.SIGTERM, end)
pathlib.Path(sys.argv[1]).write_text("ready")
time.sleep(60)
"""


def killed_with_parent(command: list[str], ready: Path) -> int:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *command], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    ground.wait_for(lambda: ready.exists() and ready.read_text() == "ready", "the child runs")
    parent.kill()
    parent.wait()
    parent.stdout.close()
    ground.wait_for(lambda: not processes.alive(child), "the child has ended")
    return child


def test_a_program_ends_by_its_own_signal_when_its_parent_is_killed(tmp_path: Path) -> None:
    note = tmp_path / "note"
    program = [sys.executable, "-c", CHILD, str(note)]
    killed_with_parent(processes.tied(program, signal="INT"), note)
    assert note.read_text() == str(int(signal.SIGINT))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT])
def test_a_program_that_a_shell_left_behind_itself_ends_by_every_signal(
    tmp_path: Path, number: signal.Signals
) -> None:
    """A background job ignores interrupts and quits; a server that did could not be stopped."""
    note = tmp_path / "note"
    script = f"echo ready > {note}; exec sleep 60"
    tied = processes.tied(["/bin/sh", "-c", script], signal="TERM")
    job = subprocess.Popen(["/bin/sh", "-c", 'trap "" INT QUIT; exec "$@"', "sh", *tied])
    ground.wait_for(note.exists, "it runs")
    job.send_signal(number)
    assert job.wait(timeout=60) == -number


@as_root
def test_a_program_of_another_account_ends_too() -> None:
    with ground.open_folder() as folder:
        folder.chmod(0o777)
        script = f"echo ready > {folder}/note; exec sleep 60"
        command = processes.tied(["/bin/sh", "-c", script], account="nobody")
        parent = subprocess.Popen(
            [sys.executable, "-c", PARENT, *command], stdout=subprocess.PIPE, text=True
        )
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        ground.wait_for((folder / "note").exists, "the child runs")
        assert os.stat(f"/proc/{child}").st_uid != 0
        parent.kill()
        parent.wait()
        parent.stdout.close()
        ground.wait_for(lambda: not processes.alive(child), "the child has ended")


@as_root
def test_another_account_is_told_nothing_of_our_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KEDGE_MODEL_KEY", "secret")
    done = processes.run_as("nobody", ["/usr/bin/env"])
    assert {line.split("=")[0] for line in done.stdout.splitlines()} <= {"PATH", "TZ", "LANG"}
    assert processes.run_as("nobody", ["/usr/bin/id", "-G"]).stdout.split() == ["65534"]
