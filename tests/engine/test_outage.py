"""A payment provider falls silent under many refunds, and comes back. Real HTTP, real books.

Ten nights, night 1. `SOME` refunds are enough to see every way that one can take; the whole night
of 1,400 is the same test, marked slow (`python -m pytest -m slow tests/engine/test_outage.py`).
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F
from pytest_django import Settings

from agents.tools.http import tool as http
from agents.tools.http.tool import HttpTool
from agents.tools.wire.reach import Reach
from approvals import clock
from approvals.models import ApprovalRequest
from checkpoints import leases, registry
from checkpoints.models import Case, Event, Run, Verdict
from checkpoints.timers import SelfStop
from execution import doorways, executor, sweeper
from reconciliation.doors.models import Door
from reconciliation.models import Action, Attempt, LookUp
from tenants.models import AuditRow
from tests.engine import declared
from tests.engine.turns import Bench
from tests.execution.runs import due
from tests.ground import wait_for
from tests.servers.provider import BUSY, CHECKED, DECLARATION, Provider

pytestmark = pytest.mark.django_db(transaction=True)

SOME, ALL = 60, 1_400
TOOL = DECLARATION["name"]


@pytest.fixture
def provider() -> Iterator[Provider]:
    made = Provider()
    yield made
    made.close()


@pytest.fixture
def bench(engine: Bench, provider: Provider, settings: Settings) -> Iterator[Bench]:
    settings.KEDGE_AGENTS = "tests.engine.declared"
    settings.KEDGE_DOOR_UNKNOWNS = 5
    settings.KEDGE_DOOR_RUNS_PER_MINUTE = 6_000
    registry.agents.cache_clear()
    use(provider, DECLARATION)
    yield engine
    declared.TOOLS.by_name.clear()


def use(provider: Provider, declaration: dict[str, Any]) -> None:
    environment = {
        "KEDGE_TEST_PROVIDER": f"http://{provider.host}",
        "KEDGE_TEST_PROVIDER_TOKEN": "good",
    }
    reach = Reach(environment, frozenset({provider.host}))
    declared.TOOLS.by_name[TOOL] = HttpTool.declared(declaration, reach)


def work() -> int:
    """What workers do: take what is due until nothing is; returns how many turns that took."""
    turns = 0
    while lease := leases.acquire(uuid4(), combos=registry.runnable_combos()):
        with SelfStop() as self_stop:
            executor.advance(lease, self_stop, lambda: False)
        turns += 1
    return turns


def refund(bench: Bench, count: int) -> list[Run]:
    """So many approved refunds, each of an order of its own, none sent yet."""
    runs = [
        bench.start("declared", tool=TOOL, text="", parameters={"order": f"o-{n}", "cents": 100})
        for n in range(count)
    ]
    work()
    for run in runs:
        bench.decide(run)
    return runs


def all_due() -> None:
    for run in Run.objects.filter(status="waiting", due_at__isnull=False):
        due(run)


def probe() -> None:
    """Let the time of the next probe come, and the sweeper send it."""
    Door.objects.filter(next_probe_at__isnull=False).update(
        next_probe_at=F("next_probe_at") - timedelta(hours=1)
    )
    sweeper.sweep()
    assert doorways.wait(30)


@pytest.mark.parametrize("count", [SOME, pytest.param(ALL, marks=pytest.mark.slow)])
def test_an_outage_under_many_refunds_needs_no_person(
    bench: Bench, provider: Provider, count: int
) -> None:
    runs = refund(bench, count)
    questions = ApprovalRequest.objects.count()
    provider.fall_silent()
    work()
    # Five were sent and nobody answered; behind the closed door everything waits, and no worker does.
    assert provider.asked["POST"] == Attempt.objects.count() == 5
    all_due()
    work()
    assert set(Run.objects.values_list("status", "reason")) == {("waiting", "for_door")}
    door = Door.objects.get()
    assert (door.tool, door.why) == (TOOL, "five unknown in a row")
    # While it lasts only probes go out, one at a time; woken runs look at the door and let go.
    asked = provider.asked["GET"]
    for n in range(3):
        probe()
        all_due()
        work()
        assert provider.asked == {"POST": 5, "GET": asked + n + 1}
    assert not Case.objects.exists()
    assert not Run.objects.filter(status="running").exists()

    provider.come_back()
    probe()
    back(runs)

    assert provider.times() == {f"o-{n}": 1 for n in range(count)}
    assert not Attempt.objects.filter(
        dispatched_at__gt=door.closed_at, dispatched_at__lt=opened_at()
    ).exists()
    assert set(Action.objects.values_list("outcome", "because")) == {
        ("happened", "answered"),
        ("happened", "looked_up"),
    }
    # Nobody was called, and nobody was asked twice.
    assert not Case.objects.exists()
    assert not Verdict.objects.exists()
    assert ApprovalRequest.objects.count() == questions
    assert AuditRow.objects.filter(verb="close_door").count() == 1
    assert AuditRow.objects.filter(verb="open_door").count() == 1


def back(runs: list[Run]) -> None:
    """Sweeper and workers go on until every run is over."""

    def are_over() -> bool:
        Door.objects.update(paced_at=F("paced_at") - timedelta(seconds=5))
        sweeper.sweep()
        work()
        return not Run.objects.exclude(status="succeeded").exists()

    wait_for(are_over, "all refunds are made", seconds=60 + len(runs))


def opened_at() -> object:
    return Door.objects.get().opened_at


def test_s125_a_service_that_is_busy_is_asked_ever_less_and_when_it_says(
    bench: Bench, provider: Provider
) -> None:
    """21 attempts within one second is what others made of a 503."""
    (run,) = refund(bench, 1)
    provider.mode, provider.retry_after = BUSY, ""
    waits = []
    for _ in range(8):
        before = clock.now()
        work()
        run.refresh_from_db()
        assert (run.status, run.reason) == ("waiting", "for_look_up")
        assert run.due_at is not None
        waits.append((run.due_at - before).total_seconds())
        due(run)
    assert provider.asked == {"POST": 1, "GET": 8}
    lower = [1, 2, 4, 8, 16, 32, 48, 48]
    assert all(wait >= least for wait, least in zip(waits, lower, strict=True))
    assert max(waits) < 60 + 30  # capped; the rest is what this machine took
    # Runs that met it at the same moment do not come back at the same moment.
    provider.retry_after = "300"
    before = clock.now()
    work()
    run.refresh_from_db()
    assert run.due_at is not None
    assert run.due_at >= before + timedelta(seconds=300)
    assert LookUp.objects.filter(answer="unanswered").count() == 9
    provider.come_back()
    due(run)
    back([run])
    assert provider.times() == {"o-0": 1}
    assert not Case.objects.exists()


def test_s125_a_busy_service_says_when_its_door_is_knocked_at(
    bench: Bench, provider: Provider
) -> None:
    refund(bench, 6)
    provider.mode, provider.retry_after = BUSY, "200"
    work()
    door = Door.objects.get()
    assert door.next_probe_at is not None
    assert door.closed_at is not None
    assert door.next_probe_at >= door.closed_at + timedelta(seconds=200)
    assert Event.objects.filter(what="no answer").count() == 5


def test_a_service_that_takes_no_question_is_sent_nothing(
    bench: Bench, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(provider, CHECKED)
    monkeypatch.setattr(http, "CHECK_SECONDS", 1)
    runs = refund(bench, 7)
    provider.fall_silent()
    work()
    door = Door.objects.get()
    assert door.why == "five calls in a row without an answer"
    assert not Attempt.objects.exists()
    assert Run.objects.filter(reason="for_door").count() >= 2
    provider.come_back()
    probe()
    all_due()
    back(runs)
    assert provider.times() == {f"o-{n}": 1 for n in range(7)}
    assert not Case.objects.exists()
