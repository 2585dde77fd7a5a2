"""Which verdicts take a second person, by the rules; and how the document is read and published."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from approvals.rules import Effect, Ruled, UnreadableRulesError, problems, second_person_for
from approvals.rules.document import read_verdicts
from checkpoints import states
from tests import ground

SCHEMA = json.loads((ground.ROOT / "docs/schemas/rules.schema.json").read_text(encoding="utf-8"))
REFUND = Effect(tool="refund", tenant="acme", magnitude={"amount": 20_000, "currency": "EUR"})


def book(*rules: Any) -> dict[str, Any]:
    return {"rules_schema": 2, "rules": [], "verdicts": list(rules)}


def ruled(kind: str = "outcome_unknown", verdict: str = "it_happened", **more: Any) -> Ruled:
    return Ruled(kind, verdict, **{"effect": REFUND, **more})


@pytest.mark.parametrize(
    ("rule", "asks"),
    [
        ({"people": 2}, True),
        ({"people": 2, "tool": "refund"}, True),
        ({"people": 2, "tool": "mail"}, False),
        ({"people": 2, "tenants": ["acme"]}, True),
        ({"people": 2, "tenants": ["other"]}, False),
        ({"people": 2, "cases": ["outcome_unknown"]}, True),
        ({"people": 2, "cases": ["crash_loop"]}, False),
        ({"people": 2, "verdicts": ["it_happened", "write_off"]}, True),
        ({"people": 2, "verdicts": ["write_off"]}, False),
        ({"people": 2, "if": {"magnitude": {"amount": {"over": 10_000}}}}, True),
        ({"people": 2, "if": {"magnitude": {"amount": {"over": 30_000}}}}, False),
        ({"people": 2, "if": {"reversibility": ["irreversible"]}}, True),
        ({"people": 2, "if": {"reversibility": ["reversible"]}}, False),
        ({"people": 2, "if": {"diff": {"bytes": {"over": 10}}}}, True),  # it cannot be told
        ({"not_starter_alone": True}, False),
    ],
)
def test_a_rule_demands_a_second_person_by_kind_tool_class_and_amount(
    rule: Any, asks: bool
) -> None:
    assert second_person_for(book({"name": "two", **rule}), ruled()) == (("two",) if asks else ())


def test_whoever_started_the_run_is_not_alone_where_the_rules_say_so() -> None:
    document = book({"name": "not-their-own", "not_starter_alone": True})
    assert second_person_for(document, ruled(by_starter=True)) == ("not-their-own",)


def test_without_rules_about_verdicts_one_person_is_enough() -> None:
    assert second_person_for({"rules_schema": 2, "rules": []}, ruled()) == ()
    assert second_person_for(None, ruled()) == ()


@pytest.mark.parametrize("document", ["x", {}, {"rules_schema": 9, "rules": []}, book({"name": 1})])
def test_rules_that_cannot_be_read_demand_a_second_person(document: Any) -> None:
    assert second_person_for(document, ruled()) == ("unreadable-rules",)


@pytest.mark.parametrize(
    "rule",
    [
        {"people": 2},
        {"name": "x"},
        {"name": "x", "people": 1},
        {"name": "x", "people": 3},
        {"name": "x", "people": 2, "cases": []},
        {"name": "x", "people": 2, "cases": ["typo"]},
        {"name": "x", "people": 2, "verdicts": ["typo"]},
        {"name": "x", "people": 2, "quorum": []},
        {"name": "x", "people": 2, "if": {}},
        {"name": "x", "not_starter_alone": False},
        {"name": "X!", "people": 2},
    ],
)
def test_what_says_nothing_or_nothing_known_is_refused_by_code_and_schema(rule: Any) -> None:
    assert problems(book(rule))
    assert not Draft202012Validator(SCHEMA).is_valid(book(rule))
    with pytest.raises(UnreadableRulesError):
        read_verdicts(book(rule))


def test_code_and_schema_know_the_same_words() -> None:
    rule = {
        "name": "all",
        "people": 2,
        "cases": list(states.CASE_KINDS),
        "verdicts": list(states.VERDICTS),
    }
    assert problems(book(rule)) == []
    assert Draft202012Validator(SCHEMA).is_valid(book(rule))


def test_schema_1_has_no_such_part() -> None:
    assert problems({"rules_schema": 1, "rules": [], "verdicts": []})
