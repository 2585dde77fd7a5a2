"""What the newer worker pool runs: the same task, by other code."""

from typing import Any

from reconciliation.tools import Tools
from tests.releases.combos.old_pool import TASK, graph, said

GRAPHS = {TASK: graph("new")}
TOOLS = Tools({})


def manifest(_task_type: str) -> dict[str, Any]:
    return said("new")
