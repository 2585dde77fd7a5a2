"""Stuck follows from the row of a run and what is expected of its state: never stored, over by itself."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from pytest_django import DjangoAssertNumQueries, Settings

from checkpoints import registry, states
from checkpoints.desk.ages import target_of
from checkpoints.models import Run
from execution.problems import ages, sorting, stuck
from execution.problems.models import Problem, ProblemRun
from tests.engine.turns import Bench
from tests.execution.problems.making import failed, held, leased, past, retrying
from tests.people import make_tenant
from tests.reconciliation.deskwork import guards_off

pytestmark = pytest.mark.django_db(transaction=True)


def there(engine: Bench) -> list[tuple[str, str, int]]:
    return [
        (each.problem.node, each.problem.error, each.all.runs)
        for each in stuck.standings(engine.tenant)
    ]


def test_a_run_that_nobody_takes_up_is_stuck(engine: Bench) -> None:
    run = engine.start(steps=1)
    assert there(engine) == []
    past(run.pk, due_at=ages.USUAL["started"] + 5)
    assert there(engine) == [("look", "started", 1)]


def test_a_run_at_work_without_a_commit_is_stuck(engine: Bench) -> None:
    lease = leased(engine)
    run = past(lease.run_id, created_at=900, woken_at=900)
    assert there(engine) == [("look", "working", 1)]
    late = stuck.late(run)
    assert late is not None
    assert late.is_stuck


def test_a_run_just_taken_up_is_not_stuck_however_old_its_head_is(engine: Bench) -> None:
    lease = leased(engine)
    run = past(lease.run_id, created_at=90_000, progressed_at=90_000)
    late = stuck.late(run)
    assert late is not None
    assert not late.is_stuck
    assert there(engine) == []


def test_what_a_node_declares_outweighs_the_table(
    engine: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = registry.graph_of("steps")
    slow = replace(graph.nodes["look"], deadline_seconds=3600)
    monkeypatch.setitem(graph.nodes, "look", slow)
    lease = leased(engine)
    run = past(lease.run_id, created_at=1800, woken_at=1800)
    assert there(engine) == []
    late = stuck.late(run)
    assert late is not None
    assert (late.is_stuck, late.expected) == (False, 3600)
    past(lease.run_id, created_at=3700, woken_at=3700)
    assert there(engine) == [("look", "working", 1)]


def test_an_installation_says_its_own_ages(engine: Bench, settings: Settings) -> None:
    run = engine.start(steps=1)
    past(run.pk, due_at=30)
    assert there(engine) == []
    settings.KEDGE_EXPECTED_AGES = {"started": 10}
    assert there(engine) == [("look", "started", 1)]


def test_an_installation_says_its_own_ages_of_a_node(engine: Bench, settings: Settings) -> None:
    run = past(engine.start(steps=1).pk, due_at=100)
    settings.KEDGE_EXPECTED_AGES = {"steps/look/started": 90, "steps/count/started": 5}
    assert there(engine) == [("look", "started", 1)]
    late = stuck.late(run)
    assert late is not None
    assert (late.is_stuck, late.expected) == (True, 90)
    settings.KEDGE_EXPECTED_AGES = {"started": 10, "steps/look/started": 110}
    assert there(engine) == []
    assert stuck.late(run).expected == 110  # type: ignore[union-attr]


def test_a_run_that_waits_as_designed_is_not_stuck(engine: Bench) -> None:
    retrying(engine)
    engine.start(steps=1, tool="fake.void", what="a")
    engine.turn()
    assert there(engine) == []


def test_a_run_that_waits_for_an_answer_too_long_is_stuck(engine: Bench) -> None:
    run = engine.start(steps=1, tool="fake.void", what="a")
    engine.turn()
    with guards_off():
        Run.objects.filter(pk=run.pk).update(id="00000000-0000-7000-8000-000000000001")
        ago = Now() - timedelta(days=2)
        Run.objects.update(created_at=ago, progressed_at=ago, woken_at=ago, due_at=None)
    assert there(engine) == [("act", states.FOR_APPROVAL, 1)]


def test_a_wait_whose_time_has_come_and_gone_is_stuck(engine: Bench) -> None:
    lease = retrying(engine)
    past(lease.run_id, due_at=ages.USUAL[ages.DUE] + 5)
    assert there(engine) == [("look", states.FOR_RETRY, 1)]
    late = stuck.late(Run.objects.get(pk=lease.run_id))
    assert late is not None
    assert late.is_stuck


def test_what_is_held_or_over_is_not_stuck(engine: Bench) -> None:
    for run in (held(engine).run_id, failed(engine).pk):
        past(run, created_at=999_999, progressed_at=999_999)
    assert there(engine) == []
    assert stuck.late(Run.objects.get(status="failed")) is None


def test_a_case_has_its_target_as_its_age(engine: Bench) -> None:
    case = held(engine)
    late = stuck.late(past(case.run_id, created_at=999_999))
    assert late is not None
    assert late.expected == target_of(states.OUTCOME_UNKNOWN).total_seconds()


def test_alike_ones_are_one_problem_and_others_are_not(engine: Bench) -> None:
    for _ in range(3):
        past(engine.start(steps=1).pk, due_at=900)
    past(engine.start("strict", steps=1).pk, due_at=900)
    found = stuck.standings(engine.tenant)
    assert sorted((each.problem.task_type, each.all.runs) for each in found) == [
        ("steps", 3),
        ("strict", 1),
    ]
    problem = next(each.problem for each in found if each.all.runs == 3)
    assert len(stuck.members(problem)) == 3
    assert stuck.standings(make_tenant("elsewhere")) == []


def test_nothing_of_it_is_stored_and_it_is_over_by_itself(
    engine: Bench, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    run = engine.start(steps=1)
    past(run.pk, due_at=900)
    with django_assert_max_num_queries(2):
        assert there(engine) != []
    sorting.sort()
    assert not Problem.objects.exists()
    assert not ProblemRun.objects.exists()
    engine.turn()
    assert there(engine) == []


def test_every_reason_that_is_not_final_has_an_age() -> None:
    known = {reason for status in states.LIVE for reason in states.REASONS[status]}
    waiting = known - set(states.CASE_KINDS)
    assert {
        at: ages.expected(ages.At("t", "n", at), nodes={}) > 0 for at in waiting
    } == dict.fromkeys(waiting, True)
