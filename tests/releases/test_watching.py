"""What a sweeper does about releases: it takes the looks that are due, and stops what must not go on."""

import pytest

from releases import moving, watching
from releases.errors import MoveChangedError, ReleaseRefusedError, SecondPersonNeededError
from releases.gates import standing
from releases.looks.models import Look
from releases.models import Release
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.releases.looks.test_taking import both, release
from tests.releases.traffic import Traffic

__all__ = ["release"]
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def at_once() -> None:
    watching._pace.forget()


def test_a_candidate_that_fails_is_stopped_while_a_person_is_waited_for(
    engine: Bench, releases: Traffic, release: Release
) -> None:
    move = releases.propose(release, standing.WIDEN, 6_000, 5_000)
    both(engine, release, failed=12)
    assert watching.watch() == 1
    release.refresh_from_db()
    move.refresh_from_db()
    assert (release.place, move.ended) == ("stopped", "withdrawn")
    assert releases.route().candidate is None
    row = AuditRow.objects.filter(verb="moved release").latest("audit_id")
    assert (row.actor_name, "failure" in row.detail["why"]) == ("gates", True)


def test_what_has_no_evidence_goes_on_and_nothing_is_promoted(
    engine: Bench, releases: Traffic, release: Release
) -> None:
    both(engine, release, succeeded=5)
    assert watching.watch() == 0
    with pytest.raises(ReleaseRefusedError, match="no look of its gates allows it"):
        releases.propose(release, standing.PROMOTE)


def test_what_a_look_allows_two_people_make_stable(
    engine: Bench, releases: Traffic, release: Release
) -> None:
    both(engine, release, succeeded=6)
    assert watching.watch() == 0
    assert Look.objects.get().verdict == "promote_allowed"
    move = releases.propose(release, standing.PROMOTE)
    with pytest.raises(SecondPersonNeededError):
        moving.make(move.pk, move.digest, user=releases.ada)
    moving.second(move.pk, move.digest, user=releases.dee)
    assert moving.make(move.pk, move.digest, user=releases.ada).place == "stable"
    route = releases.route()
    assert (route.stable, route.candidate, route.share) == (release.candidate, None, 0)


def test_a_look_that_was_taken_meanwhile_is_another_question(
    engine: Bench, releases: Traffic, release: Release
) -> None:
    both(engine, release, succeeded=6)
    watching.watch()
    move = releases.propose(release, standing.PROMOTE)
    both(engine, release, succeeded=6)
    watching._pace.forget()
    watching.watch()
    assert Look.objects.count() == 2
    moving.second(move.pk, move.digest, user=releases.dee)
    with pytest.raises(MoveChangedError):
        moving.make(move.pk, move.digest, user=releases.ada)


def test_it_looks_at_its_own_pace(engine: Bench, release: Release) -> None:
    watching.watch()
    both(engine, release, failed=6)
    assert watching.watch() == 0
    assert not Look.objects.exists()
