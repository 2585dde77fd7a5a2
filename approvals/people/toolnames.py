"""The tools that a tenant can meet: of what this installation runs, of newer combos, of its own word."""

from typing import Any, Final

from approvals.people import reversibility
from canonical import json as canonical
from canonical.errors import CanonicalError
from checkpoints.models import Combo
from checkpoints.registry import agents
from tenants.models import Tenant

MOST_COMBOS: Final = 20


def known(tenant: Tenant) -> list[str]:
    """Names of tools, each once, in order: those that graphs and the newest combos may use, and
    those the tenant has spoken about."""
    installed = {tool for graph in agents().GRAPHS.values() for tool in graph.manifest.tools}
    said = {each.tool for each in reversibility.classes_of(tenant)}
    return sorted(installed | said | _of_combos())


def _of_combos() -> set[str]:
    newest = Combo.objects.order_by("-pk").values_list("manifest", flat=True)[:MOST_COMBOS]
    return {tool for manifest in newest for tool in _tools(bytes(manifest))}


def _tools(manifest: bytes) -> list[str]:
    try:
        found: Any = canonical.loads(manifest)
        return [str(name) for name in found.get("tools", {})]
    except (CanonicalError, AttributeError, TypeError):
        return []  # what is wrong is told where the combo is used
