"""Each look of the schedule is taken once, is kept as it was, and comes out the same again."""

from dataclasses import replace
from typing import Any

import pytest

from canonical import json as canonical
from checkpoints.models import Combo, Run
from checkpoints.registry import combo_of
from reconciliation.models import Receipt
from releases.gates import samples, standing, verdicts
from releases.looks import taking
from releases.looks.models import Look
from releases.models import Release
from tenants.models import AuditRow
from tests.checkpoints.combos import another
from tests.checkpoints.records import by_force, refused
from tests.engine.turns import Bench
from tests.releases.traffic import Traffic

pytestmark = pytest.mark.django_db

POLICY = {
    "version": 1,
    "error": 0.2,
    "looks": [6, 12],
    "most_unread": 0.05,
    "ratio_error": 0.001,
    "measures": {"failure": {"margin": 0.5, "least": 6}},
}


@pytest.fixture
def release(releases: Traffic) -> Release:
    """A canary of half the runs; this installation runs the candidate."""
    found = releases.begin(
        combo=combo_of("steps"), stable=another("steps", "as it was"), policy=POLICY
    )
    return releases.move(releases.move(found, standing.BEGIN), standing.WIDEN, 5_000, 5_000)


def ended(bench: Bench, combo: Combo, *, succeeded: int = 0, failed: int = 0) -> None:
    """So many runs of a combo that went so."""
    for status in ["succeeded"] * succeeded + ["failed"] * failed:
        run = bench.start(steps=1)
        with by_force():
            Run.objects.filter(pk=run.pk).update(combo=combo, status=status, due_at=None)


def both(bench: Bench, release: Release, **went: int) -> None:
    """The candidate's runs went so, and as many of the stable arm well."""
    ended(bench, release.candidate, **went)
    ended(bench, release.stable, succeeded=sum(went.values()))


def test_before_a_look_is_due_nothing_is_taken(engine: Bench, release: Release) -> None:
    both(engine, release, succeeded=5)
    assert taking.take_due(release.pk) is None
    assert not Look.objects.exists()


def test_a_look_that_is_due_is_taken_once(engine: Bench, release: Release) -> None:
    both(engine, release, succeeded=9)
    look = taking.take_due(release.pk)
    assert look is not None
    assert (look.number, look.verdict) == (1, verdicts.PROMOTE_ALLOWED)
    assert taking.take_due(release.pk) is None
    assert Look.objects.count() == 1
    assert AuditRow.objects.filter(verb="looked at release").count() == 1
    assert taking.allows_promotion(release)
    assert taking.stopping(release) == ()


def test_what_is_kept_says_the_same_again(engine: Bench, release: Release) -> None:
    both(engine, release, succeeded=4, failed=3)
    taking.take_due(release.pk)
    kept = Look.objects.get()
    sample = samples.read(canonical.loads_object(kept.sample))
    again = verdicts.judge(sample, taking.policy_of(kept.release), look=kept.number)
    assert canonical.dumps(again.as_json()) == bytes(kept.whole)
    assert (again.sample, again.policy) == (kept.sample_digest, kept.policy_digest)


def test_a_look_that_finds_it_worse_stops_it(engine: Bench, release: Release) -> None:
    both(engine, release, failed=12)
    look = taking.take_due(release.pk)
    assert look is not None
    assert (look.number, look.verdict) == (2, verdicts.STOP)
    assert taking.stopping(release) == ("failure",)
    assert not taking.allows_promotion(release)


def test_looks_begin_anew_when_the_shares_move(
    engine: Bench, releases: Traffic, release: Release
) -> None:
    both(engine, release, succeeded=9)
    taking.take_due(release.pk)
    wider = releases.move(release, standing.WIDEN, 6_000, 6_000)
    assert not taking.allows_promotion(wider)
    assert taking.take_due(wider.pk) is None


def test_a_broken_constraint_stops_it_without_any_look(
    engine: Bench, release: Release, releases: Traffic
) -> None:
    replace(releases, candidate=release.candidate).climb("fake.look_up")
    run = engine.start(tool="fake.look_up", what="a", steps=1)
    with by_force():
        Run.objects.filter(pk=run.pk).update(combo=release.candidate)
    engine.turn()
    engine.decide(run)
    engine.turn()
    assert taking.stopping(release) == ()
    with by_force():
        Receipt.objects.filter(action__run=run).update(wire_digest="0" * 64)
    assert taking.stopping(release) == ("wire_digest_differs",)


def test_a_promotion_needs_its_constraints_to_hold_now(
    engine: Bench, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    both(engine, release, succeeded=9)
    taking.take_due(release.pk)
    monkeypatch.setattr("releases.numbers.safety.OTHER_BYTES", "SELECT 1 / 0")
    assert not taking.allows_promotion(release)
    assert taking.stopping(release) == ()


def look(release: Release, **other: Any) -> Look:
    values = {
        "tenant": release.tenant,
        "release": release,
        "after_move": release.last_move,
        "number": 1,
        "verdict": "hold",
        "policy_digest": release.policy_digest,
        "sample_digest": "0" * 64,
        "sample": b"{}",
        "whole": b"{}",
    }
    return Look(**{**values, **other})


def test_the_database_keeps_a_look_as_it_was(release: Release) -> None:
    kept = look(release)
    kept.save()
    with refused("what_was_released_stays_on_record"):
        Look.objects.update(verdict="promote_allowed")
    with refused("what_was_released_stays_on_record"):
        Look.objects.all().delete()
    with refused("each_look_is_taken_once"):
        look(release).save()


@pytest.mark.parametrize(
    "other", [{"policy_digest": "1" * 64}, {"after_move": 0}, {"after_move": 99}]
)
def test_a_look_is_of_its_release_as_it_stands(release: Release, other: dict[str, Any]) -> None:
    with refused("a_look_is_of_its_release_as_it_stands"):
        look(release, **other).save()
