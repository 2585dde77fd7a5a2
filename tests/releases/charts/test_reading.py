"""The gates of a release under way are measured now, of one that is over they are as its last look saw them."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkpoints.models import Run
from releases import moving, watching
from releases.charts import reading
from releases.gates import standing
from releases.looks import taking
from releases.models import Release
from releases.pages import history
from releases.shadows import comparing
from tests.checkpoints.records import by_force
from tests.engine.turns import Bench
from tests.releases.looks.test_taking import POLICY, both, release
from tests.releases.numbers.test_diverging import compared
from tests.releases.shadows.beside import released, stage
from tests.releases.traffic import Traffic

__all__ = ["release"]
pytestmark = pytest.mark.django_db


def numbers(found: reading.Gates) -> tuple[Any, ...]:
    assert found.looks is not None
    return found.looks.taken, found.looks.all, found.looks.due_at, found.looks.ended


def test_a_canary_is_measured_now_and_nothing_is_decided_by_it(
    engine: Bench, release: Release
) -> None:
    both(engine, release, succeeded=4, failed=1)
    found = reading.gates(release)
    [gate] = found.gates
    assert (gate.candidate, gate.stable) == ("20.0 % of 5", "0.0 % of 5")
    assert gate.sentence.startswith("Not enough evidence: 5 of 6 runs that ended; 1")
    assert gate.chart is not None
    assert numbers(found) == (0, 2, 6, 5)
    assert found.is_live
    assert not release.looks.exists()
    assert {each.says for each in found.safety} == {"holds"}


def test_what_was_stopped_shows_what_its_last_look_saw(
    engine: Bench, releases: Traffic, release: Release
) -> None:
    both(engine, release, failed=12)
    watching._pace.forget()
    assert watching.watch() == 1
    release.refresh_from_db()
    both(engine, release, succeeded=5)
    found = reading.gates(release)
    assert found.gates[0].finding.verdict == "worse"
    assert (found.gates[0].candidate, found.is_live) == ("100.0 % of 12", False)
    assert found.looks is not None
    assert found.looks.because == "Failed"
    [stop, widen, begin] = history.of_release(release)
    assert (stop.by_machine, stop.who) == (True, "gates")
    assert stop.look == "look 2: stop"
    assert (begin.by_machine, widen.look) == (False, "no look since the move before it")
    drawn = history.drawn(release, [stop, widen, begin])
    assert drawn is not None
    assert [mark.kind for mark in drawn.marks] == ["machine", "stops"]


def test_a_look_that_allows_it_is_told_with_how_many_there_are(
    engine: Bench, release: Release
) -> None:
    both(engine, release, succeeded=9)
    taking.take_due(release.pk)
    found = reading.gates(release)
    assert numbers(found) == (1, 2, 12, 9)
    assert found.looks is not None
    assert (found.looks.newest and found.looks.newest.verdict) == "promote_allowed"


def test_shadows_that_differ_are_drawn_and_stop_it_at_the_look_that_is_due(
    engine: Bench, releases: Traffic, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = stage(engine, monkeypatch)
    demands = {"failure": {"margin": 0.5, "least": 1}, "divergence": {"margin": 0.1, "least": 3}}
    policy = {**POLICY, "measures": demands, "looks": [3]}
    release = released(releases, made, policy=policy)
    compared(made, release, *(comparing.DIFFERENT,) * 3)
    gate = reading.gates(release).gates[-1]
    assert (gate.finding.verdict, gate.candidate, gate.stable) == (
        "worse",
        "100.0 % of 3",
        "\N{EN DASH}",
    )
    assert (gate.worst, gate.best) == ("10.0 %", "")
    assert gate.sentence.startswith("Too many beyond doubt: ")
    assert gate.chart is not None
    assert (gate.chart.best, gate.chart.bar[1] <= gate.chart.worst) == (None, True)
    with by_force():
        Run.objects.filter(mode="shadow").update(status="succeeded", due_at=None)
    watching._pace.forget()
    assert watching.watch() == 1
    release.refresh_from_db()
    assert release.place == standing.STOPPED
    found = reading.gates(release)
    assert found.looks is not None
    assert found.looks.because == "Other effects than the live run"


def test_one_that_nobody_gets_yet_has_nothing_to_compare(releases: Traffic) -> None:
    assert reading.gates(releases.begin()).gates == ()


def test_a_policy_that_cannot_be_read_says_where(release: Release) -> None:
    release.policy = b'{"version":9}'
    found = reading.gates(release)
    assert "/" in found.wrong
    assert not found.gates


def test_more_runs_take_no_more_statements(engine: Bench, release: Release) -> None:
    both(engine, release, succeeded=1)
    statements(release)  # what is cached of a process is there from here on
    few = statements(release)
    both(engine, release, succeeded=6, failed=2)
    assert statements(release) == few <= 60


def statements(release: Release) -> int:
    with CaptureQueriesContext(connection) as queries:
        reading.gates(release)
    return len(queries)


def test_the_moves_of_a_release_say_who_was_the_second_person(
    engine: Bench, releases: Traffic, release: Release
) -> None:
    both(engine, release, succeeded=6)
    taking.take_due(release.pk)
    releases.move(release, standing.PROMOTE)
    promoted = history.of_release(release)[0]
    assert (promoted.who, promoted.second) == ("Ada", "Dee")
    assert promoted.look == "look 1: a promotion is allowed"


def test_a_move_that_was_taken_back_stays_in_the_list(releases: Traffic) -> None:
    release = releases.begin()
    move = releases.propose(release, standing.BEGIN)
    moving.withdraw(move.pk, user=releases.dee)
    [entry] = history.of_release(release)
    assert entry.what.startswith("was taken back: Shadow")
    assert history.drawn(release, [entry]) is None
