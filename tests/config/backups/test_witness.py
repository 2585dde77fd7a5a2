"""The journal is the witness: a backup's copy of it never replaces one that says more."""

from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from config.backups import witness
from config.backups.witness import Standing
from config.errors import BackupError
from reconciliation.journal import Mark
from reconciliation.journal.local import LocalRoom
from tests.servers.stores import journal_store


@pytest.fixture
def here(settings: Settings, tmp_path: Path) -> Path:
    """This installation's journal, empty."""
    settings.KEDGE_JOURNAL_URL = ""
    settings.KEDGE_JOURNAL_DIR = tmp_path / "journal"
    return Path(settings.KEDGE_JOURNAL_DIR)


def add(folder: Path, *names: str) -> None:
    for name in names:
        LocalRoom(folder).add({"attempt": name, "tool": "t", "target": "x", "action": name})


def names(folder: Path) -> list[Any]:
    return [line.fields["attempt"] for line in LocalRoom(folder).read(Mark())]


def backed_up(to: Path) -> Path:
    witness.copy(to)
    return to


def test_a_position_is_followed_by_what_came_later(here: Path) -> None:
    add(here, "a", "b")
    known = witness.position()
    assert known.seq == 2
    add(here, "c", "d")
    assert [line.fields["attempt"] for line in witness.newer_than(known)] == ["c", "d"]


def test_a_position_that_is_not_there_is_said(here: Path, tmp_path: Path) -> None:
    add(tmp_path / "other", "x", "y")
    add(here, "a", "b", "c")
    of_another = Mark(2, list(LocalRoom(tmp_path / "other").read(Mark()))[1].digest)
    with pytest.raises(BackupError, match="its lines are others"):
        witness.newer_than(of_another)
    with pytest.raises(BackupError, match="lines of it are lost"):
        witness.newer_than(Mark(9, "0" * 64))


def test_a_newer_journal_is_kept_as_it_is(here: Path, tmp_path: Path) -> None:
    add(here, "a")
    backup = backed_up(tmp_path / "backup")
    add(here, "b")
    before = (here / "effects.jsonl").read_bytes()
    assert witness.compare(backup) is Standing.WHOLE
    assert "it is the witness" in witness.put_back(backup)[0]
    assert (here / "effects.jsonl").read_bytes() == before


def test_a_journal_of_another_story_is_refused_and_nothing_is_written(
    here: Path, tmp_path: Path
) -> None:
    add(here, "a")
    backup = backed_up(tmp_path / "backup")
    (here / "effects.jsonl").unlink()
    add(here, "other", "story")
    with pytest.raises(BackupError, match="different stories"):
        witness.put_back(backup)
    assert names(here) == ["other", "story"]


def test_a_journal_that_is_lost_or_has_less_is_the_backups_again(
    here: Path, tmp_path: Path
) -> None:
    add(here, "a")
    less = (here / "effects.jsonl").read_bytes()
    add(here, "b")
    backup = backed_up(tmp_path / "backup")
    (here / "effects.jsonl").write_bytes(less)
    assert witness.compare(backup) is Standing.LESS
    witness.put_back(backup)
    assert names(here) == ["a", "b"]
    (aside,) = here.glob("before-*")
    assert aside.read_bytes() == less
    (here / "effects.jsonl").unlink()
    assert witness.compare(backup) is Standing.MISSING
    witness.put_back(backup)
    assert names(here) == ["a", "b"]


def test_lines_of_a_folder_are_not_put_where_nobody_reads_them(
    here: Path, tmp_path: Path, settings: Settings
) -> None:
    add(here, "a", "b")
    (here / "heads.jsonl").write_text('{"head": 1}\n')
    backup = backed_up(tmp_path / "backup")
    with journal_store() as settings.KEDGE_JOURNAL_URL:
        settings.KEDGE_JOURNAL_DIR = tmp_path / "another"
        assert witness.compare(backup) is Standing.MISSING
        assert "s3://journal/" in witness.takes_no_lines()
        with pytest.raises(BackupError, match="Restore with KEDGE_JOURNAL_URL empty"):
            witness.put_back(backup)
        assert witness.is_empty()
        assert not (tmp_path / "another").exists()


def test_which_journal_it_is_is_never_copied_and_waiting_receipts_are(
    here: Path, tmp_path: Path
) -> None:
    place = LocalRoom(here).place(make=True)
    add(here, "a")
    (here / "spool").mkdir()
    (here / "spool" / "one.json").write_text("{}")
    (here / "heads.jsonl").write_text('{"head": 1}\n{"torn')
    backup = backed_up(tmp_path / "backup")
    assert not (backup / "place").exists()
    assert (backup / "heads.jsonl").read_text() == '{"head": 1}\n'
    (here / "spool" / "one.json").unlink()
    (here / "heads.jsonl").unlink()
    witness.put_back(backup)
    assert (here / "spool" / "one.json").read_text() == "{}"
    assert (here / "heads.jsonl").exists()
    assert LocalRoom(here).place(make=False) == place
