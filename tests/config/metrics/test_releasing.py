"""Releases are counted by where they stand, with the share of their candidate."""

import pytest

from canonical import json as canonical
from releases.gates import standing
from releases.looks.models import Look
from tests.config.metrics.scraping import scrape
from tests.engine.turns import Bench
from tests.reconciliation.deskwork import guards_off
from tests.releases.traffic import traffic

pytestmark = pytest.mark.django_db(transaction=True)


def test_without_a_release_there_is_none(engine: Bench) -> None:
    found = scrape()
    assert found.total("kedge_releases_under_way") == found.total("kedge_releases_frozen") == 0
    assert "kedge_release_share_ratio" not in found.values


def test_a_canary_is_counted_with_its_share_and_the_move_that_waits(engine: Bench) -> None:
    releases = traffic(engine)
    release = releases.canary(1_500)
    found = scrape()
    assert found.value("kedge_releases_under_way", place="canary") == 1
    assert found.value("kedge_releases_under_way", place="shadow") == 0
    digest = bytes(releases.candidate.digest).hex()[:12]
    assert found.value("kedge_release_share_ratio", task_type="steps", combo=digest) == 0.15
    assert found.total("kedge_release_moves_pending") == 0
    releases.propose(release, standing.WIDEN, 2_000)
    assert scrape().total("kedge_release_moves_pending") == 1


def test_the_newest_look_of_a_release_is_told_measure_by_measure(engine: Bench) -> None:
    releases = traffic(engine)
    release = releases.canary()
    labels = {"task_type": "steps", "combo": releases.candidate.hex[:12]}
    name = "kedge_release_gate_verdicts"
    assert scrape().values[name] == {told(labels, "whole", "none"): 1}
    looks = {"tenant": release.tenant, "release": release, "policy_digest": release.policy_digest}
    for number, verdict, of in ((1, "hold", "not_enough_evidence"), (2, "stop", "worse")):
        whole = {"verdict": verdict, "findings": [{"measure": "failure", "verdict": of}]}
        with guards_off():
            Look.objects.create(
                **looks,
                after_move=release.last_move,
                number=number,
                verdict=verdict,
                whole=canonical.dumps(whole),
                sample=b"{}",
                sample_digest="0" * 64,
            )
    assert scrape().values[name] == {
        told(labels, "whole", "stop"): 1,
        told(labels, "failure", "worse"): 1,
    }


def told(labels: dict[str, str], measure: str, verdict: str) -> frozenset[tuple[str, str]]:
    return frozenset({**labels, "measure": measure, "verdict": verdict}.items())
