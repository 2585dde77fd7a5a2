"""What differs between two combos is said part by part, and what people ask about is named if it does not."""

from typing import Any

import pytest

from releases.combos import differences
from releases.combos.differences import NOTHING
from tests.engine import registry

WAS = registry.manifest("steps") | {"prompts": {"think": "Think."}, "model": "older at local"}
WAS |= {"tools": {"fake.void": {"version": "1"}}}


def said(**changes: Any) -> differences.Differences:
    return differences.between(WAS, {**WAS, **changes})


def test_a_prompt_that_changed_is_named_with_both_and_the_rest_is_said_to_be_the_same() -> None:
    found = said(prompts={"think": "Think twice."})
    [change] = found.changed
    assert change.startswith("prompt think ")
    assert found.same == ("rules", "tools", "model", "code")
    assert found.sentence == f"{change}; rules, tools, model, code same"


def test_a_prompt_more_or_less_has_nothing_on_one_side() -> None:
    [more] = said(prompts={"think": "Think.", "write": "Write."}).changed
    [less] = said(prompts={}).changed
    assert more.startswith(f"prompt write {NOTHING} → ")
    assert less.endswith(f" → {NOTHING}")


@pytest.mark.parametrize(
    ("changes", "begins"),
    [
        ({"model": "newer at local"}, "model older at local → newer at local"),
        ({"rules": {"rules_schema": 2}}, "rules "),
        ({"code": "a" * 64}, "code "),
        ({"state_schema": 7}, "state schema "),
        ({"lock": "b" * 64}, "lock "),
        ({"settings": {"x": 1}}, "settings "),
        ({"input_schema": {}}, "input schema "),
        ({"versions": {"data": "2"}}, "data "),
        (
            {"tools": {"fake.void": {"version": "1"}, "fake.new": {"version": "3"}}},
            f"tool fake.new {NOTHING} → 3 (",
        ),
    ],
)
def test_every_part_that_decides_a_run_is_told(changes: dict[str, Any], begins: str) -> None:
    assert any(each.startswith(begins) for each in said(**changes).changed)


def test_equal_combos_differ_in_nothing() -> None:
    found = said()
    assert found.changed == ()
    assert found.words == "nothing"
