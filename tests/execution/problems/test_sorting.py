"""Which runs count to which problem: by what the record says, whoever changed it, and until it is over."""

import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from pytest_django import Settings

from canonical.redaction import ours
from checkpoints import cases, runs, states
from checkpoints.models import Case, Run
from execution.problems import reading, sorting
from execution.problems.models import Problem, ProblemRun, Unsorted
from reconciliation.models import Action
from tests.checkpoints.records import refused
from tests.engine.turns import Bench
from tests.execution.problems.making import (
    WORKER,
    decided,
    failed,
    held,
    leased,
    only,
    retrying,
)
from tests.people import make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


def counted() -> list[str]:
    sorting.sort()
    return list(
        ProblemRun.objects.filter(ProblemRun.OPEN).order_by("id").values_list("what", flat=True)
    )


def test_cases_with_one_fingerprint_are_one_problem(engine: Bench) -> None:
    held(engine, "order 1 is gone")
    case = held(engine, "order 2 is gone")
    found = only(engine)
    assert found.problem.fingerprint == case.fingerprint
    assert (found.problem.kind, found.problem.error) == ("outcome_unknown", "order <n> is gone")
    assert (found.all.runs, found.all.undecided) == (2, 2)


def test_another_kind_or_error_is_another_problem(engine: Bench) -> None:
    held(engine, "HTTP 503")
    held(engine, "HTTP 404")
    held(engine, "HTTP 503", states.CRASH_LOOP)
    sorting.sort()
    assert len(reading.standings(engine.tenant)) == 3


def test_a_failed_run_counts_with_its_stop_reason(engine: Bench) -> None:
    failed(engine, "order 7 broke")
    failed(engine, "order 8 broke")
    found = only(engine)
    assert (found.problem.kind, found.all.runs, found.all.failed) == (states.CONDITION_UNMET, 2, 2)


def test_a_retry_counts_until_the_run_has_committed_past_it(engine: Bench) -> None:
    lease = retrying(engine)
    assert counted() == ["retry"]
    Run.objects.filter(pk=lease.run_id).update(due_at="2020-01-01T00Z")
    again = engine.acquire()
    assert counted() == ["retry"]  # between two tries it is not over
    runs.retry_later(again, ours("HTTP 503"), seconds=3600)
    Run.objects.filter(pk=lease.run_id).update(due_at="2020-01-01T00Z")
    again = engine.acquire()
    assert counted() == ["retry"]  # nor when it was noted while it waited and is sorted at work
    runs.yield_to_others(again)
    assert counted() == ["retry"]
    engine.turn()
    assert counted() == []
    assert Problem.objects.count() == 1


def test_an_outcome_that_is_asked_for_counts_and_keeps_its_problem_as_a_case(
    engine: Bench, settings: Settings
) -> None:
    run = engine.start(steps=1, tool="fake.look_up", what="a")
    engine.turn()
    lost, silent = engine.fault("drop_answer"), engine.fault("silent")
    engine.decide(run)
    engine.turn()
    lost.unlink()
    found = only(engine)
    assert (found.all.runs, found.all.unknown) == (1, 1)
    action = Action.objects.get(run=run)
    assert ProblemRun.objects.get().action_id == action.pk
    settings.KEDGE_PATIENCE_SECONDS = 0
    Run.objects.filter(pk=run.pk).update(due_at="2020-01-01T00Z")
    engine.turn()
    assert Case.objects.get(run=run).kind == states.OUTCOME_UNKNOWN
    same = only(engine)
    assert same.problem.pk == found.problem.pk
    assert (same.all.runs, same.all.unknown, same.all.undecided) == (1, 0, 1)
    silent.unlink()


def test_an_outcome_nobody_can_ask_for_behind_a_closed_door_counts_too(engine: Bench) -> None:
    run = engine.start(steps=1, tool="fake.look_up", what="a")
    engine.turn()
    faults = engine.fault("drop_answer"), engine.fault("silent")
    engine.decide(run)
    engine.turn()
    sorting.sort()
    ProblemRun.objects.all().delete()
    Run.objects.filter(pk=run.pk).update(status="waiting", reason=states.FOR_DOOR, due_at=None)
    assert counted() == ["unknown"]
    Action.objects.filter(run=run).update(outcome="")
    ProblemRun.objects.all().delete()
    Run.objects.filter(pk=run.pk).update(status="waiting", reason=states.FOR_DOOR)
    assert counted() == []  # nothing was sent: it waits as designed
    for fault in faults:
        fault.unlink()


def test_a_case_that_is_decided_counts_as_not_proven_until_it_closes(engine: Bench) -> None:
    case = held(engine)
    decided(case, engine)
    found = only(engine)
    assert (found.all.undecided, found.all.decided) == (0, 1)
    cases.close_proven(case.run_id, because=ours("it committed past it"))
    assert counted() == []


def test_what_is_rolled_back_is_not_counted(engine: Bench) -> None:
    lease = leased(engine)
    with transaction.atomic():
        runs.hold(lease, cases.Trouble(states.CRASH_LOOP, ours("It broke.")), actor=WORKER)
        transaction.set_rollback(True)
    assert counted() == []
    assert not Unsorted.objects.exists()


def test_sorting_twice_counts_once(engine: Bench) -> None:
    case = held(engine)
    assert sorting.sort() == 1
    assert sorting.sort() == 0
    Unsorted.objects.create(tenant=engine.tenant, run_id=case.run_id)
    sorting.sort()
    assert ProblemRun.objects.count() == 1


def test_a_run_that_is_not_there_any_more_is_no_obstacle(engine: Bench) -> None:
    Unsorted.objects.create(tenant=engine.tenant, run_id=uuid4())
    assert sorting.sort() == 1
    assert not Unsorted.objects.exists()


def test_whoever_comes_second_leaves_it_to_the_first(engine: Bench) -> None:
    held(engine)
    seen: list[int] = []

    def second() -> None:
        seen.append(sorting.sort())
        connection.close()

    with transaction.atomic():
        sorting.sort()
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert seen == [0]
    assert counted() == ["case"]


def test_a_page_sorts_its_own_tenant_only(engine: Bench) -> None:
    held(engine)
    assert sorting.sort(tenant_id=make_tenant("elsewhere").pk) == 0
    assert sorting.sort(tenant_id=engine.tenant.pk) == 1


def test_old_failures_are_history(engine: Bench) -> None:
    failed(engine)
    sorting.sort()
    ProblemRun.objects.update(since=Now() - timedelta(days=8))
    assert counted() == []


def test_a_run_counts_to_one_problem_at_a_time(engine: Bench) -> None:
    held(engine)
    sorting.sort()
    row = ProblemRun.objects.get()
    row.pk = None
    with refused("a_run_counts_to_one_problem_at_a_time"):
        row.save(force_insert=True)


def test_a_run_never_counts_to_a_problem_of_another_tenant(engine: Bench) -> None:
    held(engine)
    sorting.sort()
    row = ProblemRun.objects.get()
    row.pk, row.run_id, row.tenant = None, uuid4(), make_tenant("elsewhere")
    with refused("the problem is another tenant's"):
        row.save(force_insert=True)


def test_what_a_problem_is_never_changes(engine: Bench) -> None:
    held(engine)
    sorting.sort()
    with refused("what a problem is never changes"):
        Problem.objects.update(kind="crash_loop")
    with refused("what a problem is never changes"):
        Problem.objects.all()._raw_delete(using="default")
