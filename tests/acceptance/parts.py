"""The command line of acceptance: all of it, or one part alone. The last line is one JSON object."""

import argparse
import json
import os
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from django.core.management import CommandError

from execution.fixtures.documents import GROUPS
from tests.acceptance import crashing, schemas, thresholds, walkthrough
from tests.acceptance.evaluating import Evaluated, evaluate
from tests.acceptance.thresholds import BadThresholdsError
from tests.crash import databases

Json = Any

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "var/reports/acceptance.json"
SAY_WHY: Final = (BadThresholdsError, CommandError)
# What all of it says where it did not come so far as to count: nothing is reached.
UNCOUNTED: Final[dict[str, Json]] = {
    "groups": {},
    "recovery_success_rate": None,
    "recovery_seconds": {"p50": None, "p95": None},
    "lost_runs": None,
    "duplicate_submissions": None,
    "unapproved_effects": None,
    "unexplained_states": None,
    "bad_evidence": None,
    "combos_moved": [],
}


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for; returns the exit status.

    Whatever goes wrong on the way is `error` in the JSON object, which is the last line then too.
    """
    given = _parse(arguments)
    began = time.monotonic()
    try:
        return _part(given)
    except Exception as error:
        if not isinstance(error, SAY_WHY):
            traceback.print_exc()
        return _failed(given, f"{type(error).__name__}: {error}", began)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.acceptance", description=__doc__)
    alone = parser.add_mutually_exclusive_group()
    alone.add_argument("--groups", action="store_true", help="only the regression groups")
    alone.add_argument(
        "--schemas", action="store_true", help="only: every kept JSON fits its schema"
    )
    alone.add_argument("--walkthrough", action="store_true", help="only: three real runs, kept")
    parser.add_argument("--group", default="", choices=["", *GROUPS], metavar="GROUP",
                        help="of the regression groups only this one; all of it does not pass so")  # fmt: skip
    parser.add_argument("--rerecord", action="store_true", help="with --groups: write them anew")
    parser.add_argument("--thresholds", type=Path, default=thresholds.FILE, help="of acceptance")
    parser.add_argument("--kill-only", action="append", default=[], metavar="SCENARIO",
                        help="of the crash matrix only this scenario; may be given again")  # fmt: skip
    parser.add_argument("--out", type=Path, default=REPORT, help="the report of all of it")
    parser.add_argument("--folder", type=Path, default=walkthrough.FOLDER, help="of --walkthrough")
    return parser.parse_args(arguments)


def _part(given: argparse.Namespace) -> int:
    options = [f"--group={given.group}"] if given.group else []
    if given.schemas:
        return _only_schemas()
    if given.walkthrough:
        return walkthrough.main(given.folder)
    if given.groups:
        return _only_groups([*options, *(["--rerecord"] if given.rerecord else [])])
    return _all(given, options)


def _failed(given: argparse.Namespace, why: str, began: float) -> int:
    result: dict[str, Json] = {"passed": False, "error": why}
    if given.schemas or given.walkthrough or given.groups:
        print(json.dumps(result))
    else:
        below = [f"it did not come to an end: {why}"]
        _keep({**result, **UNCOUNTED, "below": below}, given.out, began)
    return 1


def _keep(result: dict[str, Json], out: Path, began: float) -> None:
    line = json.dumps({**result, "seconds": round(time.monotonic() - began)})
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(line + "\n")
    print(line)


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


def _all(given: argparse.Namespace, options: Sequence[str]) -> int:
    """Schemas, groups, the short crash matrix; everything is counted, then judged."""
    began = time.monotonic()
    wanted = thresholds.load(given.thresholds)
    _, wrong = schemas.check()
    _say(wrong)
    evaluated = _evaluated(options)
    killed = crashing.crash([f"--only={name}" for name in given.kill_only])
    found = _together(evaluated, killed)
    below = [*thresholds.below(found, wanted), *(["schemas"] if wrong else [])]
    if given.kill_only:
        below.append("the crash matrix: only " + ", ".join(given.kill_only))
    _say(f"below its threshold: {sentence}" for sentence in below)
    _keep({"passed": not below, "error": "", **found, "below": below}, given.out, began)
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
