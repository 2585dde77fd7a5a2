"""rules_schema 1, which combos of before carry: ask and deny, by target prefix and magnitude.

{"tool": "git_push", "then": "ask", "approvers": 1, "not_starter": true,
 "permission": "approve_actions", "expires_after_seconds": 86400}
{"tool": "git_push", "then": "deny", "if": {"target_prefix": "prod/"}, "because": "By hand."}
"""

from collections.abc import Mapping
from typing import Any, Final

from approvals.rules.conditions import MAGNITUDE, OVER, PREFIX, TARGET, Condition
from approvals.rules.people import ANYBODY, DECIDING, MOST_PEOPLE, Quorum, Slot
from approvals.rules.reading import Reader, is_whole
from approvals.rules.requirements import LONGEST_EXPIRY_SECONDS
from approvals.rules.rule import ASK, DENY, Rule

Json = Any

NEEDS: Final = {
    ASK: ("approvers", "not_starter", "permission", "expires_after_seconds"),
    DENY: ("because",),
}
LONGEST: Final = 2**20


def read_rule(reader: Reader, value: Json, path: str) -> Rule | None:
    """One rule, None when it cannot be read."""
    then = value.get("then") if isinstance(value, dict) else None
    if not isinstance(value, dict) or then not in (ASK, DENY):
        reader.refuse(path, "is no object that says ask or deny.", 'Say "then": "ask" or "deny".')
        return None
    members = reader.members(value, path, ("tool", "then", *NEEDS[then]), ("if",))
    if not members or not isinstance(members["tool"], str):
        reader.refuse(path, "names no tool.", "Name its tool.")
        return None
    conditions = _conditions(reader, members.get("if", {}), f"{path}/if")
    if then == DENY:
        because = reader.text(members["because"], f"{path}/because", LONGEST)
        return Rule("", members["tool"], DENY, conditions, because=because)
    return _ask(reader, members, path, conditions)


def _ask(
    reader: Reader, members: Mapping[str, Json], path: str, conditions: tuple[Condition, ...]
) -> Rule:
    people = reader.whole(members["approvers"], f"{path}/approvers", MOST_PEOPLE)
    if members["not_starter"] is not True:
        said = "must be true: nobody approves their own run."
        reader.refuse(f"{path}/not_starter", said, "Say true.")
    reader.one_of(members["permission"], f"{path}/permission", (DECIDING,))
    expires = reader.whole(
        members["expires_after_seconds"], f"{path}/expires_after_seconds", LONGEST_EXPIRY_SECONDS
    )
    quorum = Quorum("", (Slot(ANYBODY, people),))
    return Rule("", members["tool"], ASK, conditions, quorum=quorum, expires_after_seconds=expires)


def _conditions(reader: Reader, value: Json, path: str) -> tuple[Condition, ...]:
    members = reader.members(value, path, (), ("target_prefix", "magnitude_over"))
    prefix, limits = members.get("target_prefix", ""), members.get("magnitude_over", {})
    if not isinstance(prefix, str):
        reader.refuse(f"{path}/target_prefix", "must be text.", "Write it in quotes.")
        return ()
    if not isinstance(limits, dict) or not all(is_whole(limit) for limit in limits.values()):
        said = "must map names to whole numbers."
        reader.refuse(f"{path}/magnitude_over", said, 'Such as {"files": 10}.')
        return ()
    found = [Condition(TARGET, TARGET, PREFIX, prefix)] if prefix else []
    found += [Condition(MAGNITUDE, name, OVER, limit) for name, limit in limits.items()]
    return tuple(found)
