"""Problems by combo: which came with which change, and a plan for exactly the runs of a cell."""

import re

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from checkpoints.models import Combo, Run
from checkpoints.registry import combo_of
from execution.plans import sources
from execution.problems import sorting
from execution.problems.stuck import STUCK
from releases.matrix import reading
from tests.checkpoints.combos import another
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.execution.pages.visits import signed_in, words
from tests.execution.problems.making import failed, held, past, retrying
from tests.people import bob, make_tenant
from tests.releases.traffic import Traffic

pytestmark = pytest.mark.django_db


def under(run: Run, combo: Combo) -> None:
    """Let a run be of another combo."""
    with by_force():
        Run.objects.filter(pk=run.pk).update(combo=combo)


@pytest.fixture
def world(engine: Bench, releases: Traffic) -> tuple[Combo, Combo]:
    """One problem known before the candidate, and one that came with it."""
    old, new = combo_of("steps"), releases.candidate
    known = held(engine, "known").run
    under(known, old)
    sorting.sort()
    came, too = held(engine, "came").run, held(engine, "known").run
    for run in (came, too):
        under(run, new)
    sorting.sort()
    return old, new


def table(engine: Bench) -> reading.Matrix:
    ids = [combo.pk for combo in reading.offered(engine.tenant, "steps")]
    return reading.matrix(engine.tenant, "steps", ids)


def test_a_cell_counts_its_runs_and_says_what_came_with_the_change(
    engine: Bench, world: tuple[Combo, Combo]
) -> None:
    found = table(engine)
    assert [column.combo for column in found.columns] == list(world)
    [_, change] = [column.change for column in found.columns]
    assert change is not None
    assert change.words.startswith("prompt think ")
    rows = {tuple(cell.runs for cell in row.cells): row for row in found.rows}
    assert set(rows) == {(1, 1), (0, 1)}
    known, came = rows[1, 1], rows[0, 1]
    assert [cell.is_new for cell in came.cells] == [False, True]
    assert [cell.is_new for cell in known.cells] == [True, False]
    assert re.fullmatch(r"\d+ ms|[\d.]+ s", came.cells[1].after)
    assert (known.elsewhere, found.left_out) == (0, 0)


def test_a_cell_leads_to_a_plan_for_exactly_its_runs(
    engine: Bench, world: tuple[Combo, Combo]
) -> None:
    page = signed_in(engine.starter).get(
        reverse("problem_matrix", args=[engine.tenant.slug]) + "?task=steps"
    )
    said = words(page)
    assert "first seen" in said
    assert "after prompt think" in said
    assert "known before this combo" in said
    links = re.findall(r'href="([^"]*/plans/new/\?[^"]+)"', page.content.decode())
    assert len(links) == 3
    for link in links:
        plan = signed_in(engine.starter).get(link.replace("&amp;", "&"))
        assert "1 run of one problem" in words(plan)


def test_what_is_stuck_is_planned_by_combo_too(engine: Bench, releases: Traffic) -> None:
    new = releases.candidate
    leases = [retrying(engine) for _ in range(3)]
    runs = [past(lease.run_id, due_at=3_000) for lease in leases]
    for run in runs[1:]:
        under(run, new)
    [row] = [row for row in table(engine).rows if row.line.problem.kind == STUCK]
    assert [cell.runs for cell in row.cells] == [1, 2]
    for cell, meant in zip(row.cells, (runs[:1], runs[1:]), strict=True):
        chosen = sources.chosen(engine.tenant, QueryDict(cell.plan.removeprefix("?")))
        assert {target.run_id for target in chosen.targets} == {run.pk for run in meant}
        assert chosen.kinds == ("try_again", "cancel")


def test_who_may_not_plan_sees_the_number_alone(engine: Bench, world: tuple[Combo, Combo]) -> None:
    page = signed_in(bob(engine.tenant)).get(
        reverse("problem_matrix", args=[engine.tenant.slug]) + "?task=steps"
    )
    assert b"/plans/new/" not in page.content
    assert "1 run" in words(page)


def test_combos_are_chosen_and_the_rest_is_counted(
    engine: Bench, world: tuple[Combo, Combo]
) -> None:
    found = reading.matrix(engine.tenant, "steps", [world[1].pk])
    assert [len(row.cells) for row in found.rows] == [1, 1]
    assert sorted(row.elsewhere for row in found.rows) == [0, 1]
    assert found.columns[0].change is None


def test_without_a_problem_the_page_says_so(engine: Bench) -> None:
    combo_of("steps")
    client = signed_in(engine.starter)
    where = reverse("problem_matrix", args=[engine.tenant.slug])
    assert "No problem of this task is open" in words(client.get(f"{where}?task=steps"))
    wrong = client.get(f"{where}?task=nothing&combo=x&combo=99")
    assert wrong.status_code == 200


def test_more_problems_take_no_more_statements(engine: Bench, world: tuple[Combo, Combo]) -> None:
    few = statements(engine)
    for number in range(5):
        failed(engine, f"trouble {'abcde'[number]}")
    sorting.sort()
    assert statements(engine) <= few + 1 <= 40


def statements(engine: Bench) -> int:
    with CaptureQueriesContext(connection) as queries:
        table(engine)
    return len(queries)


def test_another_tenants_combos_and_problems_are_not_there(
    engine: Bench, world: tuple[Combo, Combo]
) -> None:
    foreign = make_tenant("elsewhere")
    another("steps", "unused")
    ids = [combo.pk for combo in reading.offered(foreign, "steps")]
    assert reading.matrix(foreign, "steps", ids).rows == []
