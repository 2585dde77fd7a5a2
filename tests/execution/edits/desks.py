"""Held runs, states written for them, and the two people of an edit."""

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from approvals.models import EditRequest
from checkpoints import reading
from checkpoints.graph import COMPUTE, Context, Graph, State, To
from checkpoints.models import Case, Run
from execution.edits import deciding, proposing, writing
from execution.edits.deciding import Given
from execution.edits.writing import Written
from tenants.actors import Actor
from tenants.models import User
from tests.engine.turns import Bench
from tests.execution.graphs import graph, install
from tests.execution.runs import full
from tests.people import eve

STATE = {
    "type": "object",
    "properties": {
        "amount": {"type": "integer"},
        "token": {"type": "string", "x-sensitivity": "secret"},
        "people": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"mail": {"type": "string", "x-sensitivity": "personal"}},
            },
        },
    },
    "required": ["amount"],
}
LEFT: State = {"amount": -1, "token": "tok-secret-1", "people": [{"mail": "a@b.example"}]}


@dataclass(frozen=True)
class Desk:
    """A held run with its case, who writes its state and who allows it."""

    engine: Bench
    graph: Graph
    run: Run
    case: Case
    author: User

    @property
    def second(self) -> User:
        return self.engine.approver

    def write(self, change: dict[str, Any], **fields: Any) -> EditRequest:
        """The author proposes the state of the head with these members changed."""
        return propose(self.case, self.author, written(self.run, change, **fields))

    def decide(self, edit: EditRequest, verdict: str = "approve", reason: str = "right") -> None:
        """The second person answers on the hash of the edit."""
        decide(edit, self.second, verdict, reason)


def crashed(engine: Bench, patch: pytest.MonkeyPatch, left: State | None = None) -> Desk:
    """A run that its second node cannot go on with: the first left a negative amount."""
    made = graph(state_schemas={1: STATE})
    made.node("first", COMPUTE, to=["second"])(_leaves(LEFT if left is None else left))
    made.node("second", COMPUTE, to=["end"])(_needs_an_amount)
    install(patch, made)
    run = engine.start("odd")
    engine.turn()
    assert full(run).status == "held"
    return Desk(engine, made, full(run), Case.objects.get(run=run), eve_who_writes(engine))


def eve_who_writes(engine: Bench) -> User:
    """Who holds the run: operates, reconciles, sees payloads, and approves nothing."""
    return eve(engine.tenant)


def written(run: Run, change: dict[str, Any], **fields: Any) -> Written:
    """The state at the run's head as its page shows it, with these members changed (None: out)."""
    now = full(run)
    state = json.loads(writing.pretty(now.tenant_id, reading.load(now, now.head).state))
    state |= change
    kept = {name: value for name, value in state.items() if value is not None}
    given = Written(now.head, json.dumps(kept), "the amount is wrong")
    return replace(given, **fields)


def propose(case: Case, author: User, text: Written) -> EditRequest:
    return proposing.propose(case.pk, text, actor=acting(author), user=author)


def decide(edit: EditRequest, user: User, verdict: str = "approve", reason: str = "right") -> None:
    given = Given(verdict, reason, edit.edit_hash)
    deciding.decide(edit.pk, given, actor=acting(user), user=user)


def acting(user: User) -> Actor:
    """As `Actor.person`, also for a service user who passes for one."""
    return Actor("person", str(user), user.pk, str(user))


def _leaves(state: State) -> Any:
    def run(_: State, context: Context) -> To:
        context.append("log", "kept")
        return To("second", dict(state))

    return run


def _needs_an_amount(state: State, context: Context) -> To:
    if state["amount"] < 0:
        raise ValueError("a negative amount")
    return To("end", {**state, "seen": context.items("log")})
