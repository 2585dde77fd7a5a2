"""What this installation runs: its graphs, its tools, and the versions a combo is made of.

The engine finds this module through the setting KEDGE_AGENTS and imports nothing of it by name.
"""

from functools import cache
from typing import Any

from django.conf import settings

from agents import compensations, declarations, followups, model, pieces, reach, wordings
from agents.code import code_digest
from agents.fleet_change.graph import GRAPH as FLEET_CHANGE
from agents.mailsink import DEFAULT_PORT
from agents.refund_desk import systems as refund_systems
from agents.refund_desk.graph import GRAPH as REFUND_DESK
from agents.remotes import remote_url
from agents.repository_report.graph import GRAPH as REPOSITORY_REPORT
from agents.revert_change.graph import GRAPH as REVERT_CHANGE
from agents.revert_refund.graph import GRAPH as REVERT_REFUND
from agents.second_look import SecondLook
from agents.tools.errors import BadDeclaration
from agents.tools.git.tool import GitPush
from agents.tools.mail.sending import MailServer
from agents.tools.mail.tool import SendMail
from agents.write_again.graph import GRAPH as WRITE_AGAIN
from agents.write_customer.graph import GRAPH as WRITE_CUSTOMER
from checkpoints.graph import Graph, Json
from reconciliation.tools import Tool, Tools

# The refund desk works with other people's systems: it is here where they are (docs/TOOLS.md).
HAS_REFUND_DESK = bool(getattr(settings, "KEDGE_REFUND_DESK", False))
DESKS = (REFUND_DESK, REVERT_REFUND, WRITE_CUSTOMER) if HAS_REFUND_DESK else ()
GRAPHS: dict[str, Graph] = {
    graph.task_type: graph
    for graph in (FLEET_CHANGE, REPOSITORY_REPORT, REVERT_CHANGE, WRITE_AGAIN, *DESKS)
}


def _mail_server() -> MailServer:
    def given(name: str, default: Any) -> Any:
        return getattr(settings, name, "") or default

    return MailServer(
        host=given("KEDGE_SMTP_HOST", "127.0.0.1"),
        port=int(given("KEDGE_SMTP_PORT", DEFAULT_PORT)),
        username=given("KEDGE_SMTP_USER", ""),
        password=given("KEDGE_SMTP_PASSWORD", ""),
        starttls=bool(given("KEDGE_SMTP_STARTTLS", "")),
    )


def _declared() -> list[Tool]:
    own = declarations.tools(getattr(settings, "KEDGE_TOOLS", ""), reach.here())
    return [*own, *(refund_systems.tools() if HAS_REFUND_DESK else ())]


def _by_name(*tools: Any) -> Tools:
    found = Tools({tool.name: tool for tool in tools})
    if len(found.by_name) < len(tools):
        raise BadDeclaration("a declared tool has the name of one that is built in")
    return found


TOOLS: Tools = _by_name(GitPush(remote_url), SendMail(_mail_server()), *_declared())
SECOND_LOOK = SecondLook()
COMPENSATIONS = compensations.COMPENSATIONS
FOLLOW_UPS = followups.FOLLOW_UPS
WORDINGS = wordings.WORDINGS


def variants(task_type: str) -> list[str]:
    """The names of a task type's variants: other combos of the same code. Raises `BadVariant`."""
    return pieces.variants(GRAPHS[task_type].task_type)


def manifest(task_type: str, variant: str = "") -> dict[str, Json]:
    """All versions that decide how a run of this task type goes, as canonical JSON allows.

    Two processes that would do the same have the same manifest. Whole texts stand in it: the nodes
    read them there, and two combos can be compared by what they say. Raises `KeyError` for an
    unknown task type.
    """
    graph, changes = GRAPHS[task_type], pieces.changes(task_type, variant)
    return {
        "task_type": task_type,
        "model": model.version(changes.get("model", "")),
        "prompts": pieces.prompts(task_type, variant),
        "rules": pieces.rules(task_type, variant),
        "tools": {name: tool_version(TOOLS[name]) for name in graph.manifest.tools},
        "state_schema": graph.state_schema,
        "state_schemas": {str(number): dict(it) for number, it in graph.state_schemas.items()},
        **_migrators(graph),
        "input_schema": dict(graph.manifest.input_schema),
        "code": _code_digest(task_type),
        "versions": dict(graph.manifest.versions) | changes.get("versions", {}),
        "settings": _settings(graph, changes.get("settings", {})),
        "practice": str(getattr(settings, "PRACTICE_DIGEST", "")),
        "lock": str(getattr(settings, "LOCK_DIGEST", "")),
    }


def tool_version(tool: Tool) -> dict[str, Json]:
    """What a combo says of a tool: its version, its schemas, and what it can do."""
    able = tool.capabilities
    keyed = None if able.keyed is None else dict(vars(able.keyed))
    return {
        "version": tool.version,
        "parameters_schema": dict(tool.parameters_schema),
        "receipt_schema": dict(tool.receipt_schema),
        "capabilities": {"void": able.void, "look_up": able.look_up, "keyed": keyed},
        "volatile": [list(tool.volatile), tool.volatile_version],
    }


@cache
def _code_digest(task_type: str) -> str:
    """What is loaded stays loaded: files that change under a running process change nothing."""
    graph = GRAPHS[task_type]
    return code_digest(task_type, [TOOLS[name] for name in graph.manifest.tools])


def _migrators(graph: Graph) -> dict[str, Json]:
    """From which schema to which it can bring a state: told before a run is moved."""
    return {"migrators": [list(it) for it in sorted(graph.migrators)]} if graph.migrators else {}


def _settings(graph: Graph, changed: dict[str, Json]) -> dict[str, Json]:
    limits = {node.name: node.deadline_seconds for node in graph.nodes.values()}
    limits |= changed.get("deadline_seconds", {})
    return {
        "deadline_seconds": {name: value for name, value in limits.items() if value},
        "model_answer_seconds": changed.get("model_answer_seconds", model.ANSWER_SECONDS),
    }
