"""The System page says which code each worker can run, and the run it is at where that may be seen."""

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from checkpoints import runs
from checkpoints.graph import END, Context, State, To
from checkpoints.models import Run
from checkpoints.registry import codes, combo_of
from execution import announcing, processes, worker
from execution.models import Process
from execution.pages import machine, workers
from execution.pages.workers import Line
from tenants.actors import Actor
from tenants.keys import hiding
from tests.engine.turns import Bench
from tests.execution.graphs import single
from tests.execution.pages.visits import signed_in, words
from tests.forks import Child, fork
from tests.ground import wait_for
from tests.people import bob, make_tenant
from tests.releases.pools import newer_code, older_code, worker_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def code_of_before(settings: Settings) -> Iterator[None]:
    yield
    older_code(settings)


def lines(*tenants: int) -> list[Line]:
    return workers.lines(machine.processes(), seen=tenants)


def at(run: Run, name: str = "worker-1") -> None:
    """A worker says that it holds a run: by the holder, as it does."""
    run.refresh_from_db()
    processes.started(name, "worker", horse=7, holder=str(run.holder), codes=[])


def system(engine: Bench) -> str:
    return words(signed_in(engine.starter).get(reverse("system")))


def test_each_code_is_told_with_its_task_type(engine: Bench) -> None:
    processes.started("worker-1", "worker", codes=codes())
    processes.started("worker-2", "worker", codes=["00" * 32])
    first, second = lines()
    assert {code.digest for code in first.codes} == set(codes())
    assert {code.newest for code in first.codes} == {""}
    mine = announcing.code_of(combo_of("steps"))
    assert [code.task_type for code in first.codes if code.digest == mine] == ["steps"]
    assert [(code.task_type, code.newest) for code in second.codes] == [("", "")]
    said = system(engine)
    assert f"steps {mine[:12]}" in said
    assert "of no known combo 000000000000" in said
    assert "older: the newest" not in said


def test_what_is_older_than_the_newest_code_says_so(engine: Bench, settings: Settings) -> None:
    older = combo_of("steps")
    worker_of(older)
    newer = newer_code(settings)
    worker_of(newer)
    old, new = (announcing.code_of(each)[:12] for each in (older, newer))
    said = system(engine)
    assert f"steps {old} older: the newest is {new}" in said
    assert said.count("older: the newest is") == 1


def test_the_run_a_worker_is_at_is_shown_to_those_who_may_see_its_tenant(engine: Bench) -> None:
    run = engine.start()
    engine.acquire()
    at(run)
    assert [line.run for line in lines(engine.tenant.pk)] == [run]
    page = signed_in(engine.starter).get(reverse("system"))
    assert run.business_key in words(page)
    assert reverse("run", args=[engine.tenant.slug, run.pk]) in page.content.decode()


def test_a_run_of_another_tenant_is_not_shown(engine: Bench) -> None:
    run = engine.start()
    engine.acquire()
    at(run)
    other = make_tenant("other")
    assert [line.run for line in lines(other.pk)] == [None]
    page = signed_in(bob(other)).get(reverse("system"))
    assert "at work in process 7" in words(page)
    for told in (run.business_key, str(run.pk), engine.tenant.slug, str(run.holder)):
        assert told not in page.content.decode()


def test_a_run_that_was_taken_from_a_worker_is_no_longer_at_it(engine: Bench) -> None:
    run = engine.start()
    lease = engine.acquire()
    at(run)
    why = hiding.text("its worker is gone")
    runs.lapse(run.id, fence=lease.fence, why=why, actor=Actor.machine("sweeper"))
    engine.acquire()
    assert [line.run for line in lines(engine.tenant.pk)] == [None]
    assert run.business_key not in system(engine)


def test_a_worker_says_which_run_it_is_at(
    engine: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def until_seen(state: State, context: Context) -> To:
        while not (tmp_path / "seen").exists():
            time.sleep(0.01)
        return To(END, state)

    single(monkeypatch, until_seen)
    run = engine.start("odd")
    child: Child = fork(partial(worker.work, "test", burst=True))
    try:
        wait_for(lambda: any(line.run == run for line in lines(engine.tenant.pk)), "it is told")
        (tmp_path / "seen").touch()
        assert child.wait() == 0
    finally:
        child.end()
    assert not Process.objects.exists()


def test_many_workers_cost_no_more_questions_than_one(
    engine: Bench, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    processes.started("worker-0", "worker", codes=codes())
    with django_assert_max_num_queries(5) as few:
        lines(engine.tenant.pk)
    for n in range(1, 5):
        processes.started(f"worker-{n}", "worker", horse=n, holder=str(uuid4()), codes=codes())
    with django_assert_max_num_queries(len(few.captured_queries) + 1):
        lines(engine.tenant.pk)
