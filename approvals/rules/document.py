"""The document of rules that a combo carries, read whole: one fault makes all of it unreadable.

    {"rules_schema": 2, "rules": [
       {"name": "two-for-much", "tool": "pay", "tenants": ["acme"],
        "if": {"magnitude": {"amount": {"over": 100000}}}, "then": "ask",
        "quorum": [{"who": {"group": "treasury"}, "people": 1},
                   {"who": {"permission": "approve_actions"}, "people": 1}],
        "expires_after_seconds": 3600, "reauthenticate": true}]}

Which verdicts take a second person may stand beside them: see `verdict_rules`. Published as
docs/schemas/rules.schema.json. Combos of before carry rules_schema 1.
"""

from collections.abc import Mapping
from typing import Any, Final

from approvals.rules import (
    classes,
    condition_forms,
    first_schema,
    naming,
    secondlooks,
    verdict_rules,
)
from approvals.rules.conditions import REVERSIBILITY, Condition
from approvals.rules.people import Quorum, Slot, read_slots, slot_of
from approvals.rules.reading import Problem, Reader, UnreadableRulesError, is_whole
from approvals.rules.requirements import LONGEST_EXPIRY_SECONDS, MOST_RULES
from approvals.rules.rule import ALLOW, ASK, DENY, EFFECTS, EVERY_TOOL, Rule
from approvals.rules.verdict_rules import VerdictRule

Json = Any

Both = tuple[tuple[Rule, ...], tuple[VerdictRule, ...]]

RULES_SCHEMA: Final = 2
LONGEST_SENTENCE: Final = 500

NEEDS: Final = {
    ASK: ("name", "tool", "then", "expires_after_seconds"),
    ALLOW: ("name", "tool", "then", "if", "expires_after_seconds"),
    DENY: ("name", "tool", "then", "because"),
}
MAY: Final = {
    ASK: ("tenants", "if", "who", "people", "quorum", "reauthenticate", "open_all", "second_look"),
    ALLOW: ("tenants",),
    DENY: ("tenants", "if"),
}


def read(document: Json) -> tuple[Rule, ...]:
    """All rules about effects. Raises `UnreadableRulesError`, naming the first fault."""
    return _faultless(document)[0]


def read_verdicts(document: Json) -> tuple[VerdictRule, ...]:
    """All rules about verdicts. Raises `UnreadableRulesError`, naming the first fault."""
    return _faultless(document)[1]


def problems(document: Json) -> list[Problem]:
    """Everything that is wrong with the document itself, empty when it can be read."""
    reader = Reader()
    _read(reader, document)
    return reader.problems


def _faultless(document: Json) -> Both:
    reader = Reader()
    both = _read(reader, document)
    if reader.problems:
        raise UnreadableRulesError(str(reader.problems[0]))
    return both


def _read(reader: Reader, document: Json) -> Both:
    members = reader.members(document, "", ("rules_schema", "rules"), ("verdicts",))
    if not members:
        return (), ()
    schema = members["rules_schema"]
    if not is_whole(schema) or schema not in (1, RULES_SCHEMA):
        reader.refuse("/rules_schema", f"is {schema!r}; this version reads 1 and 2.", "Say 2.")
        return (), ()
    if schema == 1 and "verdicts" in members:
        reader.refuse("/verdicts", "is no part of schema 1.", "Say 2.")
        return (), ()
    read_rule = first_schema.read_rule if schema == 1 else _rule
    found = [
        read_rule(reader, value, f"/rules/{index}")
        for index, value in enumerate(reader.items(members["rules"], "/rules", MOST_RULES, least=0))
    ]
    rules = tuple(rule for rule in found if rule is not None)
    reader.differ([rule.name for rule in rules if rule.name], "/rules")
    return rules, verdict_rules.read(reader, members.get("verdicts", []), "/verdicts")


def _rule(reader: Reader, value: Json, path: str) -> Rule | None:
    then = value.get("then") if isinstance(value, dict) else None
    if not isinstance(value, dict) or then not in EFFECTS:
        known = ", ".join(EFFECTS)
        reader.refuse(path, f"is no object that says one of {known}.", 'Say "then": "ask".')
        return None
    members = reader.members(value, path, NEEDS[then], MAY[then])
    if not members:
        return None
    conditions = (
        condition_forms.read(reader, members["if"], f"{path}/if") if "if" in members else ()
    )
    rule = Rule(
        name=naming.name(reader, members["name"], f"{path}/name"),
        tool=reader.text(members["tool"], f"{path}/tool", naming.LONGEST_TOOL),
        then=then,
        conditions=conditions,
        tenants=naming.tenants(reader, members, path),
        quorum=_quorum(reader, members, path) if then == ASK else None,
        expires_after_seconds=_expiry(reader, members, path),
        reauthenticate=reader.flag(members.get("reauthenticate", False), f"{path}/reauthenticate"),
        open_all=reader.flag(members.get("open_all", False), f"{path}/open_all"),
        second_look=_second_look(reader, members, path),
        because=_because(reader, members, path),
    )
    if then == ALLOW:
        _check_allow(reader, rule, path)
    return rule


def _quorum(reader: Reader, members: Mapping[str, Json], path: str) -> Quorum:
    name = str(members["name"])
    if "quorum" in members and not {"who", "people"} & set(members):
        return Quorum(name, read_slots(reader, members["quorum"], f"{path}/quorum"))
    if "quorum" in members or not {"who", "people"} <= set(members):
        reader.refuse(path, "must say who and people, or quorum.", "Give one of the two.")
        return Quorum(name, ())
    slot: Slot = slot_of(reader, members, path)
    return Quorum(name, (slot,))


def _check_allow(reader: Reader, rule: Rule, path: str) -> None:
    """What passes without a person must be named, and it must be possible to set it right."""
    if rule.tool == EVERY_TOOL:
        reader.refuse(f"{path}/tool", "allows every tool at once.", "Name the tool.")
    if not any(_is_harmless(condition) for condition in rule.conditions):
        said = "allows without saying of which classes, or allows what cannot be undone."
        do = f'Say "reversibility": ["{classes.REVERSIBLE}"]; {classes.IRREVERSIBLE} is asked.'
        reader.refuse(f"{path}/if/{REVERSIBILITY}", said, do)


def _is_harmless(condition: Condition) -> bool:
    return condition.subject == REVERSIBILITY and classes.IRREVERSIBLE not in condition.value


def _expiry(reader: Reader, members: Mapping[str, Json], path: str) -> int:
    if "expires_after_seconds" not in members:
        return 1
    at = f"{path}/expires_after_seconds"
    return reader.whole(members["expires_after_seconds"], at, LONGEST_EXPIRY_SECONDS)


def _second_look(reader: Reader, members: Mapping[str, Json], path: str) -> str:
    if "second_look" not in members:
        return secondlooks.NONE
    return reader.one_of(members["second_look"], f"{path}/second_look", secondlooks.KINDS)


def _because(reader: Reader, members: Mapping[str, Json], path: str) -> str:
    if "because" not in members:
        return ""
    return reader.text(members["because"], f"{path}/because", LONGEST_SENTENCE)
