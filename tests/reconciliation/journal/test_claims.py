"""One journal, one PostgreSQL that is worked for: the second to come is refused, not the first."""

import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from reconciliation.errors import ClaimedError
from reconciliation.journal import claims


@pytest.fixture(autouse=True)
def in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "PATIENCE_SECONDS", 0.1)


def test_several_work_for_one(tmp_path: Path) -> None:
    held = [claims.take(tmp_path / "claim", "one") for _ in range(3)]
    for each in held:
        each.release()
        each.release()


def test_who_comes_second_for_another_is_refused_while_the_first_is_there(tmp_path: Path) -> None:
    first = claims.take(tmp_path / "claim", "the original")
    with pytest.raises(ClaimedError, match="the original is worked for"):
        claims.take(tmp_path / "claim", "a clone")
    assert (tmp_path / "claim").read_text() == "the original"
    first.release()
    claims.take(tmp_path / "claim", "restarted").release()
    assert (tmp_path / "claim").read_text() == "restarted"


def hold(path: Path, heard: Connection) -> None:
    claims.take(path, "the original")
    heard.send("held")
    heard.recv()


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(
        target=hold, args=[tmp_path / "claim", there], daemon=True
    )
    process.start()
    assert here.recv() == "held"
    with pytest.raises(ClaimedError):
        claims.take(tmp_path / "claim", "a clone")
    process.kill()
    process.join()
    claims.take(tmp_path / "claim", "a clone").release()
