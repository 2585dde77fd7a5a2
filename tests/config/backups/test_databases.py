"""A dump is restored into a database of its own first; the one in use is exchanged at the end, or not at all."""

import os
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from pytest_django import Settings

from canonical import json as canonical
from reconciliation.journal import room
from tests.config.backups import records
from tests.config.backups.records import RUNS, STOPS, add_run, asked
from tests.engine.turns import Bench
from tests.servers.stores import journal_store

NAME = "kedge_res" + os.environ.get("PYTEST_XDIST_WORKER", "")


def said(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


@pytest.fixture
def url(engine: Bench, settings: Settings, tmp_path: Path) -> Iterator[str]:
    """A database with one run, that DATABASE_URL names."""
    settings.KEDGE_JOURNAL_DIR = tmp_path / "journal"
    engine.start(tool="fake.void", what="a")
    with records.database(NAME) as found:
        yield found


@pytest.mark.django_db(transaction=True)
def test_a_dump_is_shown_refused_exchanged_and_leaves_effects_stopped(
    url: str, tmp_path: Path
) -> None:
    before = asked(url, RUNS)
    backup = str(tmp_path / "backup")
    assert "1 runs" in said("backup", "--dump", backup)
    lost = add_run(url)
    line = (settings.KEDGE_JOURNAL_DIR / "effects.jsonl").read_bytes()
    shown = said("restore", backup, "--preview")
    assert "at least 1 runs" in shown
    assert "Journal lines newer than the backup: 1." in shown
    assert lost in shown
    with pytest.raises(CommandError, match="Say --replace"):
        said("restore", backup)
    with psycopg.connect(url), pytest.raises(CommandError, match="1 sessions use this database"):
        said("restore", backup, "--replace")
    assert sorted(asked(url, RUNS)) == sorted([*before, lost])
    told = said("restore", backup, "--replace")
    assert asked(url, RUNS) == before
    assert "restored from the backup" in asked(url, STOPS)[0]
    assert (settings.KEDGE_JOURNAL_DIR / "effects.jsonl").read_bytes() == line
    (kept,) = [word.rstrip(";") for word in told.split() if word.startswith(f"{NAME}_before_")]
    assert lost in asked(url.replace(NAME, kept), RUNS)


@pytest.mark.django_db(transaction=True)
def test_a_backup_says_what_it_is_and_no_secret(url: str, tmp_path: Path) -> None:
    said("backup", "--dump", str(tmp_path / "backup"))
    text = (tmp_path / "backup" / "manifest.json").read_bytes()
    told = canonical.loads_object(text)
    assert canonical.dumps(told) == text
    assert told["record"]["counts"]["runs"] == 1
    assert told["record"]["schema"]["checkpoints"]
    for secret in (settings.KEDGE_KEYS, settings.KEDGE_SIGNING_KEY, settings.SECRET_KEY):
        for part in secret.replace(":", ",").split(","):
            assert len(part) < 20 or part.encode() not in text


@pytest.mark.django_db(transaction=True)
def test_what_is_damaged_or_half_done_is_refused_before_anything_is_touched(
    url: str, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    said("backup", "--dump", str(backup))
    with pytest.raises(CommandError, match="is not empty"):
        said("backup", "--dump", str(backup))
    dump = backup / "kedge.dump"
    content = dump.read_bytes()
    dump.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(CommandError, match=r"kedge\.dump is not what its manifest says"):
        said("restore", str(backup), "--replace")
    (backup / "manifest.json").unlink()
    with pytest.raises(CommandError, match="is no backup"):
        said("restore", str(backup), "--replace")
    assert asked(url, STOPS) == []


@pytest.mark.django_db(transaction=True)
def test_a_restore_that_fails_leaves_the_record_as_it_was(url: str, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    said("backup", "--dump", str(backup))
    text = (backup / "manifest.json").read_text()
    (backup / "manifest.json").write_text(text.replace('"runs":1', '"runs":2'))
    lost = add_run(url)
    with pytest.raises(CommandError, match="has 1 runs, and its manifest says 2"):
        said("restore", str(backup), "--replace")
    assert lost in asked(url, RUNS)
    with psycopg.connect(url) as connection:
        like = f"SELECT datname FROM pg_database WHERE datname LIKE '{NAME}%'"
        assert connection.execute(like.encode()).fetchall() == [(NAME,)]


@pytest.mark.django_db(transaction=True)
def test_lines_of_a_folder_and_a_store_do_not_take_each_others_place(
    url: str, tmp_path: Path, settings: Settings
) -> None:
    add_run(url)
    of_folder, of_store = str(tmp_path / "folder"), str(tmp_path / "store")
    said("backup", "--dump", of_folder)
    before = asked(url, RUNS)
    with journal_store() as settings.KEDGE_JOURNAL_URL:
        assert "Restore with KEDGE_JOURNAL_URL empty" in said("restore", of_folder, "--preview")
        with pytest.raises(CommandError, match="Restore with KEDGE_JOURNAL_URL empty"):
            said("restore", of_folder, "--replace")
        assert asked(url, RUNS) == before
        assert asked(url, STOPS) == []
        room().add({"attempt": "a", "tool": "t", "target": "x", "action": "a"})
        settings.KEDGE_JOURNAL_DIR = tmp_path / "beside a store"
        said("backup", "--dump", of_store)
    settings.KEDGE_JOURNAL_URL = ""
    assert "knew line 1 of one in a store" in said("restore", of_store, "--preview")
    assert "That of the backup is put in its place" in said("restore", of_folder, "--preview")
