"""Each scenario of docs/SCENARIOS.md is there once, and names tests there are or says what is missing."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "docs" / "SCENARIOS.md").read_text(encoding="utf-8")
NUMBERS = """
01 03 06 08 10 12 14 16 19
20 22 24 25 27 28 29 31 32 33 35 36 37 38
40 42 44 45 47 49 51 52 54
60 62 63 64 66 67 69 72 75 76
80 82 85 87 89 90 91 92 93
100 102 104 107 109
110 112
120 123 124 125 126 127 128 129 130 131 133 134 137
"""
IDS = [f"S{number}" for number in NUMBERS.split()]
ROWS = dict(re.findall(r"^\| (S\d+) \| (.*) \|$", TEXT, re.MULTILINE))


def named_in(row: str) -> list[str]:
    return re.findall(r"`(tests/[^`]+\.py::[^`]+)`", row)


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def numbered() -> Iterator[tuple[str, str]]:
    """Every test that carries numbers of scenarios, with each of them."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in re.findall(r"^ *def (test_s\d\w*)", path.read_text("utf-8"), re.MULTILINE):
            found = re.match(r"test_((?:s\d+_)+)", name)
            for number in found[1].upper().split("_")[:-1] if found else ():
                yield number, f"{path.relative_to(ROOT)}::{name}"


def test_every_scenario_has_one_row_in_order() -> None:
    assert re.findall(r"^\| (S\d+) \|", TEXT, re.MULTILINE) == IDS
    assert list(ROWS) == IDS


@pytest.mark.parametrize("number", IDS)
def test_a_scenario_names_tests_that_exist_or_says_what_is_missing(number: str) -> None:
    *_, shown = ROWS[number].partition(" | ")
    named = named_in(shown)
    assert named or shown.startswith("Does not apply: ") or "**not shown yet**" in shown.lower()
    assert len(named) == shown.count("::")
    for test in named:
        path, _, name = test.partition("::")
        assert name.startswith("test_")
        assert name in functions_of(ROOT / path), f"{number}: {test}"


def test_a_test_that_carries_a_number_stands_in_its_row() -> None:
    missing = [(number, test) for number, test in numbered() if f"`{test}`" not in ROWS[number]]
    assert missing == []
