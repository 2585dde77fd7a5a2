"""The command line of chaos. Read before Django is set up."""

import argparse
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MUTANTS = ("resend_blindly", "never_notice")  # of tests.crash.mutants
FAULTS, RESTARTS = 500, 100
SHORT_RESTARTS = 3
# The quick ones, once each.
SHORT = (
    "horse_killed",
    "horse_killed_in_effect",
    "horse_and_worker_killed",
    "killed_after_effect",
    "killed_in_recovery",
    "sweeper_killed",
    "tool_answers_late",
    "valkey_emptied",
    "postgres_stopped",
)


@dataclass(frozen=True)
class Options:
    """How much of what, and where the report goes. `only`: kinds of faults, all when empty."""

    out: Path
    seed: int
    faults: int
    restarts: int
    minutes: float
    only: tuple[str, ...]
    work: tuple[str, ...]
    runs: int
    workers: int
    patience: float
    mutant: str
    prove: bool
    keep: bool


def parse(arguments: Sequence[str]) -> Options:
    """Read the command line; `--short` and `--only` set smaller amounts where none are given."""
    parser = argparse.ArgumentParser("python -m tests.chaos", description=__doc__)
    add = parser.add_argument
    add("--out", type=Path, default=ROOT / "var/reports/chaos.json", help="the report")
    add("--seed", type=int, help="replays the choices of an earlier run")
    add("--short", action="store_true", help="few restarts, and one fault of each quick kind")
    add("--faults", type=int, help=f"faults that hit ({FAULTS}, not counting rolling restarts)")
    add("--restarts", type=int, help=f"rolling restarts under mail ({RESTARTS})")
    add("--minutes", type=float, default=35, help="after these nothing further strikes")
    add("--only", action="append", default=[], metavar="KIND", help="only this kind of fault")
    add("--work", action="append", default=[], metavar="KIND", help="only this kind of run")
    add("--runs", type=int, default=8, help="runs that go on at the same time")
    add("--workers", type=int, default=3, help="workers under the supervisor")
    add("--patience", type=float, default=60, help="seconds without progress after the heal: stuck")
    add("--mutant", choices=MUTANTS, default="", help="break the engine on purpose")
    add("--prove", action="store_true", help="then break the engine: it must be found")
    add("--keep", action="store_true", help="keep the logs beside the report")
    given = vars(parser.parse_args(arguments))
    short = given.pop("short")
    if short and not given["only"]:
        given["only"] = list(SHORT)
        if given["restarts"] is None:
            given["restarts"] = SHORT_RESTARTS
    for name, amount in _amounts(given["only"]).items():
        given[name] = amount if given[name] is None else given[name]
    for name in ("only", "work"):
        given[name] = tuple(given[name])
    return Options(**given)


def _amounts(only: Sequence[str]) -> dict[str, int]:
    """Where only some kinds are wanted: one of each, and no rolling restarts."""
    return {
        "seed": secrets.randbelow(2**31),
        "faults": len(only) or FAULTS,
        "restarts": 0 if only else RESTARTS,
    }
