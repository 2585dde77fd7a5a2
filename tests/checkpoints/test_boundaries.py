"""Named boundaries: silent in production, a list of points and a place to die in tests."""

import signal
from pathlib import Path

import pytest

from checkpoints import boundaries
from checkpoints.boundaries import boundary
from tests.forks import fork


@pytest.fixture(autouse=True)
def _count_from_one() -> None:
    boundaries._reached.clear()


def reach(name: str, times: int) -> None:
    for _ in range(times):
        boundary(name)


def test_a_boundary_says_nothing_when_nobody_asks(tmp_path: Path) -> None:
    boundary("commit:before")
    assert boundaries._reached == {}


def test_points_are_written_in_the_order_they_are_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "points"
    monkeypatch.setenv("KEDGE_BOUNDARY_LOG", str(log))
    for name in ("commit:before", "commit:after", "commit:before"):
        boundary(name)
    assert log.read_text().split() == ["commit:before@1", "commit:after@1", "commit:before@2"]


def test_a_process_dies_at_the_named_point_and_not_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "points"
    child = fork(
        lambda: reach("x", 5),
        KEDGE_BOUNDARY_LOG=str(log),
        KEDGE_KILL_AT="x@3",
    )
    assert child.wait() == -signal.SIGKILL
    assert log.read_text().split() == ["x@1", "x@2", "x@3"]


def test_a_process_stands_still_at_the_named_point(tmp_path: Path) -> None:
    log = tmp_path / "points"
    child = fork(
        lambda: reach("x", 3),
        KEDGE_BOUNDARY_LOG=str(log),
        KEDGE_STOP_AT="x@2",
    )
    child.wait_until_stopped()
    assert log.read_text().split() == ["x@1", "x@2"]
    child.send(signal.SIGCONT)
    assert child.wait() == 0
    assert log.read_text().split() == ["x@1", "x@2", "x@3"]
