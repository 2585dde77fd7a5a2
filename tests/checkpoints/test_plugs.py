"""The demo's plug: it ends one worker of one run at one boundary, once, with its parent."""

import os
import signal
from pathlib import Path

import pytest

from checkpoints import boundaries
from checkpoints.boundaries import boundary
from tenants import logs
from tests.forks import fork
from tests.ground import wait_for

AT = "effect:after"


@pytest.fixture
def plugs(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture(autouse=True)
def _count_from_one() -> None:
    boundaries._reached.clear()


def horse_reaches(run: str, name: str, done: Path) -> None:
    """As a work-horse below a worker: the worker waits, the horse binds its run and gets there."""
    horse = os.fork()
    if horse:
        os.waitpid(horse, 0)
        return
    (done / "horse").write_text(str(os.getpid()))
    with logs.bind(run=run):
        boundary(name)
    (done / "went on").touch()
    os._exit(0)


def worker(plugs: Path, run: str, name: str, done: Path) -> int:
    done.mkdir(exist_ok=True)
    return fork(lambda: horse_reaches(run, name, done), KEDGE_PLUGS=str(plugs)).wait()


def test_worker_and_horse_die_at_the_boundary_and_the_plug_is_gone(
    plugs: Path, tmp_path: Path
) -> None:
    (plugs / "run-1").write_text(AT)
    done = tmp_path / "done"
    assert worker(plugs, "run-1", AT, done) == -signal.SIGKILL
    horse = int((done / "horse").read_text())
    wait_for(lambda: not Path(f"/proc/{horse}/exe").exists(), "the horse dies too")
    assert not (done / "went on").exists()
    assert not (plugs / "run-1").exists()


def test_the_worker_that_takes_over_gets_past_it(plugs: Path, tmp_path: Path) -> None:
    (plugs / "run-1").write_text(AT)
    worker(plugs, "run-1", AT, tmp_path / "first")
    assert worker(plugs, "run-1", AT, tmp_path / "second") == 0
    assert (tmp_path / "second" / "went on").exists()


@pytest.mark.parametrize(("run", "name"), [("run-2", AT), ("run-1", "effect:before")])
def test_another_run_or_boundary_is_left_alone(
    plugs: Path, tmp_path: Path, run: str, name: str
) -> None:
    (plugs / "run-1").write_text(AT)
    assert worker(plugs, run, name, tmp_path / "done") == 0
    assert (plugs / "run-1").exists()


def test_outside_a_run_no_plug_is_looked_for(plugs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEDGE_PLUGS", str(plugs))
    boundary(AT)
