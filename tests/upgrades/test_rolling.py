"""A release replaces another under load: real processes one by one, runs in flight, effects once."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from subprocess import Popen
from urllib.parse import quote, urlsplit

import pytest
from django.conf import settings as installed
from django.db import connection
from pytest_django import Settings

from approvals import states as permission
from approvals.models import ApprovalRequest
from checkpoints import registry, runs
from checkpoints.asked import Request
from checkpoints.models import Recovery, Run
from execution.models import Process
from tenants.actors import Actor
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.ground import ROOT, wait_for
from tests.opening import read_and_decide
from tests.people import ada, dee, make_tenant
from tests.upgrades.registry import STORED, VOID
from tests.upgrades.releasing import Crew, next_release, take_back

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = 120


@pytest.fixture
def bells(settings: Settings) -> str:
    """A database of Valkey's where nobody else listens."""
    settings.REDIS_URL = urlsplit(installed.REDIS_URL)._replace(path="/13").geturl()
    return str(settings.REDIS_URL)


@pytest.fixture
def crew(
    settings: Settings, tmp_path: Path, bells: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Crew]:
    """No process yet; all are ended with the test."""
    settings.KEDGE_AGENTS = "tests.upgrades.registry"
    settings.KEDGE_JOURNAL_DIR = tmp_path / "journal"
    registry.agents.cache_clear()
    name = f"/{quote(str(connection.settings_dict['NAME']))}"
    made = Crew(
        {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": urlsplit(os.environ["DATABASE_URL"])._replace(path=name).geturl(),
            "REDIS_URL": bells,
            "KEDGE_AGENTS": "tests.upgrades.registry",
            "KEDGE_JOURNAL_DIR": str(tmp_path / "journal"),
            "KEDGE_FAKE_WORLD": str(tmp_path / "world"),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        tmp_path / "crew.log",
    )
    monkeypatch.setenv("KEDGE_FAKE_WORLD", str(tmp_path / "world"))
    yield made
    made.end()
    take_back()
    registry.agents.cache_clear()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Who starts runs, and who says yes."""
    tenant = make_tenant("rolling")
    return Bench(tenant, starter=ada(tenant), approver=dee(tenant), world=tmp_path / "world")


def test_a_release_replaces_another_with_runs_in_flight(
    crew: Crew, bench: Bench, tmp_path: Path
) -> None:
    new = next_release(tmp_path / "next")
    first, second = crew.start(ROOT, "work"), crew.start(ROOT, "work")
    old_sweeper = crew.start(ROOT, "sweep")
    load(bench, "before")
    wait_for(lambda: answered(bench, "before"), "the old release works", seconds=SECONDS)

    newcomer = crew.start(new, "work")
    wait_for(lambda: says("manage.py migrate"), "the newer worker waits", seconds=SECONDS)
    load(bench, "during")
    assert crew.start(new, "migrate").wait(SECONDS) == 0
    first.send_signal(signal.SIGTERM)
    crew.start(new, "sweep")
    for process in (first, second, old_sweeper):
        wait_for(partial(went, bench, process), "it drains and ends", seconds=SECONDS)
        assert process.returncode == 0, crew.log.read_text()
    crew.start(new, "work")
    load(bench, "after")
    wait_for(lambda: all_ended(bench), "every run ends", seconds=SECONDS)

    assert newcomer.poll() is None
    assert set(Run.objects.values_list("status", flat=True)) == {"succeeded"}
    names = Run.objects.values_list("business_key", flat=True)
    assert Counter(each["what"] for each in effects()) == Counter(names)
    assert not Recovery.objects.exists(), "nothing was interrupted: all of it was let go in order"


def load(bench: Bench, when: str) -> None:
    for number in range(4):
        name = f"{when} {number}"
        request = Request(STORED, name, {"tool": VOID, "what": name}, channel="test")
        runs.start(bench.tenant, request, actor=Actor.person(bench.starter))


def answered(bench: Bench, when: str) -> bool:
    """Whether somebody's effect of that time has happened; people answer what they are asked."""
    answer(bench)
    return any(each["what"].startswith(when) for each in effects())


def went(bench: Bench, process: Popen[bytes]) -> bool:
    answer(bench)
    return process.poll() is not None


def all_ended(bench: Bench) -> bool:
    answer(bench)
    return not Run.objects.exclude(status="succeeded").exists()


def answer(bench: Bench) -> None:
    for asked in ApprovalRequest.objects.filter(state=permission.OPEN):
        read_and_decide(asked, bench.approver)


def says(words: str) -> bool:
    return any(words in str(each.facts.get("says", "")) for each in Process.objects.all())
