"""Verdicts under rules that demand a second person."""

from typing import Any

import pytest

from approvals.models import ToolClass
from checkpoints import registry as found
from tenants.models import Tenant
from tests.engine import registry
from tests.engine.faketools import ALL

ASK = {"then": "ask", "who": {"permission": "approve_actions"}, "people": 1}
EFFECTS = [
    {"name": tool.name.replace(".", "-").replace("_", "-"), "tool": tool.name, **ASK,
     "expires_after_seconds": 3600}
    for tool in ALL
]  # fmt: skip
TWO: dict[str, Any] = {"name": "two-of-us", "people": 2}


def demand(patch: pytest.MonkeyPatch, tenant: Tenant, *rules: dict[str, Any]) -> None:
    """Runs that start from now on carry these rules about verdicts; a yes takes no fresh proof."""
    for tool in ALL:
        ToolClass.objects.create(
            tenant=tenant, tool=tool.name, reversibility="reversible", why="A file.", set_by="test"
        )
    document = {"rules_schema": 2, "rules": EFFECTS, "verdicts": list(rules)}
    patch.setattr(registry, "RULES", document)
    found.agents.cache_clear()
