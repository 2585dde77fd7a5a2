"""Incidents of releases that no test of a single module shows."""

from datetime import timedelta

import pytest
from django.urls import reverse
from pytest_django import Settings

from approvals import clock
from checkpoints.models import Run
from checkpoints.registry import combo_of
from execution import unmanned
from releases.gates import standing
from releases.gates.samples import Count
from releases.numbers import runs, taking
from releases.numbers.subjects import of_release
from tests.engine.turns import Bench
from tests.execution.pages.visits import page_of, signed_in, words
from tests.releases.pools import newer_code, older_code, paused, worker_of
from tests.releases.traffic import traffic

pytestmark = pytest.mark.django_db


def test_runs_that_a_new_combo_cannot_load_are_blocked_by_version_and_can_resume(
    engine: Bench, settings: Settings
) -> None:
    """A45: they say which code they need, stand on the page of the release, and count at its gate."""
    releases, small, old = traffic(engine), paused(engine, "small"), combo_of("steps")
    release = releases.begin(combo=newer_code(settings), stable=old)
    release = releases.move(release, standing.BEGIN)
    older_code(settings)
    large = paused(engine, "large", steps=3)
    newer_code(settings)
    where = reverse("release", args=[engine.tenant.slug, release.number])
    releases.climb()
    releases.propose(release, standing.WIDEN, 1_000)

    said = words(signed_in(releases.ada).get(where))
    assert "1 of 2 paused runs can resume; 1 blocked by version." in said
    assert large.business_key in said
    assert small.business_key not in said
    assert "Start one to resume under the old combo" in said

    due = {"due_at": clock.now() - timedelta(seconds=runs.NOT_TAKEN_SECONDS + 1)}
    assert Run.objects.filter(pk=large.pk, status="waiting").update(**due) == 1
    assert unmanned.look() == 1
    assert "No worker runs code" in words(signed_in(engine.starter).get(page_of(engine, large)))
    assert taking.take(of_release(release)).stable.held == Count(1, 1)

    worker_of(old)
    said = words(signed_in(releases.ada).get(where))
    assert "2 of 2 paused runs can resume." in said
    assert unmanned.look() == 1
