"""The drill of the runbook, done as it stands there, on an embedded installation of its own."""

import json
import os
import re
import shlex
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from config.backups import clusters
from config.embedded.places import Places
from reconciliation.behind.models import JournalMark
from reconciliation.journal.local import LocalRoom
from tenants.models import Installation
from tests.config.backups import records
from tests.config.backups.records import RUNS, STOPS, add_run, asked
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.ground import ROOT
from tests.people import eve
from tests.reconciliation.deskwork import guards_off

TEXT = (ROOT / "docs" / "RUNBOOK.md").read_text(encoding="utf-8")
PLACE = "/backups/drill"
PASSWORD = "a password of the drill, not of anybody"
MOST_ROUNDS = 20
ENDED = "SELECT status FROM checkpoints_run"


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


def done_apart(urls: clusters.Urls, words: list[str], says: str = "") -> tuple[int, str]:
    """A command in a process of its own, on the record that these addresses lead to."""
    return apart(urls, ["manage.py", *words], says)


def apart(urls: clusters.Urls, words: list[str], says: str = "") -> tuple[int, str]:
    """Exit status and output of a program; `says` is what it is told on standard input."""
    own = {
        "KEDGE_JOURNAL_DIR": str(settings.KEDGE_JOURNAL_DIR),
        "KEDGE_JOURNAL_URL": "",
        "KEDGE_AGENTS": settings.KEDGE_AGENTS,
    }
    ended = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, **urls.environment(), **own},
        input=says,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


def work(urls: clusters.Urls, what: str) -> None:
    """Kedge goes on by one round: the sweeper's, or all turns of a worker that are due."""
    status, said = apart(urls, ["-m", "tests.chaos.instruments.turns", what])
    assert status == 0, said


def told(urls: clusters.Urls, record: list[str]) -> dict[str, Any]:
    """What `record` says of where record and world went apart; it exits 1 as long as they are."""
    status, said = done_apart(urls, [*record, "--json"])
    found: dict[str, Any] = json.loads(said[said.index("{") :])
    assert status == int(bool(found["apart"])), said
    return found


def by_person(urls: clusters.Urls, words: str) -> None:
    status, said = done_apart(urls, shlex.split(words), f"{PASSWORD}\n")
    assert status == 0, said


def settle(urls: clusters.Urls, record: list[str], lost: str) -> None:
    """Step 4: the tool is asked; what became of the effect of a run that is lost a person says."""
    still: list[dict[str, Any]] = []
    for _ in range(MOST_ROUNDS):
        work(urls, "sweep")
        still = [each for each in told(urls, record)["lines"] if each["open"]]
        if [each["run"] for each in still] == [lost]:
            break
    assert [(each["run"], each["lacks"], each["found"]) for each in still] == [
        (lost, "run", "unanswered")
    ]
    saw = '--became did_not_happen --why "I looked" --as ada@example.org'
    by_person(urls, f"record settle {still[0]['line']} {saw}")


def lift(urls: clusters.Urls, stops: list[str]) -> None:
    """Step 5: two people lift what is stopped, and the sweeper lets go on what waited."""
    for stop in json.loads(done_apart(urls, [*stops, "--json"])[1]):
        by_person(urls, f'stop --lift {stop["id"]} --as ada@example.org --why "all is known"')
        by_person(urls, f"stop --confirm {stop['id']} --as eve@example.org")


@pytest.mark.django_db(transaction=True)
def test_the_drill_of_the_runbook_goes_as_it_says(engine: Bench, tmp_path: Path) -> None:
    backup, preview, restore, record, stops, verify = [
        [str(tmp_path / "drill") if word == PLACE else word for word in words] for words in drill()
    ]
    about_to_act(engine)
    with records.embedded(records.dumped(tmp_path / "record.dump")) as here:
        with clusters.running(here, lambda _: None) as urls:
            assert told(urls, record)["apart"] == []
        assert "Verifying every file of the copy" in done(*backup)
        with clusters.running(here, lambda _: None) as urls:
            before = asked(urls.owner, RUNS)
            work(urls, "turns")
            assert (len(effects()), asked(urls.owner, ENDED)) == (1, ["succeeded"])
            lost = add_run(urls.replicating)
        shown = done(*preview)
        assert "Journal lines newer than the backup: 2." in shown
        assert f"the last run: {lost}" in shown
        replace(here, restore)
        with clusters.running(here, lambda _: None) as urls:
            assert asked(urls.owner, RUNS) == before
            assert "restored from the backup" in asked(urls.owner, STOPS)[0]
            lacks = told(urls, record)
            assert "record_behind" in lacks["apart"]
            assert [(each["lacks"], each["open"]) for each in lacks["lines"]] == [
                ("attempt", True),
                ("run", True),
            ]
            assert "restored from the backup" in done_apart(urls, stops)[1]
            settle(urls, record, lost)
            lift(urls, stops)
            assert told(urls, record)["apart"] == []
            work(urls, "sweep")
            work(urls, "turns")
            assert (len(effects()), asked(urls.owner, ENDED)) == (1, ["succeeded"])
            assert done_apart(urls, verify)[0] == 0


def replace(here: Places, restore: list[str]) -> None:
    """Step 3: refused while PostgreSQL works, or when it is not said; the journal stays as it is."""
    journal = LocalRoom(here.var / "journal").path.read_bytes()
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


def about_to_act(engine: Bench) -> None:
    """A run whose effect is approved and not sent yet, and two people who have passwords."""
    run = engine.start(tool="fake.void", what="a")
    engine.turn()
    engine.decide(run)
    for person in (engine.starter, eve(engine.tenant)):
        person.set_password(PASSWORD)
        person.save()
    # The installation that the record becomes names itself, its server and its journal.
    with guards_off():
        JournalMark.objects.all().delete()
        Installation.objects.all().delete()
