"""What chaos runs: the crash matrix' graphs, tools with moods, and a graph that only mails.

Found through KEDGE_AGENTS. KEDGE_CHAOS_MUTANT breaks the engine of every process that loads it.
"""

import os
import random
from typing import Any

from agents.remotes import remote_url
from agents.tools.git.tool import GitPush
from agents.tools.mail.tool import SendMail
from checkpoints.graph import (
    ACTION,
    COMPUTE,
    END,
    RESULTS,
    Context,
    Graph,
    Manifest,
    Node,
    Proposal,
    State,
    To,
)
from reconciliation.tools import Tools
from tests.chaos import hungry, tools
from tests.crash import faketools, mutants
from tests.crash import registry as crash
from tests.engine import registry as engine

MAILING, ACTING, HUNGRY = "chaos_mail", "chaos_steps", "chaos_hungry"
LARGE, LARGE_BYTES = "chaos_large", 400_000
FAKES = (*tools.ALL, *faketools.LATE)


class QuickMail(SendMail):
    """The real tool, with a window that a test can outwait."""

    budget_seconds = 8
    margin_seconds = 2


class QuickPush(GitPush):
    """The real tool; a hung push is given up sooner."""

    budget_seconds = 20
    margin_seconds = 2


def _acting() -> Graph:
    """Read, compute, ask a model, then one effect if the input names a tool."""
    like = engine.GRAPHS["steps"]
    manifest = Manifest(**{**vars(like.manifest), "tools": tuple(tool.name for tool in FAKES)})
    graph = Graph(ACTING, title=ACTING, start=like.start, manifest=manifest)
    for node in like.nodes.values():
        graph.add(node)
    return graph.checked()


def _mailing() -> Graph:
    manifest = Manifest(**{**vars(engine.GRAPHS["steps"].manifest), "tools": (QuickMail.name,)})
    graph = Graph(MAILING, title=MAILING, start="write", manifest=manifest)
    graph.node("write", COMPUTE, to=["mail"])(lambda *_: To("mail", {"thought": "a mail"}))
    absorb = engine.GRAPHS["steps"].nodes["act"].absorb
    mail = Node(
        "mail", ACTION, to=("mail", END), propose=_propose_mail, absorb=absorb, handles=RESULTS
    )
    graph.add(mail)
    return graph.checked()


def _hungry() -> Graph:
    manifest = Manifest(**{**vars(engine.GRAPHS["steps"].manifest), "tools": ()})
    graph = Graph(HUNGRY, title=HUNGRY, start="eat", manifest=manifest)
    graph.node("eat", COMPUTE, to=[END])(hungry.eat)
    return graph.checked()


def _large() -> Graph:
    """Keep one large value, which is a blob of its own."""
    manifest = Manifest(**{**vars(engine.GRAPHS["steps"].manifest), "tools": ()})
    graph = Graph(LARGE, title=LARGE, start="keep", manifest=manifest)
    graph.node("keep", COMPUTE, to=[END])(_keep)
    return graph.checked()


def _keep(state: State, context: Context) -> To:
    # Of its run alone, and nothing that compresses.
    content = random.Random(str(context.input["key"])).randbytes(LARGE_BYTES)
    return To(END, {**state, "thought": "kept", "large": context.put(content)})


def _propose_mail(_state: State, context: Context) -> Proposal:
    given = {"from": "chaos@kedge.example", "date": "2025-02-03T09:00:00Z"}
    text = {"subject": "chaos", "body": "One mail, once.\n"}
    return Proposal(QuickMail.name, {"to": context.input["to"], **given, **text})


OWN = {ACTING: _acting(), MAILING: _mailing(), HUNGRY: _hungry(), LARGE: _large()}
GRAPHS: dict[str, Graph] = {**crash.GRAPHS, **OWN}
ALL: tuple[Any, ...] = (QuickPush(remote_url), QuickMail(crash.SMTP), *FAKES)
TOOLS = Tools({tool.name: tool for tool in ALL})
RULES = {
    "rules_schema": 1,
    "rules": [{"tool": tool.name, **engine.RULE} for tool in (*FAKES, TOOLS[QuickMail.name])],
}


def manifest(task_type: str) -> dict[str, Any]:
    """The real task types keep their own; the others say as little as a combo may."""
    if task_type in OWN:
        return {"task_type": task_type, "code": "tests", "state_schema": 1, "rules": RULES}
    return crash.manifest(task_type)


if os.environ.get("KEDGE_CHAOS_MUTANT"):
    mutants.MUTANTS[os.environ["KEDGE_CHAOS_MUTANT"]]()
