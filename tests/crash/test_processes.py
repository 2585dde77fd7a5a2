"""Processes that die where they are told."""

import os
import signal
import threading
from pathlib import Path

import pytest

from checkpoints import boundaries
from checkpoints.boundaries import boundary
from tests.crash.points import IN_THE_HOOK
from tests.crash.processes import HOOK_RUNS, live


def _work() -> None:
    for _ in range(3):
        boundary("commit:before")
        boundary("commit:after")
    os.write(1, b"done\n")


def test_a_process_counts_from_its_own_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another test of this process may have come by the same boundaries before."""
    monkeypatch.setitem(boundaries._reached, "commit:before", 5)
    assert live(_work, tmp_path, kill_at="commit:before@2").died_at("commit:before@2")


def test_a_process_dies_at_its_boundary_and_not_later(tmp_path: Path) -> None:
    ended = live(_work, tmp_path, kill_at="commit:before@2")
    assert ended.died_at("commit:before@2")
    assert ended.reached == ("commit:before@1", "commit:after@1", "commit:before@2")
    assert not (tmp_path / "said").read_text()


def test_a_process_without_a_kill_passes_them_all(tmp_path: Path) -> None:
    ended = live(_work, tmp_path)
    assert ended.in_order
    assert len(ended.reached) == 6
    assert (tmp_path / "said").read_text() == "done\n"


def test_dying_elsewhere_is_not_dying_there(tmp_path: Path) -> None:
    def work() -> None:
        boundary("commit:before")
        os.kill(os.getpid(), signal.SIGKILL)

    ended = live(work, tmp_path, kill_at="commit:after@1")
    assert not ended.died_at("commit:after@1")
    assert not ended.in_order


def test_a_process_that_raises_did_not_end_in_order(tmp_path: Path) -> None:
    def work() -> None:
        raise ValueError("no")

    assert not live(work, tmp_path).in_order
    assert "ValueError: no" in (tmp_path / "said").read_text()


def test_a_process_in_a_call_dies_when_the_hook_runs(tmp_path: Path) -> None:
    def push() -> None:
        boundary("effect:before")
        (tmp_path / HOOK_RUNS).touch()
        threading.Event().wait()

    assert live(push, tmp_path, kill_at=IN_THE_HOOK).died_at(IN_THE_HOOK)
