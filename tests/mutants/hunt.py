"""Breaks copies of the source, one check at a time, and looks whether the named test notices."""

import json
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.mutants import copies
from tests.mutants.copies import Copy
from tests.mutants.mutant import Mutant

FAILED, PASSED = 1, 0
LAST_WORDS = 1500
KILLED, SURVIVED = "killed", "survived"


@dataclass(frozen=True)
class Hunted:
    """What became of a mutant; `said` is what pytest said where it was not killed."""

    mutant: Mutant
    became: str
    said: str = ""


def hunt(mutants: Sequence[Mutant], *, lanes: int, say: Callable[[str], None]) -> list[Hunted]:
    """Break and test each mutant in one of so many copies; in the order they were given.

    Raises `SystemExit` when one cannot be applied, or a named test fails on the sound source.
    """
    wrong = [why for mutant in mutants if (why := mutant.why_not(copies.ROOT))]
    if wrong:
        raise SystemExit("\n".join(wrong))
    with tempfile.TemporaryDirectory(prefix="kedge-mutants-") as folder:
        free = [copies.make(Path(folder), number) for number in range(lanes)]
        _sound(free, mutants, say)
        count = Counted(len(mutants), say)
        with ThreadPoolExecutor(lanes) as pool:
            return list(pool.map(lambda mutant: count.told(_one(free, mutant)), mutants))


@dataclass
class Counted:
    """Tells of each mutant as its end is known."""

    of: int
    say: Callable[[str], None]
    done: int = 0

    def told(self, hunted: Hunted) -> Hunted:
        self.done += 1
        mutant = hunted.mutant
        self.say(f"{self.done} of {self.of}: {mutant.name} {hunted.became} ({mutant.rule})")
        if hunted.became != KILLED:
            self.say(hunted.said[-LAST_WORDS:])
        return hunted


def report(found: Sequence[Hunted], *, seconds: float, out: Path) -> dict[str, Any]:
    """The figures, written to `out` too."""
    figures = {
        "mutants": len(found),
        "killed": sum(each.became == KILLED for each in found),
        "survived": [each.mutant.name for each in found if each.became != KILLED],
        "seconds": round(seconds),
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(figures) + "\n")
    return figures


def _sound(free: Sequence[Copy], mutants: Sequence[Mutant], say: Callable[[str], None]) -> None:
    """Each copy gets its database; the tests, all of which pass, are shared among them."""
    tests = list(dict.fromkeys(mutant.test for mutant in mutants))
    say(f"{len(tests)} tests on the sound source")
    with ThreadPoolExecutor(len(free)) as pool:
        shares = [tests[number :: len(free)] or tests[:1] for number in range(len(free))]
        for status, said in pool.map(lambda one, of: one.test(*of, fresh=True), free, shares):
            if status != PASSED:
                raise SystemExit(f"a named test fails on the sound source:\n{said[-LAST_WORDS:]}")


_hands = threading.Lock()


def _one(free: list[Copy], mutant: Mutant) -> Hunted:
    with _hands:
        here = free.pop()
    try:
        mutant.applied(here.root)
        status, said = here.test(mutant.test, fresh=mutant.is_of_the_database)
    finally:
        here.restore(mutant.path)
        if mutant.is_of_the_database:
            here.test(mutant.test, fresh=True)  # whoever comes next has a sound database again
        with _hands:
            free.append(here)
    # The test itself must fail: what broke before it, in a fixture, says nothing of the rule.
    failed = re.search(rf"^FAILED {re.escape(mutant.test)}(?![\w])", said, re.MULTILINE)
    return Hunted(mutant, KILLED if status == FAILED and failed else SURVIVED, said)


def now() -> float:
    """Seconds on a clock that no one sets."""
    return time.monotonic()


def aloud(words: str) -> None:
    """Say it beside the report."""
    print(words, file=sys.stderr, flush=True)
