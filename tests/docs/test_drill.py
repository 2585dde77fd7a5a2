"""The drill of the runbook, done as it stands there, on an embedded installation of its own."""

import os
import re
import shlex
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from config.backups import clusters
from reconciliation.journal.local import LocalRoom
from tests.config.backups import records
from tests.config.backups.records import RUNS, STOPS, add_run, asked
from tests.engine.turns import Bench
from tests.ground import ROOT

TEXT = (ROOT / "docs" / "RUNBOOK.md").read_text(encoding="utf-8")
PLACE = "/backups/drill"


def drill() -> list[list[str]]:
    """Its commands, each as words without `manage.py`."""
    (block,) = re.findall(r"## Back up, and restore: the drill.*?```sh\n(.*?)```", TEXT, re.DOTALL)
    commands = [shlex.split(line) for line in block.splitlines()]
    assert {words[0] for words in commands} == {"manage.py"}
    return [words[1:] for words in commands]


def done(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def done_apart(urls: clusters.Urls, words: list[str]) -> tuple[int, str]:
    """A command in a process of its own, on the record that these addresses lead to."""
    own = {"KEDGE_JOURNAL_DIR": str(settings.KEDGE_JOURNAL_DIR), "KEDGE_JOURNAL_URL": ""}
    ended = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={**os.environ, **urls.environment(), **own},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.django_db(transaction=True)
def test_the_drill_of_the_runbook_goes_as_it_says(engine: Bench, tmp_path: Path) -> None:
    backup, preview, restore, record, stops, verify = [
        [str(tmp_path / "drill") if word == PLACE else word for word in words] for words in drill()
    ]
    engine.start(tool="fake.void", what="a")
    with records.embedded(records.dumped(tmp_path / "record.dump")) as here:
        assert "Verifying every file of the copy" in done(*backup)
        with clusters.running(here, lambda _: None) as urls:
            before = asked(urls.owner, RUNS)
            lost = add_run(urls.replicating)
        journal = LocalRoom(here.var / "journal").path.read_bytes()
        shown = done(*preview)
        assert "Journal lines newer than the backup: 1." in shown
        assert f"the last run: {lost}" in shown
        with pytest.raises(CommandError, match="Nothing was changed"):
            done(*restore[:-1])
        with (
            clusters.running(here, lambda _: None),
            pytest.raises(CommandError, match="PostgreSQL works in"),
        ):
            done(*restore)
        assert "The old cluster is kept" in done(*restore)
        assert LocalRoom(here.var / "journal").path.read_bytes() == journal
        assert not (here.ground / "restoring").exists()
        with clusters.running(here, lambda _: None) as urls:
            assert asked(urls.owner, RUNS) == before
            assert "restored from the backup" in asked(urls.owner, STOPS)[0]
            assert done_apart(urls, record)[0] in (0, 1)
            assert "restored from the backup" in done_apart(urls, stops)[1]
            assert done_apart(urls, verify)[0] == 0
