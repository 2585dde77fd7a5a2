"""What acceptance must reach: read from acceptance.yaml, and what was found judged against it."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

Json = Any

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "acceptance.yaml"
SCHEMA = ROOT / "docs/schemas/acceptance.schema.json"
COUNTS = (
    "lost_runs",
    "duplicate_submissions",
    "unapproved_effects",
    "unexplained_states",
    "bad_evidence",
)


class BadThresholdsError(Exception):
    """The file of thresholds cannot be used."""


def load(path: Path = FILE) -> dict[str, Json]:
    """The thresholds. Raises `BadThresholdsError`, naming the place; unknown members are refused."""
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise BadThresholdsError(f"{path}: {error}") from error
    problem = best_match(Draft202012Validator(json.loads(SCHEMA.read_text())).iter_errors(found))
    if problem is not None:
        raise BadThresholdsError(f"{path} does not fit at {problem.json_path}: {problem.message}")
    return dict(found)


def below(found: Mapping[str, Json], wanted: Mapping[str, Json]) -> list[str]:
    """A sentence for each threshold that is not reached. What could not be measured is not."""
    return [*_groups(found, wanted), *_recoveries(found, wanted), *_counts(found, wanted)]


def _groups(found: Mapping[str, Json], wanted: Mapping[str, Json]) -> Iterator[str]:
    for name, least in wanted["groups"].items():
        passed = found["groups"].get(name, {}).get("passed", 0)
        if passed < least:
            yield f"groups.{name}: {passed} passed, at least {least} must"
    failed = sum(each["failed"] for each in found["groups"].values())
    if failed > wanted["failed_fixtures"]:
        yield f"failed_fixtures: {failed}, at most {wanted['failed_fixtures']}"


def _recoveries(found: Mapping[str, Json], wanted: Mapping[str, Json]) -> Iterator[str]:
    rate = found["recovery_success_rate"]
    if rate is None or rate < wanted["recovery_success_rate"]:
        yield f"recovery_success_rate: {rate}, at least {wanted['recovery_success_rate']}"
    for name, most in wanted["recovery_seconds"].items():
        seconds = found["recovery_seconds"].get(name)
        if seconds is None or seconds > most:
            yield f"recovery_seconds.{name}: {seconds}, at most {most}"


def _counts(found: Mapping[str, Json], wanted: Mapping[str, Json]) -> Iterator[str]:
    for name in COUNTS:
        if found[name] is None or found[name] > wanted[name]:
            yield f"{name}: {found[name]}, at most {wanted[name]}"
