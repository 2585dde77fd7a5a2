"""What one effect needs, by the rules: deny over ask over allow, and nothing said is a deny."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from approvals.rules import classes, secondlooks
from approvals.rules.conditions import Effect, Window
from approvals.rules.document import read, read_verdicts
from approvals.rules.people import ANYBODY, DECIDING, Quorum
from approvals.rules.reading import UnreadableRulesError
from approvals.rules.requirements import Requirement
from approvals.rules.rule import ALLOW, ASK, DENY, Rule
from approvals.rules.verdict_rules import Ruled

Json = Any

# Stands for a rule where no rules can be read: fail closed.
UNREADABLE: Final = "unreadable-rules"


@dataclass(frozen=True)
class Deny:
    """The effect must not happen, whoever approves it; `reason` is a sentence for people.

    `rule` is the name of the rule that denies, "" when it has none or no rule says so.
    """

    reason: str
    rule: str = ""


def evaluate(document: Json, effect: Effect) -> Requirement | Deny:
    """What this effect needs. Never raises: what cannot be judged is denied.

    Every rule that bears on it counts: one deny denies; else each ask must be satisfied, in the
    shortest time that one gives; else one allow lets it pass; else it is denied.
    """
    try:
        bearing = [rule for rule in read(document) if rule.bears_on(effect)]
    except UnreadableRulesError as error:
        return Deny(f"The rules cannot be read: {error}")
    denying = [rule for rule in bearing if rule.then == DENY]
    asking = [rule for rule in bearing if rule.then == ASK]
    allowing = [rule for rule in bearing if rule.then == ALLOW]
    if denying:
        return _denied(denying[0])
    if asking:
        return demand_of(asking, effect.reversibility)
    if allowing:
        return _passed(allowing[0], effect)
    return Deny(f"No rule allows the tool {effect.tool}.")


def sums_needed(document: Json, *, tool: str, tenant: str) -> tuple[Window, ...]:
    """The sums that the rules of this tool at this tenant (slug) test, each once.

    No sum when the document cannot be read: then nothing is allowed anyway.
    """
    try:
        rules = read(document)
    except UnreadableRulesError:
        return ()
    windows = [each for rule in rules if rule.concerns(tool, tenant) for each in rule.windows()]
    return tuple(dict.fromkeys(windows))


def second_person_for(document: Json, ruled: Ruled) -> tuple[str, ...]:
    """The rules that demand a second person for this verdict, by name; none: one is enough.

    Never raises: for a document that cannot be read, `UNREADABLE` demands one. A combo without any
    document allows no effect, so there is nothing that two people would have to say of the world.
    """
    if document is None:
        return ()
    try:
        rules = read_verdicts(document)
    except UnreadableRulesError:
        return (UNREADABLE,)
    return tuple(rule.name for rule in rules if rule.demands_two(ruled))


def demand_of(rules: Sequence[Rule], reversibility: str) -> Requirement:
    """What these asking rules demand together: each of them is satisfied, in the shortest time."""
    quorums = tuple(rule.quorum for rule in rules if rule.quorum is not None)
    # The one that demands the most people comes first: it is the one to name.
    heaviest = sorted(rules, key=lambda rule: -rule.quorum.people if rule.quorum else 0)
    names = tuple(rule.name for rule in heaviest if rule.name)
    return Requirement(
        approvers=max(quorum.people for quorum in quorums),
        not_starter=True,
        permission=DECIDING,
        expires_after_seconds=min(rule.expires_after_seconds for rule in rules),
        quorums=() if all(_is_plain(quorum) for quorum in quorums) else quorums,
        rules=names,
        reauthenticate=any(rule.reauthenticate for rule in rules),
        open_all=any(rule.open_all for rule in rules),
        second_look=max((rule.second_look for rule in rules), key=secondlooks.rank),
        reversibility=classes.as_known(reversibility) if names else "",
    )


def _denied(rule: Rule) -> Deny:
    if not rule.name:
        return Deny(rule.because)
    return Deny(f"The rule “{rule.name}” denies this: {rule.because}", rule.name)


def _passed(rule: Rule, effect: Effect) -> Requirement:
    return Requirement(
        approvers=0,
        not_starter=True,
        permission=DECIDING,
        expires_after_seconds=rule.expires_after_seconds,
        rules=(rule.name,),
        reversibility=classes.as_known(effect.reversibility),
        automatic=rule.name,
    )


def _is_plain(quorum: Quorum) -> bool:
    """True if anybody with the right to decide counts: the number of them says it all."""
    return all(slot.who == ANYBODY for slot in quorum.slots)
