"""`python -m tests.model`: every class of tools, everything that may happen, then each rule off."""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from tests.model import tools
from tests.model.checker import Found, explore
from tests.model.rules import NAMES, SAYS
from tests.model.surroundings import CANCELS, EXTRAS
from tests.model.switched import WITHOUT, without
from tests.model.turns import Model

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Explore, say so line by line, write the report; 1 when anything is wrong."""
    parser = argparse.ArgumentParser("python -m tests.model", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "var/reports/model.json")
    parser.add_argument("--without", choices=NAMES, help="print what goes wrong without this rule")
    given = parser.parse_args(arguments)
    if given.without:
        print(f"Without: {SAYS[given.without]}")
        _tell(without(given.without))
        return 0
    report = _whole()
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps({name: report[name] for name in ("states", "seconds", "rules", "passed")}))
    return 0 if report["passed"] else 1


def _whole() -> dict[str, Any]:
    began, explored, passed = time.monotonic(), [], True
    for extras in ((), *((extra,) for extra in EXTRAS if extra != CANCELS), (CANCELS,)):
        for tool in tools.ALL:
            found = explore(Model(tool, extras=frozenset(extras)))
            print(f"{tool.name:9} {', '.join(extras) or 'kills and pauses':17} ", end="")
            print(f"{found.states:8} states {found.seconds:7.1f} s", flush=True)
            if found.wrong:
                _tell(found)
            passed = passed and not found.wrong
            explored.append({"tool": tool.name, "extras": extras, **_figures(found)})
    switched = {rule: _figures(without(rule)) for rule in NAMES}
    for rule, found_without in switched.items():
        passed = passed and found_without["wrong"] == WITHOUT[rule][2]
    return {
        "passed": passed,
        "states": sum(each["states"] for each in explored),
        "seconds": round(time.monotonic() - began, 1),
        "rules": len(NAMES),
        "explored": explored,
        "without": switched,
    }


def _figures(found: Found) -> dict[str, Any]:
    return {
        "states": found.states,
        "seconds": found.seconds,
        "good_ends": found.ends,
        "wrong": found.wrong,
        "steps": found.steps,
    }


def _tell(found: Found) -> None:
    for number, step in enumerate(found.steps, 1):
        print(f"{number:4}. {step}")
    print(f"  => {found.wrong or 'nothing is wrong'}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
