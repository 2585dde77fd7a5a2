"""A policy is read strictly: what is unknown, missing or out of range refuses it, and says where."""

import copy
from typing import Any

import pytest

from canonical import json as canonical
from releases.gates import policies
from releases.gates.policies import BadPolicyError


def usual() -> dict[str, Any]:
    return copy.deepcopy(policies.USUAL.as_json())


def test_the_usual_policy_is_read_back_as_it_is() -> None:
    kept = canonical.loads(canonical.dumps(usual()))
    assert policies.read(kept) == policies.USUAL
    assert policies.read(kept).digest == policies.USUAL.digest


def test_another_margin_is_another_policy() -> None:
    kept = usual()
    kept["measures"]["failure"]["margin"] = 0.04
    assert policies.read(kept).digest != policies.USUAL.digest


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/version", 2),
        ("/error", 0),
        ("/error", 0.5),
        ("/error", float("nan")),
        ("/error", True),
        ("/looks", []),
        ("/looks", [100, 50]),
        ("/looks", [50, 50]),
        ("/looks", list(range(1, 42))),
        ("/looks", 50),
        ("/most_unread", 0.9),
        ("/ratio_error", 0.5),
        ("/unknown", 1),
        ("/measures", {}),
        ("/measures/speed", {"margin": 0.1, "least": 5}),
        ("/measures/failure/margin", -0.1),
        ("/measures/failure/margin", "0.1"),
        ("/measures/failure/least", 0),
        ("/measures/failure/least", 2.5),
        ("/measures/failure/within_seconds", 5),
        ("/measures/cost/least", 3),
        ("/measures/recovery_duration/within_seconds", 0),
        ("/measures/duplicates/margin", 0.1),
        ("/measures/divergence/margin", 0.6),
        ("/measures/divergence/within_seconds", 5),
        ("/measures", {"divergence": {"margin": 0.2, "least": 30}}),
    ],
)
def test_what_is_no_policy_is_refused_by_its_place(path: str, value: Any) -> None:
    kept = usual()
    *above, last = path.strip("/").split("/")
    place = kept
    for name in above:
        place = place[name]
    place[last] = value
    with pytest.raises(BadPolicyError) as refused:
        policies.read(kept)
    assert refused.value.path.startswith(path)


@pytest.mark.parametrize("path", ["/error", "/looks", "/measures/failure/margin"])
def test_what_is_missing_is_refused(path: str) -> None:
    kept = usual()
    *above, last = path.strip("/").split("/")
    place = kept
    for name in above:
        place = place[name]
    del place[last]
    with pytest.raises(BadPolicyError, match="is missing"):
        policies.read(kept)


def test_a_policy_of_before_there_was_divergence_stays_what_it_was() -> None:
    kept = usual()
    del kept["measures"]["divergence"]
    read = policies.read(kept)
    assert policies.DIVERGENCE not in read.demands
    assert read.as_json() == kept


def test_all_looks_together_spend_no_more_than_the_error() -> None:
    policy = policies.USUAL
    assert policy.error_per_look * len(policy.looks) == pytest.approx(policy.error)


def test_looks_come_due_by_ended_runs() -> None:
    assert [policies.USUAL.looks_due(ended) for ended in (0, 49, 50, 99, 100, 9999)] == [
        0,
        0,
        1,
        1,
        2,
        len(policies.USUAL.looks),
    ]
