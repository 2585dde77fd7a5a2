"""What stands, counted: per combo and currency, never more than one page's few statements, and back again."""

from datetime import timedelta

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from canonical.redaction import ours
from checkpoints import cases, claims
from checkpoints.claims import PROBLEM, Subject
from checkpoints.errors import HeldByAnotherError, IllegalMoveError
from checkpoints.models import Combo, Run
from execution.problems import changing, models, reading, sorting
from execution.problems.changing import Snooze
from execution.problems.models import Problem, ProblemChange, ProblemRun
from tenants import clock
from tenants.errors import Denied
from tenants.models import AuditRow
from tests.checkpoints.records import refused
from tests.engine.turns import Bench
from tests.execution.problems.making import (
    combo,
    decided,
    failed,
    held,
    measured,
    moved,
    only,
    retrying,
)
from tests.people import bob, eve, make_tenant

pytestmark = pytest.mark.django_db(transaction=True)


def state(engine: Bench) -> str:
    return only(engine).state(clock.now())


def own_combo(run: Run) -> Combo:
    return Run.objects.select_related("combo").get(pk=run.pk).combo


def test_amounts_are_summed_by_currency_in_minor_units(engine: Bench) -> None:
    for amount, currency in ((1200, "EUR"), (55, "EUR"), (900, "JPY")):
        measured(held(engine).run_id, amount=amount, currency=currency, recipients=2)
    found = only(engine)
    assert found.all.money == {"EUR": 1255, "JPY": 900}
    assert (found.all.recipients, found.all.worst_amount) == (6, 1255)


def test_one_problem_is_counted_by_combo(engine: Bench) -> None:
    first, second = failed(engine), failed(engine)
    other = combo("other")
    moved(second, other)
    found = only(engine)
    assert {each: tally.runs for each, tally in found.by_combo.items()} == {
        first.combo_id: 1,
        other.pk: 1,
    }


def test_nothing_of_another_tenant_is_counted(engine: Bench) -> None:
    held(engine)
    problem = only(engine).problem
    other = make_tenant("elsewhere")
    assert reading.standings(other) == []
    with pytest.raises(Problem.DoesNotExist):
        reading.problem_of(other, problem.fingerprint)


def test_many_problems_cost_as_many_statements_as_one(
    engine: Bench, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    held(engine)
    sorting.sort()
    with django_assert_max_num_queries(4) as few:
        reading.standings(engine.tenant)
    for n in range(4):
        held(engine, f"error {'abcde'[n] * 3}")
    sorting.sort()
    with django_assert_max_num_queries(len(few.captured_queries)):
        assert len(reading.standings(engine.tenant)) == 5


def test_a_snooze_until_a_time_hides_it_until_then(engine: Bench) -> None:
    held(engine)
    until = clock.now() + timedelta(hours=1)
    changing.snooze(only(engine).problem, Snooze(until=until), reason="later", user=engine.starter)
    assert only(engine).state(clock.now()) == models.SNOOZED
    assert only(engine).state(until) == "open"


def test_a_snooze_up_to_a_rate_comes_back_above_it(engine: Bench) -> None:
    held(engine)
    changing.snooze(only(engine).problem, Snooze(rate=2), reason="noise", user=engine.starter)
    held(engine)
    assert state(engine) == models.SNOOZED
    held(engine)
    assert state(engine) == "open"


def test_a_snooze_is_ended_by_a_person_too(engine: Bench) -> None:
    held(engine)
    changing.snooze(only(engine).problem, Snooze(rate=9), reason="noise", user=engine.starter)
    changing.wake(only(engine).problem, reason="it matters", user=engine.starter)
    assert state(engine) == "open"
    with pytest.raises(IllegalMoveError):
        changing.wake(only(engine).problem, reason="again", user=engine.starter)


@pytest.mark.parametrize("days", [-1, 31])
def test_a_snooze_is_for_a_time_to_come_and_never_for_ever(engine: Bench, days: int) -> None:
    held(engine)
    problem = only(engine).problem
    until = clock.now() + timedelta(days=days)
    with pytest.raises(IllegalMoveError):
        changing.snooze(problem, Snooze(until=until), reason="later", user=engine.starter)
    with pytest.raises(IllegalMoveError):
        changing.snooze(problem, Snooze(), reason="for ever", user=engine.starter)


def test_resolved_in_a_combo_covers_what_failed_there_before(engine: Bench) -> None:
    run = failed(engine)
    changing.resolve(only(engine).problem, own_combo(run), reason="mended", user=engine.starter)
    found = only(engine)
    assert found.state(clock.now()) == models.RESOLVED
    assert (found.all.runs, found.covered.runs) == (0, 1)


def test_it_comes_back_when_it_recurs_after_that(engine: Bench) -> None:
    run = failed(engine)
    changing.resolve(only(engine).problem, own_combo(run), reason="mended", user=engine.starter)
    failed(engine)
    found = only(engine)
    assert found.state(clock.now()) == "open"
    assert (found.all.runs, found.covered.runs) == (1, 1)


def test_it_comes_back_when_it_recurs_in_another_combo(engine: Bench) -> None:
    run, second = failed(engine), failed(engine)
    moved(second, combo("other"))
    changing.resolve(only(engine).problem, own_combo(run), reason="mended", user=engine.starter)
    assert state(engine) == "open"
    assert only(engine).all.runs == 1


def test_a_resolution_can_be_taken_back(engine: Bench) -> None:
    run = failed(engine)
    problem = only(engine).problem
    changing.resolve(problem, own_combo(run), reason="mended", user=engine.starter)
    changing.reopen(problem, own_combo(run), reason="it was not", user=engine.starter)
    assert state(engine) == "open"
    with pytest.raises(IllegalMoveError):
        changing.reopen(problem, own_combo(run), reason="twice", user=engine.starter)


def test_a_word_closes_nothing_that_needs_a_person(engine: Bench) -> None:
    case = held(engine)
    problem, there = only(engine).problem, own_combo(case.run)
    with pytest.raises(IllegalMoveError, match="not over"):
        changing.resolve(problem, there, reason="away with it", user=engine.starter)
    decided(case, engine)
    with pytest.raises(IllegalMoveError, match="not over"):
        changing.resolve(problem, there, reason="it is decided", user=engine.starter)


def test_a_word_closes_nothing_that_is_tried_again(engine: Bench) -> None:
    lease = retrying(engine)
    there = own_combo(Run.objects.get(pk=lease.run_id))
    with pytest.raises(IllegalMoveError, match="not over"):
        changing.resolve(only(engine).problem, there, reason="away", user=engine.starter)


def test_nothing_is_resolved_in_a_combo_that_has_none_of_it(engine: Bench) -> None:
    failed(engine)
    with pytest.raises(IllegalMoveError):
        changing.resolve(only(engine).problem, combo("x"), reason="done", user=engine.starter)


def test_every_change_needs_the_right_a_reason_and_leaves_an_audit_row(engine: Bench) -> None:
    held(engine)
    problem = only(engine).problem
    with pytest.raises(Denied):
        changing.snooze(problem, Snooze(rate=1), reason="no", user=bob(engine.tenant))
    with pytest.raises(IllegalMoveError):
        changing.snooze(problem, Snooze(rate=1), reason="  ", user=engine.starter)
    assert not ProblemChange.objects.exists()
    changing.snooze(problem, Snooze(rate=1), reason="noise", user=engine.starter)
    row = AuditRow.objects.get(verb="snoozed problem")
    assert (row.subject, row.detail["reason"]) == (f"problem {problem.pk}", "noise")


def test_what_another_is_at_is_left_to_them(engine: Bench) -> None:
    held(engine)
    problem = only(engine).problem
    claims.claim(Subject(engine.tenant, PROBLEM, problem.fingerprint), user=eve(engine.tenant))
    with pytest.raises(HeldByAnotherError):
        changing.snooze(problem, Snooze(rate=1), reason="noise", user=engine.starter)


def test_what_people_did_about_a_problem_is_only_added_to(engine: Bench) -> None:
    held(engine)
    changing.snooze(only(engine).problem, Snooze(rate=1), reason="noise", user=engine.starter)
    with refused("only ever added"):
        ProblemChange.objects.update(reason="else")
    with connection.cursor() as cursor, refused("only ever added"):
        cursor.execute("DELETE FROM execution_problemchange")


def test_a_change_says_for_what(engine: Bench) -> None:
    held(engine)
    problem = only(engine).problem
    said = {"tenant": engine.tenant, "problem": problem, "by": engine.starter, "reason": "x"}
    for what in (models.SNOOZED, models.RESOLVED, models.REOPENED):
        with refused("a_change_of_a_problem_says_for_what"):
            ProblemChange.objects.create(what=what, **said)
    with refused("a_change_of_a_problem_has_a_reason"):
        ProblemChange.objects.create(what=models.WOKEN, **{**said, "reason": ""})


def test_run_ids_are_those_that_count_newest_first(engine: Bench) -> None:
    first, second = held(engine), held(engine)
    problem = only(engine).problem
    assert reading.run_ids(problem, most=5) == [second.run_id, first.run_id]
    assert reading.run_ids(problem, most=1) == [second.run_id]
    assert reading.run_ids(problem, combo_id=combo("x").pk, most=5) == []
    assert ProblemRun.objects.count() == 2


def test_what_nobody_has_sorted_in_yet_counts_too(engine: Bench) -> None:
    """The sweeper may be dead: a page that was asked for now says what is so now."""
    measured(held(engine).run_id, amount=500, currency="EUR")
    held(engine, "something else")
    case = held(engine)
    decided(case, engine)
    found = {each.problem.error: each.all for each in reading.standings(engine.tenant)}
    assert {error: (tally.runs, tally.decided) for error, tally in found.items()} == {
        "no answer": (2, 1),
        "something else": (1, 0),
    }
    assert found["no answer"].money["EUR"] == 500
    problem = reading.problem_of(engine.tenant, case.fingerprint)
    assert reading.standing(problem, engine.tenant).all.runs == 2
    before = list(ProblemRun.objects.values_list("pk", "over_at"))
    sorting.sort()
    sorted_in = {each.problem.error: each.all.runs for each in reading.standings(engine.tenant)}
    assert sorted_in == {"no answer": 2, "something else": 1}
    assert len(before) == 1


def test_a_problem_that_is_over_is_gone_before_it_is_sorted_out(engine: Bench) -> None:
    case = held(engine)
    sorting.sort()
    decided(case, engine)
    cases.close_proven(case.run_id, because=ours("it committed past it"))
    assert reading.standings(engine.tenant) == []
