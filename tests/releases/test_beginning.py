"""A release begins beside what is stable, once per task type, and sends nobody anywhere."""

import pytest
from django.db import IntegrityError

from checkpoints import runs
from checkpoints.asked import Request
from checkpoints.models import Run
from checkpoints.registry import combo_of
from releases import beginning
from releases.beginning import Candidate
from releases.errors import ReleaseRefusedError
from releases.models import Release
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.models import AuditRow
from tests.checkpoints.combos import another
from tests.engine.turns import Bench
from tests.people import bob, make_tenant
from tests.releases.traffic import Traffic

pytestmark = pytest.mark.django_db


def start(bench: Bench, key: str = "k") -> Run:
    request = Request("steps", key, {}, channel="test", critical=False)
    return runs.start(bench.tenant, request, actor=Actor.machine("test"))[0]


def test_it_begins_at_no_place_and_no_run_gets_the_candidate(
    engine: Bench, releases: Traffic
) -> None:
    release = releases.begin()
    assert (release.number, release.place, release.share) == (1, "new", 0)
    assert (release.stable, releases.route().stable) == (combo_of("steps"), combo_of("steps"))
    assert start(engine).combo == combo_of("steps")
    row = AuditRow.objects.get(verb="began release")
    assert row.detail["candidate"] == str(releases.candidate)


def test_what_is_stable_is_what_ran_last(engine: Bench, releases: Traffic) -> None:
    run = start(engine)
    assert releases.begin(stable=None).stable == run.combo


def test_new_code_gets_no_run_by_being_installed(engine: Bench, releases: Traffic) -> None:
    """The release is of the code that is here; runs keep to what was stable until it is moved."""
    before = another("steps", "the old prompt")
    releases.begin(combo=combo_of("steps"), stable=before)
    assert start(engine).combo == before


def test_where_nothing_tells_what_is_stable_it_must_be_named(releases: Traffic) -> None:
    with pytest.raises(ReleaseRefusedError, match="name the stable combo"):
        releases.begin(stable=None)


def test_one_release_at_a_time_per_task_type(releases: Traffic) -> None:
    releases.begin()
    with pytest.raises(ReleaseRefusedError, match="release 1 of steps is under way"):
        releases.begin(combo=another("steps", "a third"))
    with pytest.raises(IntegrityError, match="one_release_under_way_per_task_type"):
        Release.objects.create(
            tenant=releases.tenant,
            number=9,
            task_type="steps",
            candidate=another("steps", "a fourth"),
            stable=combo_of("steps"),
            policy=b"{}",
            why="forced",
            begun_by=releases.ada,
            salt="s",
        )


@pytest.mark.parametrize("given", [{"why": " "}, {"policy": {"nonsense": 1}}])
def test_what_cannot_be_judged_is_not_begun(releases: Traffic, given: dict[str, object]) -> None:
    with pytest.raises(ReleaseRefusedError):
        releases.begin(**given)
    assert not Release.objects.exists()


def test_the_stable_combo_is_no_candidate(releases: Traffic) -> None:
    releases.begin()
    with pytest.raises(ReleaseRefusedError):
        releases.begin(combo=combo_of("steps"))


def test_it_takes_the_right_at_this_tenant(engine: Bench, releases: Traffic) -> None:
    candidate = Candidate(releases.candidate, "better")
    with pytest.raises(Denied):
        beginning.begin(engine.tenant, candidate, user=bob(engine.tenant))
    with pytest.raises(Denied):
        beginning.begin(make_tenant("other"), candidate, user=releases.ada)
