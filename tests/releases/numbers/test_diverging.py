"""The twins of a release that differ in effect, counted since it last became a shadow."""

from dataclasses import replace

import pytest

from checkpoints import states
from releases.gates import policies, standing, verdicts
from releases.gates.samples import Count
from releases.gates.verdicts import judge
from releases.models import Release
from releases.numbers import diverging, subjects, taking
from releases.shadows import comparing
from releases.shadows.models import Compared
from tests.engine.turns import Bench
from tests.releases.shadows.beside import Stage, released, stage
from tests.releases.traffic import Traffic

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(engine: Bench, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return stage(engine, monkeypatch)


@pytest.fixture
def release(made: Stage, releases: Traffic) -> Release:
    return released(releases, made)


def compared(made: Stage, release: Release, *kinds: str) -> None:
    """Twins of the release, one of each kind."""
    for kind in kinds:
        live = made.live()
        Compared.objects.create(
            run=made.begun(live, series=release.pk),
            tenant=release.tenant,
            release=release,
            live=live,
            kind=kind,
            same_path=True,
            ended=comparing.AT_END,
        )


def of(release: Release) -> Count | None:
    return diverging.count(subjects.of_release(release))


def test_other_words_are_no_other_effect_and_what_nobody_can_judge_is_left_out(
    made: Stage, release: Release
) -> None:
    compared(made, release, *comparing.KINDS)
    assert len(comparing.KINDS) == 7
    # different, extra and missing; beside words and same; neither trouble nor another world.
    assert of(release) == Count(3, 5)


def test_twins_of_another_release_say_nothing(made: Stage, release: Release) -> None:
    compared(made, release, comparing.SAME)
    other = replace(subjects.of_release(release), release=made.live().pk)
    assert diverging.count(other) == Count(0, 0)
    assert diverging.count(replace(other, release=None)) is None


def test_a_canary_is_judged_by_the_twins_of_its_shadow_too(
    made: Stage, release: Release, releases: Traffic
) -> None:
    compared(made, release, comparing.DIFFERENT, comparing.SAME)
    canary = releases.move(release, standing.WIDEN, 1_000)
    assert subjects.of_release(canary).mode == states.LIVE_MODE
    assert of(canary) == Count(1, 2)
    compared(made, canary, comparing.SAME)
    assert of(canary) == Count(1, 3)


def test_a_canary_whose_release_had_no_twin_is_not_asked_and_a_shadow_is(
    release: Release, releases: Traffic
) -> None:
    assert of(release) == Count(0, 0)
    assert verdicts_of(release)["divergence"] == verdicts.NOT_ENOUGH_EVIDENCE
    canary = releases.move(release, standing.WIDEN, 1_000)
    assert of(canary) is None
    assert "divergence" not in verdicts_of(canary)


def test_twins_of_which_none_can_be_judged_are_no_evidence(
    made: Stage, release: Release, releases: Traffic
) -> None:
    compared(made, release, comparing.MOVED)
    canary = releases.move(release, standing.WIDEN, 1_000)
    assert of(canary) == Count(0, 0)
    assert verdicts_of(canary)["divergence"] == verdicts.NOT_ENOUGH_EVIDENCE


def test_what_was_stopped_and_lifted_is_judged_by_what_comes_then(
    made: Stage, release: Release, releases: Traffic
) -> None:
    compared(made, release, comparing.DIFFERENT)
    stopped = releases.move(release, standing.STOP)
    again = releases.move(stopped, standing.LIFT)
    assert of(again) == Count(0, 0)
    compared(made, again, comparing.SAME)
    assert of(again) == Count(0, 1)


def test_a46_a_read_that_fails_is_broken_telemetry_and_no_zero(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diverging, "COMPARED", "SELECT 1 / 0")
    assert taking.take(subjects.of_release(release)).diverged == Count(unread=1)
    assert verdicts_of(release)["divergence"] == verdicts.TELEMETRY_BROKEN


def verdicts_of(release: Release) -> dict[str, str]:
    whole = judge(taking.take(subjects.of_release(release)), policies.USUAL, look=1)
    return {each.measure: each.verdict for each in whole.findings}
