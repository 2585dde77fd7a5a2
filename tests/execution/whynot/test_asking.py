"""Nine questions about a run that does not run: each says no for its own reason, and only then."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from checkpoints import stops
from checkpoints.models import Run
from checkpoints.registry import codes
from checkpoints.scopes import Scope
from execution import processes
from execution.models import Process
from execution.whynot import answers, asking
from execution.whynot.answers import Answer, Check
from reconciliation.credentials.models import Credential
from reconciliation.doors.models import Door
from tenants import clock
from tenants.actors import Actor
from tests.engine.turns import Bench
from tests.execution.pages.visits import page_of, signed_in, words
from tests.execution.problems.making import held, leased, past, retrying
from tests.people import cy, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def well(engine: Bench) -> None:
    """A worker with the code, and a sweeper."""
    processes.started("worker-1", "worker", codes=codes())
    processes.started("sweeper-1", "sweeper")


@pytest.fixture
def run(engine: Bench) -> Run:
    engine.start(steps=1, tool="fake.void", what="a")
    return Run.objects.get()


def against(run: Run) -> list[str]:
    """Which of the nine say that they keep it."""
    fresh = Run.objects.select_related("tenant", "combo").get(pk=run.pk)
    return [check.code for check in asking.ask_all(fresh) if not check.answer.ok]


def test_there_are_nine_and_none_is_against_a_run_that_is_due(run: Run) -> None:
    assert len(asking.QUESTIONS) == 9
    assert against(run) == []


def test_a_time_that_has_not_come(engine: Bench) -> None:
    lease = retrying(engine)
    assert against(Run.objects.get(pk=lease.run_id)) == ["due"]


def test_a_case_that_is_open(engine: Bench) -> None:
    assert against(held(engine).run) == ["due"]


def test_a_question_that_is_open(engine: Bench, run: Run) -> None:
    engine.turn()
    assert against(run) == ["due", "approval"]


def test_workers_that_are_silent_or_have_other_code(run: Run) -> None:
    Process.objects.filter(kind="worker").update(seen_at=Now() - timedelta(minutes=9))
    assert against(run) == ["worker"]
    Process.objects.filter(kind="worker").update(seen_at=Now(), facts={"codes": ["00"]})
    assert against(run) == ["worker"]
    Process.objects.filter(kind="worker").delete()
    assert against(run) == ["worker"]


def test_a_lease_that_is_renewed_by_one_who_does_nothing(engine: Bench) -> None:
    lease = leased(engine)
    run = Run.objects.get(pk=lease.run_id)
    assert against(run) == []
    past(run.pk, created_at=9999, woken_at=9999)
    assert against(run) == ["lease"]


def test_a_lease_that_ran_out_and_nobody_gave_away(engine: Bench) -> None:
    lease = leased(engine)
    assert against(past(lease.run_id, lease_until=5)) == ["lease"]


def test_a_tenant_that_has_all_its_slots_taken(engine: Bench, run: Run, settings: Settings) -> None:
    settings.KEDGE_TENANT_SLOTS = 1
    first = engine.acquire()
    engine.start(steps=1)
    waiting = Run.objects.exclude(pk=first.run_id).get()
    assert against(waiting) == ["slot"]
    assert against(Run.objects.get(pk=first.run_id)) == []


def test_a_stop_of_effects_and_not_one_of_new_runs(engine: Bench, run: Run) -> None:
    ada = Actor.person(engine.starter)
    stops.stop(engine.tenant, "new_runs", why="enough", actor=ada)
    assert against(run) == []
    stops.stop(engine.tenant, "effects", why="enough", actor=ada)
    assert against(run) == ["stop"]
    assert against(Run(tenant=make_tenant("elsewhere"), pk=run.pk)) == ["stop"]


def test_a_stop_of_another_tool_holds_it_not(engine: Bench, run: Run) -> None:
    scope = Scope(engine.tenant, tool="something.else")
    stops.stop(scope, "effects", why="enough", actor=Actor.person(engine.starter))
    assert against(run) == []


def test_a_door_that_is_closed(engine: Bench, run: Run) -> None:
    now = clock.now()
    Door.objects.create(
        tenant=engine.tenant,
        tool="fake.void",
        closed_at=now,
        closed_by="Kedge",
        why="five unknown in a row",
        next_probe_at=now,
    )
    assert against(run) == ["door"]
    Door.objects.update(tool="another")
    assert against(run) == []


@pytest.mark.parametrize(
    "columns",
    [
        {"result": "invalid", "checked_at": Now(), "said": "the other side says no"},
        {"expires_at": Now() - timedelta(days=1)},
    ],
)
def test_a_credential_that_does_not_work(
    engine: Bench, run: Run, columns: dict[str, object]
) -> None:
    noted = Credential.objects.create(
        tenant=engine.tenant, tool="fake.void", acting_identity="bot", owner=engine.starter,
        kept_at="env:X", version="1",
    )  # fmt: skip
    assert against(run) == []
    Credential.objects.filter(pk=noted.pk).update(**columns)
    assert against(run) == ["credential"]


def test_a_sweeper_that_is_dead(run: Run) -> None:
    Process.objects.filter(kind="sweeper").update(seen_at=Now() - timedelta(minutes=9))
    assert against(run) == ["machinery"]


def test_a_queue_that_cannot_be_reached(run: Run, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert against(run) == ["machinery"]


def test_what_they_say_together() -> None:
    no, yes = Answer(ok=False, said="It is not due."), Answer(ok=True, said="Fine.")
    told: Callable[..., str] = lambda *given, late=False: answers.told(  # noqa: E731
        [Check("x", "X?", each) for each in given], is_late=late
    )
    assert told(yes, no) == "It is not due."
    assert told(no, no).startswith("2 things keep it; the first: It is not due.")
    assert told(yes) == "Nothing keeps it."
    assert "longer than expected" in told(yes, late=True)


def test_the_page_and_each_question_answer_with_nothing_alive(
    engine: Bench, run: Run, settings: Settings
) -> None:
    """The web process alone: no worker, no sweeper, no queue."""
    Process.objects.all().delete()
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    client = signed_in(engine.starter)
    said = words(client.get(page_of(engine, run, "why/")))
    assert "2 things keep it; the first: No worker is alive." in said
    assert "No sweeper is alive" in said
    for name in asking.QUESTIONS:
        page = client.get(page_of(engine, run, f"why/{name}/"))
        assert page.status_code == 200
        assert str(asking.QUESTIONS[name][0]) in words(page)
    assert client.get(page_of(engine, run, "why/nonsense/")).status_code == 404


def test_a_stranger_is_told_nothing(engine: Bench, run: Run) -> None:
    client = signed_in(cy())
    assert client.get(page_of(engine, run, "why/")).status_code == 404
    assert client.get(page_of(engine, run, "why/due/")).status_code == 404
    assert client.post(page_of(engine, run, "revocation/"), {"reason": "x"}).status_code == 404


def test_a_stuck_run_shows_the_answers_on_its_own_page(engine: Bench, run: Run) -> None:
    client: Client = signed_in(engine.starter)
    assert (
        f'hx-get="{page_of(engine, run, "why/")}"'
        not in client.get(page_of(engine, run)).content.decode()
    )
    past(run.pk, due_at=9999)
    assert (
        f'hx-get="{page_of(engine, run, "why/")}"'
        in client.get(page_of(engine, run)).content.decode()
    )
