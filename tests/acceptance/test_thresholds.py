"""Each threshold of acceptance can fail, and by itself; a file that is not understood is refused."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from execution.fixtures.documents import GROUPS
from tests.acceptance import thresholds
from tests.acceptance.thresholds import BadThresholdsError, below, load

WANTED = load()
GOOD: dict[str, Any] = {
    "groups": {name: {"passed": least, "failed": 0} for name, least in WANTED["groups"].items()},
    "recovery_success_rate": 0.95,
    "recovery_seconds": {"p50": 0.4, "p95": 1.1},
    "lost_runs": 0,
    "duplicate_submissions": 0,
    "unapproved_effects": 0,
    "unexplained_states": 0,
    "bad_evidence": 0,
}
COUNTS = (
    *("lost_runs", "duplicate_submissions", "unapproved_effects", "unexplained_states"),
    "bad_evidence",
)


def test_what_reaches_all_passes() -> None:
    assert below(GOOD, WANTED) == []


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("count", [1, None])
def test_one_too_many_or_none_counted_fails(name: str, count: int | None) -> None:
    assert below({**GOOD, name: count}, WANTED) == [f"{name}: {count}, at most 0"]


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_with_one_fewer_fails(group: str) -> None:
    found = copy.deepcopy(GOOD)
    found["groups"][group]["passed"] -= 1
    (said,) = below(found, WANTED)
    assert said.startswith(f"groups.{group}: ")


def test_a_fixture_that_fails_beside_enough_others_fails() -> None:
    found = copy.deepcopy(GOOD)
    found["groups"]["normal"]["failed"] = 1
    assert below(found, WANTED) == ["failed_fixtures: 1, at most 0"]


@pytest.mark.parametrize("rate", [0.5, None])
def test_too_few_recoveries_fail(rate: float | None) -> None:
    (said,) = below({**GOOD, "recovery_success_rate": rate}, WANTED)
    assert said.startswith("recovery_success_rate: ")


@pytest.mark.parametrize("name", ["p50", "p95"])
@pytest.mark.parametrize("seconds", [1000.0, None])
def test_a_slow_recovery_fails(name: str, seconds: float | None) -> None:
    found = {**GOOD, "recovery_seconds": {**GOOD["recovery_seconds"], name: seconds}}
    (said,) = below(found, WANTED)
    assert said.startswith(f"recovery_seconds.{name}: ")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda it: it.replace("lost_runs: 0", "lost_runs: 0\nlost_run: 1"), "lost_run"),
        (lambda it: it.replace("unapproved_effects: 0\n", ""), "unapproved_effects"),
        (lambda it: it.replace("lost_runs: 0", "lost_runs: many"), r"\$\.lost_runs"),
        (lambda it: it.replace("normal: 4", "normal: 1"), r"\$\.groups\.normal"),
        (lambda it: it.replace("p95:", "p99:"), "p99"),
        (lambda it: f"[{it}", "thresholds"),
    ],
)
def test_a_file_that_is_not_understood_is_refused(
    tmp_path: Path, change: Callable[[str], str], place: str
) -> None:
    path = tmp_path / "thresholds.yaml"
    path.write_text(change(thresholds.FILE.read_text()))
    with pytest.raises(BadThresholdsError, match=place):
        load(path)
