"""`python -m tests.restores`: tells the five stories and prints what they came to, as one JSON object."""

import argparse
import json
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from django.utils.module_loading import import_string

from tests.ground import ROOT, open_folder
from tests.restores import ground
from tests.servers import running, stores

BEGAN = time.monotonic()
FIGURES = ("missing", "listed", "reconciled", "cases", "duplicates")


def main(arguments: Sequence[str]) -> int:
    """Sail and tell; 1 when anything is not as it must be, or what is broken was not found."""
    options = _parsed(arguments)
    found: dict[str, dict[str, int]] = {}
    wrong: list[str] = []
    with open_folder() as folder, _journals(options.store), ground.doorbell(folder) as valkey:
        for number in range(options.rounds):
            place = folder / f"round{number}"
            with ground.recorded(place, valkey, options.dump) as original:
                # It needs Django to be set up.
                tell = import_string("tests.restores.rounds.told")
                for told in tell(place, original, valkey, options, f"r{number}-", _say):
                    _add(found.setdefault(told.story, dict.fromkeys(FIGURES, 0)), asdict(told))
                    wrong += [f"round {number + 1}, {told.story}: {said}" for said in told.wrong]
            shutil.rmtree(place)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps(found)
    options.out.write_text(line + "\n")
    _say("\n".join(wrong) or "nothing is wrong")
    print(line)
    return 1 if wrong else 0


@contextmanager
def _journals(stored: bool) -> Iterator[None]:
    """An object store for journals, if one is wanted."""
    if not stored:
        yield
        return
    try:
        with stores.serving():
            yield
    finally:
        running.stop()


def _add(to: dict[str, int], told: dict[str, int]) -> None:
    for name in FIGURES:
        to[name] += told[name]


def _say(sentence: str) -> None:
    sys.stderr.write(f"{time.monotonic() - BEGAN:6.1f} s  {sentence}\n")
    sys.stderr.flush()


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.restores", description=__doc__)
    add = parser.add_argument
    add("--out", type=Path, default=ROOT / "var/reports/restores.json", help="the report")
    add("--rounds", type=int, default=3, help="how often each story is told")
    add("--only", action="append", metavar="STORY", help="only this story; may be given again")
    add("--runs", type=int, default=8, help="runs on their way at any time")
    add("--legs", type=int, default=8, help="effects of each run")
    add("--before", type=int, default=15, help="effects before the old records are kept")
    add("--behind", type=int, default=20, help="effects that every old record lacks at least")
    add("--workers", type=int, default=2, help="workers of each installation")
    add("--store", action="store_true", help="the journal stands in an object store (S3)")
    add("--broken", action="store_true", help="break the product on purpose: each story must fail")
    add("--dump", type=Path, help="a dump of a fresh, migrated record, instead of migrating one")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
