"""Every rule of the protocol has a test that produces what breaks it, and every name is true."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.protocol.rules import RULES, SCENARIOS

ROOT = Path(__file__).resolve().parent.parent.parent
NAMED = re.compile(r"test_rule_(\d+)_")


@cache
def named_in(path: Path) -> frozenset[str]:
    """Names of the test functions of a file, those of its classes too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return frozenset(name for name in found if name.startswith("test_"))


@cache
def by_number() -> dict[int, list[str]]:
    """Every test of the suite that is named after a rule."""
    found: dict[int, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in sorted(named_in(path)):
            if match := NAMED.match(name):
                found.setdefault(int(match[1]), []).append(f"{path.relative_to(ROOT)}::{name}")
    return found


def test_the_table_has_all_rules() -> None:
    assert list(RULES) == list(range(1, 25))
    assert len({rule.about for rule in RULES.values()}) == len(RULES)


@pytest.mark.parametrize("number", RULES)
def test_a_rule_has_a_test(number: int) -> None:
    assert [*RULES[number].tests, *by_number().get(number, [])]


@pytest.mark.parametrize("number", RULES)
def test_what_the_table_names_is_there(number: int) -> None:
    for test in RULES[number].tests:
        path, _, name = test.partition("::")
        assert (ROOT / path).exists(), test
        known = named_in(ROOT / path)
        assert name in known if name else known, test


def test_no_test_is_named_after_a_rule_that_does_not_exist() -> None:
    assert set(by_number()) <= set(RULES)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_has_a_test(scenario: str) -> None:
    named = f"test_{scenario}_"
    paths = (ROOT / "tests").rglob("test_*.py")
    assert any(name.startswith(named) for path in paths for name in named_in(path))
