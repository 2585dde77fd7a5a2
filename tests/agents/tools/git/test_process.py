"""git runs with nothing of the account in it, never longer than it may, and dies with its caller."""

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from agents.tools.deadline import Deadline
from agents.tools.git.process import Git
from agents.tools.git.scratch import scratch
from tests.agents.tools.git.test_races import wait_for_end

OTHERS_SETTINGS = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "user.name",
    "GIT_CONFIG_VALUE_0": "Mallory",
    "GIT_DIR": "/nowhere",
    "GIT_EXEC_PATH": "/nowhere",
    "HTTPS_PROXY": "http://127.0.0.1:1",
}


def test_no_setting_of_the_account_or_machine_is_seen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Mallory\n")
    for name, value in {**OTHERS_SETTINGS, "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    with scratch(Git(Deadline(20))) as repository:
        listed = repository.git("config", "--list", "--show-scope").decode()
    assert "Mallory" not in listed
    assert {line.split()[0] for line in listed.splitlines()} == {"command", "local"}


def test_a_command_is_killed_when_its_time_is_over(tmp_path: Path) -> None:
    fifo = tmp_path / "never"
    os.mkfifo(fifo)
    start = time.monotonic()
    with scratch(Git(Deadline(0.5))) as repository, pytest.raises(TimeoutError):
        repository.git("-c", f"alias.wait=!cat {fifo}", "wait")
    assert time.monotonic() - start < 2
    with fifo.open("w"):  # lets the one that git started end
        pass


def test_no_command_starts_after_the_deadline() -> None:
    deadline = Deadline(0)
    with scratch(Git(deadline)) as repository, pytest.raises(TimeoutError):
        repository.git("version")


def test_a_process_that_outlives_git_does_not_keep_us_waiting(tmp_path: Path) -> None:
    fifo = tmp_path / "gate"
    os.mkfifo(fifo)
    with scratch(Git(Deadline(10))) as repository:
        assert repository.git("-c", f"alias.go=!cat {fifo} & echo done", "go") == b"done\n"
    with fifo.open("w"):
        pass


def run_for_ever(fifo: Path) -> None:
    with scratch(Git(Deadline(60))) as repository:
        repository.git("-c", f"alias.wait=!echo $PPID > {fifo}; cat {fifo}", "wait")


def test_git_dies_with_the_worker_that_started_it(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    worker = multiprocessing.get_context("fork").Process(target=run_for_ever, args=[fifo])
    worker.start()
    git = int(fifo.read_text())
    worker.kill()
    worker.join()
    wait_for_end(git)
    with fifo.open("w"):
        pass
