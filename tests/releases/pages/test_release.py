"""The pages of releases say where one stands, what its gates see, what a move means, and what was."""

import pytest
from django.urls import reverse
from pytest_django import Settings

from checkpoints.registry import combo_of
from releases import watching
from releases.gates import standing
from releases.models import Release
from tests.engine.turns import Bench
from tests.execution.pages.visits import signed_in, words
from tests.people import bob
from tests.releases.looks.test_taking import both, release
from tests.releases.pools import newer_code, paused, worker_of
from tests.releases.traffic import Traffic

__all__ = ["release"]
pytestmark = pytest.mark.django_db


def page(releases: Traffic, found: Release) -> str:
    return words(
        signed_in(releases.ada).get(reverse("release", args=[releases.tenant.slug, found.number]))
    )


def of_task(releases: Traffic, task_type: str = "steps") -> tuple[int, str]:
    where = reverse("task_releases", args=[releases.tenant.slug, task_type])
    response = signed_in(releases.ada).get(where)
    return response.status_code, words(response)


def test_a_canary_shows_its_arms_its_gates_and_its_moves(
    engine: Bench, releases: Traffic, release: Release
) -> None:
    both(engine, release, succeeded=4, failed=1)
    said = page(releases, release)
    assert "prompt think " in said
    assert "; rules, model, code same" in said
    assert "Not enough evidence: 5 of 6 runs that ended" in said
    assert "No look was taken since it moved last" in said
    assert "The next look is due once 6 runs of the candidate have ended; 5 have." in said
    assert "No effect arrived twice holds" in said
    assert "What a promotion would mean" in said
    assert "Became a canary: 50 % / 50 %" in said


def test_the_page_of_a_task_says_what_new_runs_get(
    engine: Bench, releases: Traffic, release: Release
) -> None:
    both(engine, release, succeeded=1)
    status, said = of_task(releases)
    assert status == 200
    assert "50 % of the runs, 50 % of the critical ones" in said
    assert "Not enough evidence: 1 of 6 runs that ended" in said
    assert "Release 1 became a canary" in said


def test_a_task_without_a_release_says_so_and_one_nobody_knows_is_not_there(
    releases: Traffic,
) -> None:
    assert of_task(releases, "strict")[0] == 200
    assert "the combo of the code that is installed here" in of_task(releases, "strict")[1]
    assert of_task(releases, "nothing")[0] == 404


def test_a_stop_by_machine_is_told_with_the_look_behind_it(
    engine: Bench, releases: Traffic, release: Release
) -> None:
    both(engine, release, failed=12)
    watching._pace.forget()
    assert watching.watch() == 1
    release.refresh_from_db()
    said = page(releases, release)
    assert "Worse beyond doubt" in said
    assert "Because of: Failed." in said
    assert "by machine" in said
    assert "look 2: stop" in said


def test_a_move_that_waits_says_what_it_means_and_what_it_meant_as_it_was_proposed(
    engine: Bench, releases: Traffic, settings: Settings
) -> None:
    blocked = paused(engine, "large", steps=3)
    old = combo_of("steps")
    found = releases.begin(combo=newer_code(settings), stable=old)
    found = releases.move(found, standing.BEGIN)
    releases.climb()
    releases.propose(found, standing.WIDEN, 1_000)
    worker = worker_of(blocked.combo)
    said = page(releases, found)
    assert "1 pending approval: 1 unaffected." in said
    assert "When it was proposed" in said
    assert "0 of 1 paused run can resume; 1 blocked by version." in said
    worker.delete()
    said = page(releases, found)
    assert blocked.business_key in said
    assert "Blocked by version" in said
    assert "Start one to resume under the old combo" in said


def test_of_how_many_runs_was_judged_is_said_where_it_was_not_all(
    engine: Bench, releases: Traffic, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for what in ("one", "two"):
        paused(engine, what)
    old = combo_of("steps")
    found = releases.begin(combo=newer_code(settings), stable=old)
    found = releases.move(found, standing.BEGIN)
    releases.climb()
    releases.propose(found, standing.WIDEN, 1_000)
    assert "were judged" not in page(releases, found)
    monkeypatch.setattr("releases.impact.reading.READ", 1)
    said = page(releases, found)
    assert "1 of 2 paused runs can resume; 1 nobody can tell of here." in said
    assert "1 of 2 runs of other code were judged, the newest ones" in said


def test_who_only_views_sees_the_same_without_a_form(releases: Traffic, release: Release) -> None:
    where = reverse("release", args=[releases.tenant.slug, release.number])
    response = signed_in(bob(releases.tenant)).get(where)
    assert "Gates" in words(response)
    assert b'name="kind"' not in response.content
