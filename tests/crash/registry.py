"""What the matrix runs: the engine's test graph over every fake tool, and the real task types.

Found through KEDGE_AGENTS. Where the real world is comes from the environment: KEDGE_REMOTES for
git, KEDGE_CRASH_SMTP_PORT for mail.
"""

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents import reach
from agents import registry as real
from agents.refund_desk import systems
from agents.remotes import remote_url
from agents.tools.git.tool import GitPush
from agents.tools.http import loading
from agents.tools.http.declared import Limits
from agents.tools.http.tool import HttpTool
from agents.tools.mail.sending import MailServer
from agents.tools.mail.tool import SendMail
from checkpoints.graph import (
    ACTION,
    COMPUTE,
    END,
    Context,
    Graph,
    Node,
    Proposal,
    Result,
    State,
    To,
)
from reconciliation.tools import Tools
from tests.contract.http_worlds import DECLARATIONS
from tests.crash import faketools, services
from tests.engine import faketools as plain
from tests.engine import registry as engine

FAKES = (*plain.ALL, *faketools.ALL)
STEPS, LONG, CARELESS = "crash_steps", "crash_long", "crash_careless"
EDITED, PLANNED, MOVED = "crash_edited", "crash_planned", "crash_moved"
RULED, UNDO, BACK, RENEWED = "crash_ruled", "undo", "crash_back", "crash_renewed"
PAYING, CENTS = "crash_paying", 1250
NEWER, OLDER = 2, 1  # state schemas of the task that moves
# Long enough to be killed in the middle, short enough to wait for.
LONG_STEPS, STEP_SECONDS = 4000, 0.005


def _steps(task_type: str) -> Graph:
    like = engine.GRAPHS["steps"]
    manifest = replace(like.manifest, tools=tuple(tool.name for tool in FAKES))
    graph = Graph(task_type, title=task_type, start=like.start, manifest=manifest)
    for node in like.nodes.values():
        graph.add(node)
    return graph.checked()


def _step(state: State, context: Context) -> To:
    time.sleep(STEP_SECONDS)
    at = int(state.get("at", 0)) + 1
    return To(END if at >= context.input["steps"] else "step", {"at": at, "thought": ""})


def _long() -> Graph:
    manifest = replace(engine.GRAPHS["steps"].manifest, tools=())
    graph = Graph(LONG, title=LONG, start="step", manifest=manifest)
    graph.node("step", COMPUTE, to=["step", END])(_step)
    return graph.checked()


def _edited() -> Graph:
    """It leaves a state that it cannot go on from: people have to write another."""
    manifest = replace(engine.GRAPHS["steps"].manifest, tools=())
    graph = Graph(EDITED, title=EDITED, start="first", manifest=manifest)
    graph.node("first", COMPUTE, to=["second"])(lambda *_: To("second", {"amount": -1}))
    graph.node("second", COMPUTE, to=[END])(_only_above_zero)
    return graph.checked()


def _only_above_zero(state: State, context: Context) -> To:
    if state["amount"] <= 0:
        raise ValueError("nothing to do")
    return To(END, {**state, "thought": "done"})


def _stuck(task_type: str) -> Graph:
    """It cannot go on before somebody has mended the world."""
    manifest = replace(engine.GRAPHS["steps"].manifest, tools=())
    graph = Graph(task_type, title=task_type, start="first", manifest=manifest)
    graph.node("first", COMPUTE, to=["second"])(lambda *_: To("second", {"thought": "first"}))
    graph.node("second", COMPUTE, to=[END])(_only_when_mended)
    return graph.checked()


def _only_when_mended(state: State, _context: Context) -> To:
    if not mended().exists():
        raise ValueError("nothing goes through here yet")
    return To(END, {**state, "thought": "done"})


def mended() -> Path:
    """The file by which a person says that the world is in order again."""
    return Path(os.environ["KEDGE_FAKE_WORLD"]) / "mended"


def mend() -> None:
    """A person has set the world right."""
    mended().parent.mkdir(parents=True, exist_ok=True)
    mended().touch()


def wear(schema: int) -> None:
    """From now on this process has the code that writes this state, of the task that moves."""
    graph = _steps(MOVED)
    graph.state_schema = schema
    if schema == NEWER:
        graph.migrate(NEWER, OLDER)(
            lambda state: {**state, "thought": f"{state['thought']} (older)"}
        )
    GRAPHS[MOVED] = graph.checked()


def renew() -> None:
    """From now on this process has newer code of the task that is forked onto another combo."""
    CODE[RENEWED] = "tests, renewed"


def _paying() -> Graph:
    """One refund by a declared tool; what the service calls it is nothing to be compared."""
    manifest = replace(engine.GRAPHS["steps"].manifest, tools=tuple(SERVICES))
    graph = Graph(PAYING, title=PAYING, start="think", manifest=manifest)
    graph.node("think", COMPUTE, to=["pay"])(lambda *_: To("pay", {"thought": "a refund"}))
    pay = Node("pay", ACTION, (END,), propose=_pay, absorb=_paid, handles=("happened",))
    graph.add(pay)
    return graph.checked()


def _pay(_state: State, context: Context) -> Proposal:
    return Proposal(context.input["tool"], {"order": context.input["order"], "amount": CENTS})


def _paid(state: State, result: Result, _context: Context) -> To:
    return To(END, {**state, "heard": result.kind})


def _careless() -> Graph:
    """Broken on purpose: its result depends on which process computes it."""
    graph = _steps(CARELESS)
    think = graph.nodes["think"]
    run = think.run
    assert run is not None

    def think_of_myself(state: State, context: Context) -> To:
        to = run(state, context)
        return To(to.node, {**to.state, "thought": f"by {_who()}"})

    graph.nodes["think"] = replace(think, run=think_of_myself)
    return graph


def _who() -> str:
    """The same name in every process that was never replaced by another."""
    return os.environ.get("KEDGE_CRASH_LIVES", "")


def _by_name(*tools: Any) -> Tools:
    return Tools({tool.name: tool for tool in tools})


SERVICES = {
    name: HttpTool(loading.load_file(DECLARATIONS / f"{name}.json"), reach.here())
    for name in (services.KEYED, services.VOID)
}
GRAPHS: dict[str, Graph] = {
    **real.GRAPHS,
    STEPS: _steps(STEPS),
    LONG: _long(),
    CARELESS: _careless(),
    PAYING: _paying(),
    EDITED: _edited(),
    PLANNED: _stuck(PLANNED),
    BACK: _stuck(BACK),
    RULED: _steps(RULED),
    RENEWED: _steps(RENEWED),
    UNDO: engine.GRAPHS[UNDO],
}
wear(NEWER)
SMTP = MailServer("127.0.0.1", int(os.environ.get("KEDGE_CRASH_SMTP_PORT", "0")))
# The tracker can only be asked, and absent is believed after budget and margin: not minutes here.
SOON = Limits(budget_seconds=4, margin_seconds=1)
ANSWERING = replace(loading.load_file(systems.FOLDER / f"{systems.ANSWER}.json"), limits=SOON)
DESK = {
    **{tool.name: tool for tool in systems.tools()},
    systems.ANSWER: HttpTool(ANSWERING, reach.here()),
}
TOOLS = _by_name(GitPush(remote_url), SendMail(SMTP), *DESK.values(), *SERVICES.values(), *FAKES)
ASKED = (*(tool.name for tool in FAKES), *SERVICES)
RULES = {"rules_schema": 1, "rules": [{"tool": name, **engine.RULE} for name in ASKED]}
# Two people where it happened, or where a run just tries again.
BY_TWO = {
    "rules_schema": 2,
    "rules": [
        {
            "name": tool.name.replace(".", "-").replace("_", "-"),
            "tool": tool.name,
            "then": "ask",
            "who": {"permission": "approve_actions"},
            "people": 1,
            "expires_after_seconds": 3600,
        }
        for tool in faketools.UNHEARD
    ],
    "verdicts": [{"name": "two-of-us", "people": 2, "verdicts": ["it_happened", "try_again"]}],
}
CODE: dict[str, str] = {}
COMPENSATIONS = {tool.name: engine.COMPENSATIONS["fake.void"] for tool in faketools.UNHEARD}


def variants(task_type: str) -> list[str]:
    return real.variants(task_type) if task_type in real.GRAPHS else []


def manifest(task_type: str, variant: str = "") -> dict[str, Any]:
    """The real task types keep their own; the others say as little as a combo may."""
    if task_type in real.GRAPHS:
        return real.manifest(task_type, variant)
    reads = GRAPHS[task_type].state_schema
    rules = BY_TWO if task_type in (PLANNED, RULED, BACK) else RULES
    code = CODE.get(task_type, "tests")
    return {"task_type": task_type, "code": code, "state_schema": reads, "rules": rules}
