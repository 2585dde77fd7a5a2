"""The command line of the kill matrix."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.crash.mutants import MUTANTS
from tests.crash.scenarios import ALL, BY_NAME, SHORT

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Options:
    """What to run, how much of it, and where the report goes."""

    out: Path
    short: bool
    only: tuple[str, ...]
    seed: int
    lanes: int
    depth: int
    again: int
    thrice: int
    statements: int
    takeovers: int
    minutes: float
    patience: float
    mutant: str


def parse(arguments: Sequence[str]) -> Options:
    """Read the command line; `--short` sets smaller amounts where none are given."""
    parser = argparse.ArgumentParser("python -m tests.crash", description=__doc__)
    add = parser.add_argument
    add("--out", type=Path, default=ROOT / "var/reports/crash.json", help="the report")
    add("--short", action="store_true", help="one kill for each boundary, about a minute")
    add("--only", action="append", choices=sorted(BY_NAME), metavar="NAME",
        help="only this scenario; may be given again. " + ", ".join(BY_NAME))  # fmt: skip
    add("--seed", type=int, default=1, help="decides what is sampled")
    add("--lanes", type=int, default=6, help="trials side by side")
    add("--depth", type=int, choices=(1, 2, 3), help="most kills in one trial (3; short: 2)")
    add("--again", type=int, help="most trials with two kills (500; short: 12)")
    add("--thrice", type=int, help="most trials with three kills (60)")
    add("--statements", type=int, help="most trials killed at an SQL statement (200; short: 0)")
    add(
        "--minutes",
        type=float,
        default=10,
        help="for trials that are sampled, once a process was killed everywhere",
    )
    add("--takeovers", type=int, help="workers of real RQ killed (40; short: 0)")
    add("--patience", type=float, default=0, help="seconds after which a run is given up as lost")
    add("--mutant", choices=sorted(MUTANTS), default="", help="break the engine on purpose")
    given = vars(parser.parse_args(arguments))
    short = given["short"]
    amounts = {
        "depth": 2 if short else 3,
        "again": 12 if short else 500,
        "thrice": 0 if short else 60,
        "statements": 0 if short else 200,
        "takeovers": 0 if short else 40,
    }
    chosen = {
        name: default if given[name] is None else given[name] for name, default in amounts.items()
    }
    everything = SHORT if short else tuple(scenario.name for scenario in ALL)
    only = tuple(given["only"] or everything)
    return Options(**{**given, **chosen, "only": only})
