"""The three numbers and the workers in a browser: faultless, and each point leads to its list."""

import os
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django import Settings

from checkpoints import registry
from checkpoints.models import Case, Recovery, Run
from execution import processes
from reconciliation.models import Action
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.journeys.conftest import SitDown
from tests.journeys.test_looks import SCREENS, faultless
from tests.releases.pools import newer_code, older_code, worker_of

pytestmark = pytest.mark.django_db(transaction=True)
ALL: Final[dict[str, dict[str, Any]]] = {**SCREENS, "wide and dark": {"color_scheme": "dark"}}
DAY: Final = timedelta(days=1)


@pytest.fixture
def busy(engine: Bench, settings: Settings) -> Iterator[Bench]:
    """Recoveries on several days, effects that were stopped, one that arrived twice; an old worker."""
    for day in (0, 2, 2, 9):
        found(engine, day)
    twice(engine, found(engine, 9))
    for day, seconds in ((0, 2), (2, 5), (2, 1), (5, 60)):
        recovered(engine.start(steps=1), day, seconds)
    working(engine)
    worker_of(newer_code(settings))
    yield engine
    older_code(settings)


def found(engine: Bench, days_ago: int) -> Run:
    run = engine.start(steps=1, tool="fake.void", what=uuid4().hex)
    while Run.objects.get(pk=run.pk).status != "waiting":
        engine.turn()
    engine.decide(run)
    lost = engine.fault("drop_answer")
    engine.turn()
    lost.unlink()
    with by_force():
        Action.objects.filter(run=run).update(settled_at=timezone.now() - days_ago * DAY)
    return run


def twice(engine: Bench, run: Run) -> None:
    with by_force():
        Case.objects.create(
            tenant=engine.tenant,
            run=run,
            kind="duplicate_effect",
            sentence="“push” was sent once and is there twice.",
            fingerprint=uuid4().hex,
            opened_at=timezone.now() - 9 * DAY,
            closed_at=timezone.now(),
        )


def recovered(run: Run, days_ago: int, seconds: int) -> None:
    at = timezone.now() - days_ago * DAY
    over = at + timedelta(seconds=seconds)
    Recovery.objects.create(
        run=run,
        why="its worker was killed by signal 9",
        interrupted_fence=1,
        noticed_at=at,
        taken_over_at=at + timedelta(seconds=seconds / 2),
        new_boundary_at=over,
        ended="recovered",
        ended_at=over,
    )


def working(engine: Bench) -> None:
    lease = engine.acquire()
    holder = str(Run.objects.get(pk=lease.run_id).holder)
    processes.started("worker-1", "worker", codes=registry.codes(), horse=4242, holder=holder)
    processes.started("worker-2", "worker", codes=["5f" * 32])
    processes.started("sweeper", "sweeper", took_ms=12, did={})


def shot(page: Page, name: str) -> None:
    """A picture for whoever works on these pages, where KEDGE_TEST_PICTURES names a folder."""
    folder = os.environ.get("KEDGE_TEST_PICTURES")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


@pytest.mark.parametrize("screen", ALL)
def test_the_pages_are_faultless(busy: Bench, sit_down: SitDown, screen: str) -> None:
    page = sit_down(busy.starter, **ALL[screen])
    here = f"/t/{busy.tenant.slug}/"
    for name, url in (("recoveries", f"{here}recoveries/"), ("home", here), ("system", "/system/")):
        page.goto(url)
        faultless(page)
        shot(page, f"{name}, {screen}")


def test_a_point_of_the_third_chart_leads_to_what_it_counts(busy: Bench, sit_down: SitDown) -> None:
    page = sit_down(busy.starter)
    page.goto(f"/t/{busy.tenant.slug}/recoveries/")
    chart = page.get_by_role("group", name=re.compile("^Duplicate submissions over time"))
    chart.get_by_role("link", name=re.compile("2 stopped, 1 arrived$")).click()
    behind = page.get_by_role("region", name=re.compile("^Duplicate submissions from"))
    expect(behind.get_by_role("row")).to_have_count(4)
    shot(page, "behind a point")
    behind.get_by_role("link", name="is there twice").click()
    expect(page.get_by_role("heading", name="An effect may be there twice")).to_be_visible()
