"""The rules: deny over ask, and whatever cannot be read denies."""

from dataclasses import replace
from typing import Any

import pytest

from approvals import rules as rules_
from approvals.rules import Deny, Effect, Requirement, UnreadableRulesError

# A policy as task types carry it: a push and a mail each need one person more.
STANDARD: dict[str, Any] = {
    "rules_schema": 1,
    "rules": [
        {
            "tool": tool,
            "then": "ask",
            "approvers": 1,
            "not_starter": True,
            "permission": "approve_actions",
            "expires_after_seconds": 24 * 3600,
        }
        for tool in ("git.push", "mail.send")
    ],
}
ONE = Requirement(
    1, not_starter=True, permission="approve_actions", expires_after_seconds=24 * 3600
)


def ask(**changed: Any) -> dict[str, Any]:
    return {**STANDARD["rules"][0], **changed}


def evaluate(document: Any, **effect: Any) -> Requirement | Deny:
    return rules_.evaluate(document, Effect(tenant="acme", **effect))


def judge(*rules: Any, target: str = "origin/main", **magnitude: Any) -> Requirement | Deny:
    document = {"rules_schema": 1, "rules": list(rules)}
    return evaluate(document, tool="git.push", target=target, magnitude=magnitude)


@pytest.mark.parametrize("tool", ["git.push", "mail.send"])
def test_push_and_mail_need_one_approver_who_did_not_start(tool: str) -> None:
    assert evaluate(STANDARD, tool=tool, target="x", magnitude={}) == ONE


def test_a_tool_without_a_rule_is_denied() -> None:
    outcome = evaluate(STANDARD, tool="shell.run", target="x", magnitude={})
    assert outcome == Deny("No rule allows the tool shell.run.")


def test_deny_wins_over_ask_in_any_order() -> None:
    no = {"tool": "git.push", "then": "deny", "because": "Freeze."}
    assert judge(ask(), no) == judge(no, ask()) == Deny("Freeze.")


def test_the_strictest_demand_of_all_fitting_rules_counts() -> None:
    strict = ask(approvers=2, expires_after_seconds=99_000)
    assert judge(ask(), strict) == replace(ONE, approvers=2)
    assert judge(strict, ask(expires_after_seconds=60)) == replace(
        ONE, approvers=2, expires_after_seconds=60
    )


def test_conditions_test_target_and_magnitude() -> None:
    big = ask(approvers=2, **{"if": {"magnitude_over": {"files": 10}}})
    prod = {"tool": "git.push", "then": "deny", "because": "No.", "if": {"target_prefix": "prod/"}}
    assert judge(ask(), big, prod, files=10) == ONE
    assert judge(ask(), big, prod, files=11) == replace(ONE, approvers=2)
    assert judge(ask(), big, prod, target="prod/x") == Deny("No.")


@pytest.mark.parametrize("files", ["many", None, True, 1.5])
def test_a_magnitude_that_is_no_number_is_over_every_limit(files: Any) -> None:
    no = {
        "tool": "git.push",
        "then": "deny",
        "because": "Too much.",
        "if": {"magnitude_over": {"files": 10**9}},
    }
    assert judge(ask(), no, files=files) == Deny("Too much.")


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        "{}",
        {},
        {"rules": []},
        {"rules_schema": 3, "rules": []},
        {"rules_schema": True, "rules": [ask()]},
        {"rules_schema": 1, "rules": {}},
        {"rules_schema": 1, "rules": [], "more": 1},
    ],
)
def test_a_document_that_cannot_be_read_denies(document: Any) -> None:
    outcome = evaluate(document, tool="git.push", target="x", magnitude={})
    assert isinstance(outcome, Deny)
    assert outcome.reason.startswith("The rules cannot be read")


@pytest.mark.parametrize(
    "broken",
    [
        None,
        {},
        {"tool": "other"},
        {"tool": "other", "then": "allow"},
        {"tool": "other", "then": "deny"},
        {"tool": "other", "then": "deny", "because": ""},
        {"tool": "other", "then": "deny", "because": "No.", "more": 1},
        ask(approvers=0),
        ask(approvers=-1),
        ask(approvers=True),
        ask(approvers="1"),
        ask(not_starter=False),
        ask(not_starter=1),
        ask(permission="view_runs"),
        ask(permission=""),
        ask(expires_after_seconds=0),
        ask(expires_after_seconds=10**9),
        ask(more=1),
        {name: value for name, value in ask().items() if name != "approvers"},
        ask(**{"if": []}),
        ask(**{"if": {"colour": "red"}}),
        ask(**{"if": {"target_prefix": 1}}),
        ask(**{"if": {"magnitude_over": []}}),
        ask(**{"if": {"magnitude_over": {"files": "1"}}}),
    ],
)
def test_one_broken_rule_denies_everything(broken: Any) -> None:
    outcome = judge(ask(), broken)
    assert isinstance(outcome, Deny)
    assert outcome.reason.startswith("The rules cannot be read")


def test_no_rules_deny() -> None:
    assert isinstance(judge(), Deny)


def test_a_requirement_reads_back_from_the_record() -> None:
    assert Requirement.from_json(ONE.as_json()) == ONE


@pytest.mark.parametrize("changed", [{"approvers": 0}, {"not_starter": False}, {"more": 1}])
def test_a_requirement_of_nobody_is_unreadable(changed: dict[str, Any]) -> None:
    with pytest.raises(UnreadableRulesError):
        Requirement.from_json({**ONE.as_json(), **changed})
