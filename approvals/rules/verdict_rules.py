"""Which verdicts take a second person: the part `verdicts` of a document of rules.

    {"rules_schema": 2, "rules": […], "verdicts": [
       {"name": "money-takes-two", "people": 2, "cases": ["outcome_unknown"],
        "verdicts": ["it_happened", "write_off"], "tool": "refund",
        "if": {"magnitude": {"amount": {"over": 10000}}}},
       {"name": "not-their-own", "not_starter_alone": true}]}

What a rule leaves out, it does not test: it bears on every case, verdict, tool and tenant.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from approvals.rules import condition_forms, naming
from approvals.rules.conditions import Condition, Effect, all_hold
from approvals.rules.reading import Reader
from approvals.rules.rule import EVERY_TOOL
from checkpoints import states

Json = Any

MOST_VERDICT_RULES: Final = 100
MAY: Final = ("tool", "tenants", "if", "cases", "verdicts", "people", "not_starter_alone")


@dataclass(frozen=True)
class Ruled:
    """What is judged: a verdict in a case of a kind, and the effect it is about.

    Of a case without an effect the tool is "". `by_starter`: who gives it started the run.
    """

    kind: str
    verdict: str
    effect: Effect
    by_starter: bool = False


@dataclass(frozen=True)
class VerdictRule:
    """One rule: which verdicts it is about, and whether they take two, or two when it is the
    starter's own. `cases` and `verdicts` are None for all of them."""

    name: str
    tool: str = EVERY_TOOL
    tenants: tuple[str, ...] | None = None
    conditions: tuple[Condition, ...] = ()
    cases: tuple[str, ...] | None = None
    verdicts: tuple[str, ...] | None = None
    people: int = 1
    not_starter_alone: bool = False

    def demands_two(self, ruled: Ruled) -> bool:
        """True if this verdict takes a second person. What cannot be told demands one."""
        effect = ruled.effect
        concerns = (
            self.tool in (effect.tool, EVERY_TOOL)
            and (self.tenants is None or effect.tenant in self.tenants)
            and (self.cases is None or ruled.kind in self.cases)
            and (self.verdicts is None or ruled.verdict in self.verdicts)
        )
        if not concerns or all_hold(self.conditions, effect) is False:
            return False
        return self.people > 1 or (self.not_starter_alone and ruled.by_starter)


def read(reader: Reader, value: Json, path: str) -> tuple[VerdictRule, ...]:
    """All rules about verdicts; faults are kept by the reader."""
    items = reader.items(value, path, MOST_VERDICT_RULES, least=0)
    found = [_rule(reader, each, f"{path}/{index}") for index, each in enumerate(items)]
    rules = tuple(rule for rule in found if rule is not None)
    reader.differ([rule.name for rule in rules if rule.name], path)
    return rules


def _rule(reader: Reader, value: Json, path: str) -> VerdictRule | None:
    members = reader.members(value, path, ("name",), MAY)
    if not members:
        return None
    rule = VerdictRule(
        name=naming.name(reader, members["name"], f"{path}/name"),
        tool=reader.text(members.get("tool", EVERY_TOOL), f"{path}/tool", naming.LONGEST_TOOL),
        tenants=naming.tenants(reader, members, path),
        conditions=condition_forms.read(reader, members["if"], f"{path}/if")
        if "if" in members
        else (),
        cases=_words(reader, members, f"{path}/cases", states.CASE_KINDS),
        verdicts=_words(reader, members, f"{path}/verdicts", states.VERDICTS),
        people=reader.whole(members.get("people", 1), f"{path}/people", 2),
        not_starter_alone=reader.flag(
            members.get("not_starter_alone", False), f"{path}/not_starter_alone"
        ),
    )
    if rule.people == 1 and not rule.not_starter_alone:
        reader.refuse(path, "demands nothing.", 'Say "people": 2, or "not_starter_alone": true.')
    return rule


def _words(
    reader: Reader, members: Mapping[str, Json], path: str, known: Collection[str]
) -> tuple[str, ...] | None:
    name = path.rsplit("/", 1)[1]
    if name not in members:
        return None
    words = [
        reader.one_of(word, f"{path}/{index}", known)
        for index, word in enumerate(reader.items(members[name], path, len(known)))
    ]
    reader.differ(words, path)
    return tuple(words)
