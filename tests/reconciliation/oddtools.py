"""Tools that misbehave in one chosen way, in place of the fake of the same name."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from reconciliation.tools import Absent, Call, Capabilities, Found, Sent, Unanswered, Voided
from tests.engine import registry
from tests.engine.faketools import Fake


class Odd(Fake):
    """A fake that also does what it is told, and remembers what it was asked."""

    def __init__(self, name: str, capabilities: Capabilities) -> None:
        super().__init__(name, capabilities)
        self.asked: list[str] = []
        self.performing: Callable[[Call], Sent] | None = None
        self.looking_up: Callable[[Call], Found | Absent] | None = None
        self.target_is_gone = False

    def perform(self, call: Call) -> Sent:
        self.asked.append("perform")
        return self.performing(call) if self.performing else super().perform(call)

    def look_up(self, call: Call) -> Found | Absent:
        self.asked.append("look_up")
        return self.looking_up(call) if self.looking_up else super().look_up(call)

    def void(self, call: Call) -> Voided | Found:
        self.asked.append("void")
        return super().void(call)

    def capabilities_for(self, tenant: str, parameters: Any) -> Capabilities:
        if self.target_is_gone:
            raise Unanswered("the target is gone")
        return super().capabilities_for(tenant, parameters)

    def lose_the_request(self) -> None:
        """From now on nothing arrives, and no answer comes."""
        self.performing = lost


@dataclass
class Late:
    """Calls that stand still in the network and arrive when the test says so."""

    held: list[Call] = field(default_factory=list)

    def hold(self, call: Call) -> Sent:
        self.held.append(call)
        raise TimeoutError("no answer in time")

    def arrive(self, tool: Fake) -> None:
        """Every held call reaches the world now; what it answers reaches nobody."""
        for call in self.held:
            try:
                Fake.perform(tool, call)
            except FileExistsError:
                continue


def put(patch: pytest.MonkeyPatch, name: str, capabilities: Capabilities | None = None) -> Odd:
    """Replace the fake of that name; it keeps its capabilities unless others are given."""
    known = registry.TOOLS.by_name[name].capabilities
    odd = Odd(name, capabilities or known)
    patch.setitem(registry.TOOLS.by_name, name, odd)
    return odd


def lost(call: Call) -> Sent:
    """The request never arrived, and nobody says so."""
    raise ConnectionError("the line is cut")
