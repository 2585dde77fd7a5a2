"""Makes a stored database: real runs, real leases, real kills, as the code of today does it."""

import shutil
import uuid
from datetime import timedelta
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import connections

from approvals import requests
from checkpoints import runs
from checkpoints.asked import Request
from checkpoints.models import Run
from config.backups import clients
from execution import horse
from reconciliation.models import Action
from tenants import chain
from tenants.actors import Actor
from tenants.trail import heads
from tests.crash import databases
from tests.crash.databases import Cast
from tests.crash.processes import live
from tests.engine import faketools
from tests.opening import read_and_decide
from tests.upgrades import shelf
from tests.upgrades.cases import CASES, RUNNING, Stored
from tests.upgrades.registry import STORED

ABOUT = (
    "Made by `python -m tests.upgrades make`. Its keys are in tests/upgrades/past.py: no secrets."
)


def make(version: str, folder: Path) -> None:
    """Make the stored database of a release anew, in place of what is there."""
    stored = shelf.of(version)
    shutil.rmtree(stored.folder, ignore_errors=True)
    stored.folder.mkdir(parents=True)
    with databases.template("kedge_stored") as name:
        cast = databases.cast()
        for case in CASES:
            _bring(case, cast, folder)
        chain.seal()
        heads.sign_due(after=timedelta())
        effects = len(faketools.effects())
        connections.close_all()
        _dump(name, folder / "dump")
        stored.pack(folder / "dump")
    shutil.copytree(faketools.world(), stored.folder / "world")
    shutil.copytree(settings.KEDGE_JOURNAL_DIR, stored.folder / "journal")
    stored.write(shelf.Facts(version, ABOUT, shelf.migrations(), effects))


def _bring(case: Stored, cast: Cast, folder: Path) -> None:
    """Bring one run to where it is stored."""
    request = Request(STORED, case.name, dict(case.content), channel="upgrades")
    runs.start(cast.tenant, request, actor=Actor.person(cast.starter))
    if case.approved:
        _turn(folder)
        _approve(case, cast)
    if case.goes_on:
        fault = faketools.world() / "fault-drop_answer"
        if case.lost:
            fault.touch()
        _turn(folder, kill_at=case.kill_at)
        fault.unlink(missing_ok=True)
    run = Run.objects.get(business_key=case.name)
    said = f"{case.name}: {run.status}, {run.reason}. {(folder / 'said').read_text()}"
    assert (run.status, run.reason) == case.stands, said
    assert (run.holder is not None) == (case.stands == RUNNING), case.name


def _turn(folder: Path, *, kill_at: str = "") -> None:
    """One horse's life, in a process of its own."""
    connections.close_all()
    ended = live(partial(horse.take_turns, uuid.uuid4()), folder, kill_at=kill_at)
    assert ended.died_at(kill_at) if kill_at else ended.in_order, (folder / "said").read_text()


def _approve(case: Stored, cast: Cast) -> None:
    action = Action.objects.get(run__business_key=case.name, absorbed_seq=None)
    asked = requests.latest(action.pk)
    assert asked is not None
    read_and_decide(asked, cast.approver)


def _dump(name: str, to: Path) -> None:
    """Nothing of who owns what: it is opened by whoever runs the tests."""
    given = databases.reader(name)
    url = given.info.dsn
    given.close()
    words = ("--format=custom", "--compress=none", "--no-owner", "--no-privileges", f"--file={to}")
    clients.run("pg_dump", *words, url=url)
