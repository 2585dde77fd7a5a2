"""The impact of a move on what waits: counted from the record, and read with the candidate's code."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from checkpoints.models import Run, Successor
from checkpoints.registry import combo_of
from releases.gates import standing
from releases.impact import reading, telling
from releases.impact.reading import Impact
from releases.models import Release
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.execution import next_agents
from tests.releases.pools import newer_code, older_code, paused, worker_of
from tests.releases.traffic import Traffic

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting(engine: Bench) -> list[Run]:
    """Four questions wait; the newer code reads two of the runs, and has the tools of three."""
    return [
        paused(engine, "a"),
        paused(engine, "b"),
        paused(engine, "c", steps=3),
        paused(engine, "d", tool=next_agents.GONE),
    ]


def newer(releases: Traffic, settings: Settings) -> Release:
    old = combo_of("steps")
    return releases.begin(combo=newer_code(settings), stable=old)


def said(found: Impact) -> str:
    told = found.as_json()
    return f"{telling.questions(told['questions'])} {telling.runs(told['runs'])}"


def test_another_prompt_of_the_same_code_touches_nothing(
    releases: Traffic, waiting: list[Run]
) -> None:
    found = reading.of_move(releases.begin(), standing.PROMOTE)
    assert said(found) == ("4 pending approvals: 4 unaffected. 4 of 4 paused runs can resume.")
    assert (found.groups, found.blocked) == ([], [])


def test_a_promotion_to_other_code_says_what_goes_on_and_names_the_rest(
    releases: Traffic, waiting: list[Run], settings: Settings
) -> None:
    worker_of(waiting[0].combo)
    found = reading.of_move(newer(releases, settings), standing.PROMOTE)
    assert said(found) == (
        "4 pending approvals: 2 need a new dry run, 2 void."
        " 2 of 4 paused runs can resume; 2 blocked by version."
    )
    assert {run.pk for run in found.blocked} == {waiting[2].pk, waiting[3].pk}
    [group] = found.groups
    assert not group.is_succeeded
    assert (group.combo, group.runs, group.questions, group.workers) == (
        waiting[0].combo,
        4,
        4,
        1,
    )


def test_a_declared_successor_says_that_it_takes_them_over(
    releases: Traffic, waiting: list[Run], settings: Settings
) -> None:
    release = newer(releases, settings)
    Successor.objects.create(combo=release.candidate, of=waiting[0].combo, declared_by="a deployer")
    [group] = reading.of_move(release, standing.PROMOTE).groups
    assert group.is_succeeded


def test_a_canary_leaves_the_workers_of_the_older_code(
    releases: Traffic, waiting: list[Run], settings: Settings
) -> None:
    release = newer(releases, settings)
    assert "2 blocked by version" in said(reading.of_move(release, standing.WIDEN))
    worker_of(waiting[0].combo)
    found = reading.of_move(release, standing.WIDEN)
    assert said(found).endswith("4 of 4 paused runs can resume.")
    assert "4 unaffected" in said(found)


def test_a_process_without_the_candidates_code_does_not_guess(
    releases: Traffic, waiting: list[Run], settings: Settings
) -> None:
    release = newer(releases, settings)
    older_code(settings)
    found = reading.of_move(release, standing.PROMOTE)
    assert found.as_json()["runs"] == {"all": 4, "can": 0, "blocked": 0, "untold": 4}
    assert "nobody can tell of here" in said(found)


def test_runs_that_ended_and_shadows_do_not_wait(releases: Traffic, waiting: list[Run]) -> None:
    with by_force():
        Run.objects.filter(pk=waiting[0].pk).update(mode="shadow")
    found = reading.of_move(releases.begin(), standing.PROMOTE)
    assert (found.questions.all, found.runs.all) == (3, 3)


def test_118_of_120_paused_runs_can_resume(
    engine: Bench, releases: Traffic, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PATIENCE_SECONDS", 600.0)
    blocked = [paused(engine, what, steps=3) for what in ("a", "b")]
    for n in range(118):
        engine.start(steps=1, what=f"run {n}")
    found = reading.of_move(newer(releases, settings), standing.PROMOTE)
    assert said(found).endswith("118 of 120 paused runs can resume; 2 blocked by version.")
    assert {run.pk for run in found.blocked} == {run.pk for run in blocked}
    assert (found.read, found.to_read) == (120, 120)


@pytest.mark.parametrize("bound", ["READ", "PATIENCE_SECONDS"])
def test_more_runs_are_read_up_to_a_bound_and_the_rest_is_said(
    releases: Traffic,
    waiting: list[Run],
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    bound: str,
) -> None:
    release = newer(releases, settings)
    assert (whole := reading.of_move(release, standing.PROMOTE)).read == whole.to_read == 4
    monkeypatch.setattr(reading, bound, 1 if bound == "READ" else 0.0)
    part = reading.of_move(release, standing.PROMOTE)
    assert (part.read, part.to_read) == (1, 4)
    found = part.as_json()
    assert found["runs"] == {"all": 4, "can": 0, "blocked": 1, "untold": 3}
    assert found["questions"]["untold"] == 3


def test_that_more_waits_than_was_counted_is_said(
    releases: Traffic, waiting: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    release = releases.begin()
    assert not reading.of_move(release, standing.PROMOTE).is_cut
    monkeypatch.setattr("releases.impact.waiting.COUNTED_TO", 3)
    assert reading.of_move(release, standing.PROMOTE).is_cut


def test_what_keeps_its_code_is_counted_in_few_statements(
    releases: Traffic, waiting: list[Run]
) -> None:
    release = releases.begin()
    with CaptureQueriesContext(connection) as queries:
        reading.of_move(release, standing.PROMOTE)
    assert len(queries) <= 8


def test_the_counts_of_its_moment_are_kept_beside_a_move(
    releases: Traffic, waiting: list[Run]
) -> None:
    release = releases.move(releases.begin(), standing.BEGIN)
    assert release.moves.get().beside == {}
    releases.climb()
    move = releases.propose(release, standing.WIDEN, 1_000)
    assert move.beside["runs"]["all"] == 4
    assert "beside" not in bytes(move.shown).decode()
