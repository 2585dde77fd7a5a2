"""What an effect needs before it may happen: a versioned document, judged by deterministic code.

Pure. The document is the JSON a combo carries::

    {"rules_schema": 1,
     "rules": [{"tool": "git_push", "then": "ask", "approvers": 1, "not_starter": true,
                "permission": "approve_actions", "expires_after_seconds": 86400},
               {"tool": "git_push", "then": "deny", "if": {"target_prefix": "prod/"},
                "because": "Production is pushed by hand."}]}

Every rule that fits counts: one *deny* denies, else the strictest of each demand is asked. What
no rule names is denied, and so is everything when any part of the document cannot be read.
There is no *allow*: in this schema each effect needs a person.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

Json = Any

RULES_SCHEMA: Final = 1
LONGEST_EXPIRY_SECONDS: Final = 30 * 24 * 3600

ASK_FIELDS: Final = {
    "tool", "then", "approvers", "not_starter", "permission", "expires_after_seconds",
}  # fmt: skip
# The rights that mean deciding; a rule cannot hand the decision to those who only look.
DECIDING: Final = ("approve_actions",)
CONDITIONS: Final = {"target_prefix", "magnitude_over"}


@dataclass(frozen=True)
class Requirement:
    """What must be true of the people before the effect may happen.

    `approvers` (at least 1) distinct people with `permission` at the tenant, none of them the one
    who started the run; `expires_after_seconds` from the question on.
    """

    approvers: int
    not_starter: bool
    permission: str
    expires_after_seconds: int

    def as_json(self) -> dict[str, Json]:
        """For the record."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> "Requirement":
        """From the record. Raises `UnreadableRulesError` when it demands less than one person."""
        return _requirement({"tool": "", "then": "ask", **value})


@dataclass(frozen=True)
class Deny:
    """The effect must not happen, whoever approves it; `reason` is a sentence for people."""

    reason: str


class UnreadableRulesError(ValueError):
    """The rules of this version combo cannot be read, so nothing is allowed."""


def evaluate(
    document: Json, *, tool: str, target: str, magnitude: Mapping[str, Json]
) -> Requirement | Deny:
    """What this effect needs. Never raises: what cannot be judged is denied."""
    try:
        fitting = [
            _outcome(rule)
            for rule in _rules(document)
            if rule["tool"] == tool and _fits(rule.get("if", {}), target, magnitude)
        ]
    except UnreadableRulesError as error:
        return Deny(f"The rules cannot be read: {error}")
    denials = [outcome for outcome in fitting if isinstance(outcome, Deny)]
    asks = [outcome for outcome in fitting if isinstance(outcome, Requirement)]
    if denials:
        return denials[0]
    if not asks:
        return Deny(f"No rule allows the tool {tool}.")
    return _strictest(asks)


def _strictest(asks: list[Requirement]) -> Requirement:
    return replace(
        asks[0],
        approvers=max(ask.approvers for ask in asks),
        expires_after_seconds=min(ask.expires_after_seconds for ask in asks),
    )


def _rules(document: Json) -> list[dict[str, Json]]:
    """All rules, each readable: one broken rule makes the whole document unreadable."""
    if not isinstance(document, dict) or set(document) != {"rules_schema", "rules"}:
        raise UnreadableRulesError("it must be an object of rules_schema and rules.")
    if not _is_count(document["rules_schema"]) or document["rules_schema"] != RULES_SCHEMA:
        raise UnreadableRulesError("this version reads rules_schema 1 only.")
    if not isinstance(document["rules"], list):
        raise UnreadableRulesError("rules must be a list.")
    for rule in document["rules"]:
        _check(rule)
    return document["rules"]


def _check(rule: Json) -> None:
    if not isinstance(rule, dict) or not isinstance(rule.get("tool"), str):
        raise UnreadableRulesError("a rule must be an object that names a tool.")
    _outcome(rule)
    _fits(rule.get("if", {}), "", {})


def _outcome(rule: Mapping[str, Json]) -> Requirement | Deny:
    demands = {name: value for name, value in rule.items() if name != "if"}
    if demands.get("then") == "ask":
        return _requirement(demands)
    if demands.get("then") != "deny" or set(demands) != {"tool", "then", "because"}:
        raise UnreadableRulesError("a rule says ask, or deny and because, and nothing unknown.")
    if not isinstance(demands["because"], str) or not demands["because"]:
        raise UnreadableRulesError("because must be a sentence.")
    return Deny(demands["because"])


def _requirement(demands: Mapping[str, Json]) -> Requirement:
    if set(demands) != ASK_FIELDS:
        raise UnreadableRulesError(f"ask needs exactly {', '.join(sorted(ASK_FIELDS))}.")
    approvers, seconds = demands["approvers"], demands["expires_after_seconds"]
    if not _is_count(approvers) or approvers < 1:
        raise UnreadableRulesError("approvers must be a whole number, 1 or more.")
    if not _is_count(seconds) or not 1 <= seconds <= LONGEST_EXPIRY_SECONDS:
        raise UnreadableRulesError(f"expires_after_seconds: 1 to {LONGEST_EXPIRY_SECONDS}.")
    if demands["not_starter"] is not True:
        raise UnreadableRulesError("not_starter must be true: nobody approves their own run.")
    if demands["permission"] not in DECIDING:
        raise UnreadableRulesError(f"permission must be one of {', '.join(DECIDING)}.")
    return Requirement(approvers, demands["not_starter"], demands["permission"], seconds)


def _fits(conditions: Json, target: str, magnitude: Mapping[str, Json]) -> bool:
    """True if every condition holds. A magnitude that is not a whole number is over any limit."""
    if not isinstance(conditions, dict) or set(conditions) - CONDITIONS:
        raise UnreadableRulesError(f"if knows {', '.join(sorted(CONDITIONS))}.")
    prefix, limits = conditions.get("target_prefix", ""), conditions.get("magnitude_over", {})
    if not isinstance(prefix, str):
        raise UnreadableRulesError("target_prefix must be text.")
    if not isinstance(limits, dict) or not all(_is_count(limit) for limit in limits.values()):
        raise UnreadableRulesError("magnitude_over must map names to whole numbers.")
    return target.startswith(prefix) and all(
        not _is_count(magnitude.get(name, 0)) or magnitude.get(name, 0) > limit
        for name, limit in limits.items()
    )


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
