"""On which effects a rule bears, and that what cannot be told counts against the effect."""

from typing import Any

import pytest

from approvals.rules import Deny, Effect, Requirement, Window, evaluate, sums_needed
from tests.approvals.rulebooks import DAY, NEVER, PLAIN, SMALL, TWO_ROLES, book

EFFECT = Effect("pay", "acme", target="bank", parameters={"to": "a", "list": ["x", {"n/m": 1}]})


def bears(condition: Any, **effect: Any) -> bool:
    """Whether a deny under this condition denies."""
    rule = {**NEVER, "if": condition}
    outcome = evaluate(book(PLAIN, rule), Effect(**{**vars(EFFECT), **effect}))
    return isinstance(outcome, Deny)


def passes(condition: Any, **effect: Any) -> bool:
    """Whether an allow under this condition allows."""
    rule = {**SMALL, "if": {"reversibility": ["reversible"], **condition}}
    known = {**vars(EFFECT), "reversibility": "reversible", **effect}
    return isinstance(evaluate(book(rule), Effect(**known)), Requirement)


@pytest.mark.parametrize(
    ("condition", "yes", "no"),
    [
        ({"target": {"prefix": "prod/"}}, {"target": "prod/x"}, {"target": "x/prod/"}),
        ({"target": {"equals": "bank"}}, {"target": "bank"}, {"target": "bank2"}),
        (
            {"magnitude": {"amount": {"over": 10}}},
            {"magnitude": {"amount": 11}},
            {"magnitude": {"amount": 10}},
        ),
        ({"magnitude": {"files": {"under": 3}}}, {"magnitude": {}}, {"magnitude": {"files": 3}}),
        (
            {"magnitude": {"currency": {"in": ["EUR", "USD"]}}},
            {"magnitude": {"currency": "USD"}},
            {"magnitude": {"currency": "JPY"}},
        ),
        ({"diff": {"bytes": {"over": 9}}}, {"diff_bytes": 10}, {"diff_bytes": 9}),
        ({"diff": {"files": {"over": 1}}}, {"diff_files": 2}, {"diff_files": 1}),
        (
            {"reversibility": ["irreversible"]},
            {"reversibility": "irreversible"},
            {"reversibility": "compensable"},
        ),
        (
            {"sums": [{"of": "amount", "seconds": 60, "over": 5}]},
            {"sums": {Window("amount", 60): 6}},
            {"sums": {Window("amount", 60): 5}},
        ),
        (
            {"parameters": {"/to": {"in": ["b", "c"]}}},
            {"parameters": {"to": "b"}},
            {"parameters": {"to": "a"}},
        ),
        (
            {"parameters": {"/n": {"equals": 1}}},
            {"parameters": {"n": 1}},
            {"parameters": {"n": True}},
        ),
        (
            {"parameters": {"/n": {"over": 1}}},
            {"parameters": {"n": 1.5}},
            {"parameters": {"n": 1}},
        ),
        (
            {"parameters": {"/list/1/n~1m": {"equals": 1}}},
            {},
            {"parameters": {"list": ["x", {"n/m": "1"}]}},
        ),
    ],
)
def test_a_condition_holds_or_not(condition: Any, yes: Any, no: Any) -> None:
    assert bears(condition, **yes)
    assert not bears(condition, **no)
    assert passes(condition, **yes) or "reversibility" in condition
    assert not passes(condition, **no) or "reversibility" in condition


@pytest.mark.parametrize(
    ("condition", "effect"),
    [
        ({"magnitude": {"amount": {"over": 10**6}}}, {"magnitude": {"amount": "7"}}),
        ({"magnitude": {"amount": {"under": 10**6}}}, {"magnitude": {"amount": -1}}),
        ({"magnitude": {"amount": {"under": 10}}}, {"magnitude": {"amount": True}}),
        ({"diff": {"files": {"under": 10}}}, {"diff_files": None}),
        ({"sums": [{"of": "amount", "seconds": 60, "under": 5}]}, {"sums": {}}),
        ({"parameters": {"/n": {"under": 5}}}, {"parameters": {}}),
        ({"parameters": {"/n": {"under": 5}}}, {"parameters": {"n": "1"}}),
        ({"parameters": {"/n": {"over": 0}}}, {"parameters": None}),
    ],
)
def test_what_cannot_be_told_denies_and_never_allows(condition: Any, effect: Any) -> None:
    assert bears(condition, **effect)
    assert not passes(condition, **effect)


def test_what_is_not_there_equals_nothing() -> None:
    assert not bears({"parameters": {"/force": {"equals": True}}})
    assert not bears({"parameters": {"/list/9": {"equals": "x"}}})
    assert not bears({"parameters": {"/list/01": {"equals": {"n/m": 1}}}})


def test_all_conditions_of_a_rule_must_hold() -> None:
    both = {"target": {"prefix": "b"}, "magnitude": {"amount": {"over": 10}}}
    assert bears(both, magnitude={"amount": 11})
    assert not bears(both, magnitude={"amount": 11}, target="c")


def test_a_rule_of_other_tenants_or_tools_bears_on_nothing_here() -> None:
    assert isinstance(evaluate(book({**PLAIN, "tenants": ["other"]}), EFFECT), Deny)
    assert isinstance(evaluate(book({**PLAIN, "tool": "mail"}), EFFECT), Deny)
    assert isinstance(evaluate(book({**PLAIN, "tool": "*"}), EFFECT), Requirement)


def test_ask_wins_over_allow_in_any_order() -> None:
    yes = {**SMALL, "if": {"reversibility": ["reversible"]}}
    known = Effect(**{**vars(EFFECT), "reversibility": "reversible"})
    for rules in ([PLAIN, yes], [yes, PLAIN]):
        outcome = evaluate(book(*rules), known)
        assert isinstance(outcome, Requirement)
        assert (outcome.automatic, outcome.approvers) == ("", 1)
    alone = evaluate(book(yes), known)
    assert isinstance(alone, Requirement)
    assert alone.automatic == "small"


def test_a_deny_names_its_rule_and_its_reason() -> None:
    outcome = evaluate(book(PLAIN, {**NEVER, "if": {"target": {"equals": "bank"}}}), EFFECT)
    said = "The rule “never” denies this: Production is changed by hand."
    assert outcome == Deny(said, "never")


def test_asks_of_several_rules_add_up_and_the_shortest_time_counts() -> None:
    big = Effect("pay", "acme", magnitude={"amount": 5000, "currency": "EUR"})
    outcome = evaluate(book(PLAIN, TWO_ROLES), big)
    assert isinstance(outcome, Requirement)
    assert (outcome.approvers, outcome.expires_after_seconds) == (2, 3600)
    assert [part.rule for part in outcome.parts()] == ["a-person", "two-roles"]
    assert (outcome.rules, outcome.reauthenticate) == (("two-roles", "a-person"), True)
    assert outcome.reversibility == "irreversible"


def test_only_the_sums_of_rules_about_this_tool_and_tenant_are_needed() -> None:
    document = book(PLAIN, SMALL)
    assert sums_needed(document, tool="pay", tenant="acme") == (Window("amount", DAY),)
    assert sums_needed(document, tool="mail", tenant="acme") == ()
    assert sums_needed("unreadable", tool="pay", tenant="acme") == ()
