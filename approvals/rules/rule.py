"""One rule, and the one question about it: does it bear on this effect?"""

from dataclasses import dataclass
from typing import Final

from approvals.rules.conditions import Condition, Effect, Window, all_hold
from approvals.rules.people import Quorum

ASK: Final = "ask"
ALLOW: Final = "allow"
DENY: Final = "deny"
EFFECTS: Final = (ASK, ALLOW, DENY)
EVERY_TOOL: Final = "*"


@dataclass(frozen=True)
class Rule:
    """What is demanded (`then` ask), passed (allow) or forbidden (deny) of which effects.

    `name` is "" in rules_schema 1. `tenants` are slugs, None for all. `quorum` is there when it
    asks; `because` when it denies.
    """

    name: str
    tool: str
    then: str
    conditions: tuple[Condition, ...] = ()
    tenants: tuple[str, ...] | None = None
    quorum: Quorum | None = None
    expires_after_seconds: int = 1
    reauthenticate: bool = False
    open_all: bool = False
    second_look: str = ""
    because: str = ""

    def concerns(self, tool: str, tenant: str) -> bool:
        """True if it is about this tool at this tenant (slug), whatever the effect."""
        return self.tool in (tool, EVERY_TOOL) and (self.tenants is None or tenant in self.tenants)

    def bears_on(self, effect: Effect) -> bool:
        """True if it counts for this effect. What cannot be told counts against the effect:
        it lets a rule ask and deny, and lets none allow."""
        if not self.concerns(effect.tool, effect.tenant):
            return False
        holds = all_hold(self.conditions, effect)
        return self.then != ALLOW if holds is None else holds

    def windows(self) -> list[Window]:
        """The sums that its conditions test."""
        return [each.key for each in self.conditions if isinstance(each.key, Window)]
