"""The command line of acceptance: all of it, or one part alone. The last line is one JSON object."""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.acceptance import crashing, schemas, thresholds, walkthrough
from tests.acceptance.evaluating import Evaluated, evaluate
from tests.crash import databases

Json = Any

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "var/reports/acceptance.json"


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for; returns the exit status."""
    parser = argparse.ArgumentParser("python -m tests.acceptance", description=__doc__)
    alone = parser.add_mutually_exclusive_group()
    alone.add_argument("--groups", action="store_true", help="only the regression groups")
    alone.add_argument(
        "--schemas", action="store_true", help="only: every kept JSON fits its schema"
    )
    alone.add_argument("--walkthrough", action="store_true", help="only: three real runs, kept")
    parser.add_argument("--group", default="", help="with --groups: only this one")
    parser.add_argument("--rerecord", action="store_true", help="with --groups: write them anew")
    parser.add_argument("--thresholds", type=Path, default=thresholds.FILE, help="of acceptance")
    given = parser.parse_args(arguments)
    if given.schemas:
        return _only_schemas()
    if given.walkthrough:
        return walkthrough.main()
    if given.groups:
        options = [f"--group={given.group}"] if given.group else []
        return _only_groups([*options, *(["--rerecord"] if given.rerecord else [])])
    return _all(thresholds.load(given.thresholds))


def _only_schemas() -> int:
    checked, wrong = schemas.check()
    _say(wrong)
    print(json.dumps({"passed": not wrong, "files": checked, "wrong": len(wrong)}))
    return int(bool(wrong))


def _only_groups(options: Sequence[str]) -> int:
    found = _evaluated(options)
    troubles = [*found.unapproved, *found.unexplained, *found.bad_evidence]
    failed = sum(each["failed"] for each in found.groups.values())
    passed = not (troubles or failed or found.duplicates)
    print(json.dumps({"passed": passed, "groups": found.groups, **_counted(found)}))
    return int(not passed)


def _all(wanted: dict[str, Json]) -> int:
    """Schemas, groups, the short crash matrix; everything is counted, then judged."""
    began = time.monotonic()
    _, wrong = schemas.check()
    _say(wrong)
    evaluated = _evaluated()
    killed = crashing.crash()
    found = _together(evaluated, killed)
    below = [*thresholds.below(found, wanted), *(["schemas"] if wrong else [])]
    _say(f"below its threshold: {sentence}" for sentence in below)
    result = {"passed": not below, **found, "below": below}
    result["seconds"] = round(time.monotonic() - began)
    line = json.dumps(result)
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(line + "\n")
    print(line)
    return int(bool(below))


def _evaluated(options: Sequence[str] = ()) -> Evaluated:
    """The groups on a database of their own, dropped afterwards."""
    with databases.template(f"kedge_acceptance_{os.getpid()}"):
        found = evaluate(options)
    _say([*found.unapproved, *found.unexplained, *found.bad_evidence])
    return found


def _together(evaluated: Evaluated, killed: dict[str, Json]) -> dict[str, Json]:
    """What both found, added up; None where a part could not be counted."""
    counted = _counted(evaluated)

    def added(name: str, other: str) -> int | None:
        return None if killed[other] is None else counted[name] + killed[other]

    wrong = [killed[name] for name in ("lost", "not_unique", "invalid")]
    return {
        "groups": evaluated.groups,
        "recovery_success_rate": killed["recovery_success_rate"],
        "recovery_seconds": killed["recovery_seconds"],
        "lost_runs": None if None in wrong else sum(wrong),
        "duplicate_submissions": added("duplicate_submissions", "duplicates"),
        "unapproved_effects": added("unapproved_effects", "unapproved_effects"),
        "unexplained_states": added("unexplained_states", "unexplained_states"),
        "bad_evidence": counted["bad_evidence"],
        "combos_moved": evaluated.combos_moved,
    }


def _counted(found: Evaluated) -> dict[str, int]:
    return {
        "duplicate_submissions": found.duplicates,
        "unapproved_effects": len(found.unapproved),
        "unexplained_states": len(found.unexplained),
        "bad_evidence": len(found.bad_evidence),
    }


def _say(sentences: Any) -> None:
    for sentence in sentences:
        print(sentence, file=sys.stderr, flush=True)
