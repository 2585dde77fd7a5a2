"""The published schema says the same as the code that reads."""

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from approvals.rules import problems
from tests import ground
from tests.approvals.rulebooks import EXAMPLES, PLAIN, SMALL, book, rulebooks

SCHEMA = json.loads((ground.ROOT / "docs/schemas/rules.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
# What a schema cannot say; its description names each.
ONLY_CODE = ("names one thing twice.", "and names 2.", "and names 1.")

spoiled = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 30), st.just(10**9), st.sampled_from(["", " ", "*"]),
    st.just([]), st.just({}), st.just(["x", "x"]), st.just({"more": 1}), st.floats(0.1, 0.9),
)  # fmt: skip


def agree(document: Any) -> None:
    found = [each.said for each in problems(document)]
    beyond = [said for said in found if said.endswith(ONLY_CODE)]
    if not found or len(beyond) < len(found):
        assert VALIDATOR.is_valid(document) == (not found), found


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: str(rule["name"]))
def test_every_example_is_read_and_valid(rule: Any) -> None:
    assert problems(book(rule)) == []
    assert VALIDATOR.is_valid(book(rule))


def test_the_example_of_the_documents_is_read_and_valid() -> None:
    text = (ground.ROOT / "docs/RULES.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    document = json.loads(example)
    assert problems(document) == []
    assert VALIDATOR.is_valid(document)


@given(rulebooks)
def test_what_is_made_by_the_rules_is_read_and_valid(rules: list[Any]) -> None:
    document = book(*rules)
    assert VALIDATOR.is_valid(document)
    assert all(each.said.endswith(ONLY_CODE) for each in problems(document))


@given(rulebooks, st.data())
def test_what_is_spoiled_is_refused_by_both_or_by_neither(rules: list[Any], data: Any) -> None:
    document: Any = book(*copy.deepcopy(rules))
    at = document
    while True:
        keys = sorted(at) if isinstance(at, dict) else range(len(at))
        if not keys:
            break
        key = data.draw(st.sampled_from(list(keys)))
        deeper = isinstance(at[key], dict | list) and at[key]
        if deeper and data.draw(st.integers(0, 4)):
            at = at[key]
            continue
        if isinstance(at, dict) and data.draw(st.booleans()):
            del at[key]
        else:
            at[key] = data.draw(spoiled)
        break
    agree(document)


@pytest.mark.parametrize(
    "broken",
    [
        {**PLAIN, "people": 0},
        {**PLAIN, "people": True},
        {**PLAIN, "who": {}},
        {**PLAIN, "who": {"named": []}},
        {**PLAIN, "who": {"permission": "view_runs"}},
        {**PLAIN, "who": {"group": ""}},
        {**PLAIN, "who": {"group": "a", "permission": "approve_actions"}},
        {**PLAIN, "quorum": []},
        {**PLAIN, "name": "Not A Name"},
        {**PLAIN, "name": "line\n"},
        {**PLAIN, "tenants": []},
        {**PLAIN, "if": {}},
        {**PLAIN, "if": {"magnitude": {"ammount": {"over": 1}}}},
        {**PLAIN, "if": {"magnitude": {"amount": {}}}},
        {**PLAIN, "if": {"sums": [{"of": "amount", "seconds": 60}]}},
        {**PLAIN, "if": {"parameters": {"to": {"equals": 1}}}},
        {**PLAIN, "then": "permit"},
        {**PLAIN, "then": "allow"},
        {**PLAIN, "then": "deny"},
        {**SMALL, "tool": "*"},
        {**SMALL, "if": {"target": {"prefix": "a"}}},
        {**SMALL, "if": {"reversibility": ["irreversible"]}},
        {**SMALL, "if": {"reversibility": ["reversible", "irreversible"]}},
        {name: value for name, value in PLAIN.items() if name != "people"},
        {name: value for name, value in PLAIN.items() if name != "name"},
    ],
)
def test_what_is_broken_is_refused_by_both_with_its_place_and_a_next_step(broken: Any) -> None:
    found = problems(book({**PLAIN, "name": "other"}, broken))
    assert not VALIDATOR.is_valid(book(broken))
    assert found
    assert all(each.path.startswith("/rules/1") and each.said and each.do for each in found)


def test_two_rules_of_one_name_and_more_people_than_names_are_refused_by_the_code() -> None:
    assert problems(book(PLAIN, PLAIN))[0].path == "/rules"
    many = {**PLAIN, "who": {"named": ["a@x", "A@x"]}, "people": 2}
    assert problems(book(many))[0].path == "/rules/0/who/named"
    assert problems(book({**PLAIN, "who": {"named": ["a@x"]}, "people": 2}))[0].path == "/rules/0"
