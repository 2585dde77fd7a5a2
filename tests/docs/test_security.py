"""Each line of the standard that docs/SECURITY.md answers names tests there are, or says it is not met."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "docs" / "SECURITY.md").read_text(encoding="utf-8")
LINES = [f"9.2.{number}" for number in range(1, 11)] + [f"9.6.{number}" for number in (1, 2, 3)]
ROWS = dict(re.findall(r"^\| (9\.\d\.\d+) \| (.*) \|$", TEXT, re.MULTILINE))
# Told in the report of a release, not forgotten: a line leaves this list when it is met.
NOT_MET: list[str] = []


def named_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_line_is_answered_once_in_order() -> None:
    assert re.findall(r"^\| (9\.\d\.\d+) \|", TEXT, re.MULTILINE) == LINES


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_met_by_tests_that_exist_or_says_that_it_is_not(line: str) -> None:
    tests = re.findall(r"`(tests/\S+\.py)` `(test_\w+)`", ROWS[line])
    assert bool(tests) == (line not in NOT_MET)
    assert ("**not met**" in ROWS[line]) == (line in NOT_MET)
    for path, name in tests:
        assert name in named_in(ROOT / path), f"{line}: {path} {name}"
