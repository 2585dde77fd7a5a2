"""The journal outside PostgreSQL: one synced line before every effect."""

import json
import os
from pathlib import Path
from uuid import uuid4

import pytest
from pytest_django import Settings

from reconciliation import journal
from reconciliation.errors import JournalError
from reconciliation.journal import belonging, sealing
from reconciliation.journal.objects import ObjectRoom
from reconciliation.models import Action, Attempt
from tenants.models import Installation
from tests.engine.turns import Bench
from tests.reconciliation.ready import Ready, ready
from tests.servers.stores import journal_store


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def test_a_line_says_what_will_be_sent_where_and_under_which_key(it: Ready) -> None:
    attempt = it.dispatch()
    journal.write(it.action, attempt)
    (line,) = journal.lines()
    assert line.pop("at") > 0
    kept = sealing.opened(line.pop("sealed"), attempt.id)
    assert kept["parameters"].encode() == bytes(it.action.parameters)
    assert line == {
        "installation": str(Installation.objects.get()),
        "slug": it.action.tenant.slug,
        "credential": "fake",
        "hash": attempt.action_hash,
        "parameters": bytes(it.action.parameters_digest).hex(),
        "tenant": it.action.tenant_id,
        "run": str(it.run.id),
        "action": str(it.action.id),
        "attempt": str(attempt.id),
        "number": 1,
        "key": bytes(it.action.key).hex(),
        "tool": "fake.void",
        "target": "world/a-0",
    }


def test_in_a_store_no_line_follows_one_that_this_record_does_not_know(
    it: Ready, settings: Settings
) -> None:
    """A clone's: nothing keeps it away there, and it is as much this installation as we are."""
    with journal_store() as settings.KEDGE_JOURNAL_URL:
        attempt = it.dispatch()
        journal.write(it.action, attempt)
        mine, theirs = {"installation": str(Installation.objects.get()), "at": 0}, str(uuid4())
        ObjectRoom.of(settings.KEDGE_JOURNAL_URL).add({**mine, "attempt": theirs})
        with pytest.raises(JournalError, match="does not know the newest line"):
            journal.write(it.action, attempt)
        assert [line["attempt"] for line in journal.lines()] == [str(attempt.id), theirs]
    belonging.let_go()


def test_lines_are_only_ever_added(it: Ready) -> None:
    attempt = it.dispatch()
    for number in (1, 2, 3):
        attempt.number = number
        journal.write(it.action, attempt)
    assert [line["number"] for line in journal.lines()] == [1, 2, 3]


def test_no_journal_yet_has_no_lines(it: Ready) -> None:
    assert list(journal.lines()) == []


@pytest.mark.parametrize("torn", [b'{"number": 7', b'{"number": 7}', b"\x80"])
def test_a_line_torn_by_a_full_disk_spoils_no_other(it: Ready, torn: bytes) -> None:
    """A short write is refused, so nothing was sent for it; the next line must still be whole."""
    attempt = it.dispatch()
    journal.write(it.action, attempt)
    with journal.path().open("ab") as file:
        file.write(torn)
    attempt.number = 2
    journal.write(it.action, attempt)
    numbers = [line["number"] for line in journal.lines()]
    assert (numbers[0], numbers[-1]) == (1, 2)
    assert set(numbers) <= {1, 7, 2}


def test_a_target_cannot_break_the_line(it: Ready) -> None:
    it.action.target = 'x\n{"number": 99}\n'
    journal.write(it.action, it.dispatch())
    (line,) = journal.lines()
    assert line["target"] == it.action.target


def test_a_full_disk_is_a_sentence_with_the_next_step(it: Ready, settings: Settings) -> None:
    folder = Path(settings.KEDGE_JOURNAL_DIR)
    folder.mkdir(parents=True)
    (folder / "effects.jsonl").symlink_to("/dev/full")
    with pytest.raises(JournalError, match=r"No space left on device\); make room"):
        journal.write(it.action, it.dispatch())


def test_a_folder_that_is_a_file_is_a_sentence_too(
    it: Ready, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    settings.KEDGE_JOURNAL_DIR = tmp_path / "file"
    with pytest.raises(JournalError, match="cannot be written"):
        journal.write(it.action, it.dispatch())


def test_only_the_owner_reads_the_journal(it: Ready) -> None:
    journal.write(it.action, it.dispatch())
    assert os.stat(journal.path()).st_mode & 0o077 == 0
    assert json.loads(journal.path().read_bytes())["tool"] == "fake.void"
    assert Attempt.objects.count() == Action.objects.count() == 1
