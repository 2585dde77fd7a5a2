"""`python -m tests.mutants`: each safety check is taken out once, and a named test must fail."""

import argparse
import json
import sys
from pathlib import Path

from tests import ground
from tests.mutants import hunt
from tests.mutants.catalogue import MUTANTS

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Returns the exit status: 1 when any mutant survived."""
    parser = argparse.ArgumentParser("python -m tests.mutants", description=__doc__)
    add = parser.add_argument
    add("--only", action="append", choices=sorted(each.name for each in MUTANTS), metavar="NAME",
        help="only this mutant; may be given again")  # fmt: skip
    add("--list", action="store_true", help="only say which there are")
    add("--lanes", type=int, default=2, help="copies of the source side by side")
    add("--out", type=Path, default=ROOT / "var/reports/mutants.json", help="the report")
    given = parser.parse_args(arguments)
    chosen = [each for each in MUTANTS if not given.only or each.name in given.only]
    if given.list:
        for each in chosen:
            print(f"{each.name}: {each.rule} ({each.path})")
        return 0
    started, began = ground.ensure(), hunt.now()
    try:
        found = hunt.hunt(chosen, lanes=given.lanes, say=hunt.aloud)
    finally:
        if started is not None:
            started.stop()
    figures = hunt.report(found, seconds=hunt.now() - began, out=given.out)
    print(json.dumps(figures))
    return int(bool(figures["survived"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
