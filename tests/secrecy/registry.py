"""A task type that handles secrets as badly as it may: it copies, derives, logs and raises them.

What is marked is marked in the schemas alone; the rest is what redaction by value is for.
"""

import base64
import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from canonical import digests
from canonical import json as canonical
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
    Result,
    State,
    To,
)
from reconciliation.tools import Call, Capabilities, DryRun, Found, Sent, Tools
from tests.engine.faketools import Fake, effects
from tests.engine.registry import RULE

log = logging.getLogger(__name__)

PASSWORD = "sword fish/42+ä"
DERIVED = PASSWORD[::-1]
MAIL = "ann.onymous@example.org"
PERSON = "customer-7"
SECRET = {"type": "string", "x-sensitivity": "secret"}
CUSTOMER = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "mail": {"type": "string", "x-sensitivity": "personal", "x-subject": "1/id"},
    },
}
INPUT = {
    "type": "object",
    "properties": {"password": SECRET, "customer": CUSTOMER, "then": {"type": "string"}},
    "required": ["password", "customer"],
}
STATE = {
    "type": "object",
    "properties": {"token": SECRET},
    "x-lists": {"seen": {"properties": {"token": SECRET}}},
}
PARAMETERS = {
    "type": "object",
    "properties": {"token": SECRET, "customer": CUSTOMER, "url": {"type": "string"}},
}
RECEIPT = {"type": "object", "properties": {"session": SECRET}}
GIVEN = {"password": PASSWORD, "customer": {"id": PERSON, "mail": MAIL}}


class Careless(Fake):
    """Says what it was handed, wherever it may say something."""

    parameters_schema: Mapping[str, Any] = PARAMETERS
    receipt_schema: Mapping[str, Any] = RECEIPT

    def describe(self, parameters: Mapping[str, Any]) -> str:
        return f"log in with {parameters['token']} for {parameters['customer']['mail']}"

    def target(self, parameters: Mapping[str, Any]) -> str:
        return f"https://{quote(parameters['token'], safe='')}@example.org/"

    def dry_run(self, call: Call) -> DryRun:
        log.warning("dry run with %s", call.parameters)
        self._fault("dry", ConnectionError(f"cannot log in with {call.parameters['token']}"))
        basic = base64.b64encode(f"x:{call.parameters['token']}".encode()).decode()
        diff = {"before": {}, "after": {"basic": basic, "all": dict(call.parameters)}}
        where = {call.parameters["url"]: call.parameters["token"]}
        return DryRun(canonical.dumps(diff), "application/json", where, (str(call.parameters),))

    def perform(self, call: Call) -> Sent:
        self._fault("refuse", self._no(call))
        receipt = self._told(call)
        self._put(call, {"what": call.parameter_bytes.decode(), "action": "", "key": call.key})
        self._fault("drop_answer", ConnectionError(f"lost: {call.parameters}"))
        return Sent(receipt, digests.sha256_hex(call.parameter_bytes))

    def look_up(self, call: Call) -> Found:
        self._fault("silent", ConnectionError(f"no answer about {call.parameters}"))
        return Found(self._told(call))

    def _told(self, call: Call) -> bytes:
        token = call.parameters["token"]
        return canonical.dumps({"session": f"session-{token[::-1]}", "echo": f"for {token}"})

    def _no(self, call: Call) -> Exception:
        return ConnectionError(f"refused {call.parameters['token']}")


def sent() -> list[str]:
    """The parameter texts that reached the world."""
    return [effect["what"] for effect in effects()]


def _begin(state: State, context: Context) -> To:
    password = context.input["password"]
    log.warning("beginning with %s", context.input)
    if context.input.get("then") == "raise":
        raise ValueError(f"cannot work with {context.input}")
    if context.input.get("then", "").startswith("raise after "):
        raise ValueError("x" * int(context.input["then"].split()[-1]) + password)
    context.append("seen", {"token": password, "note": f"it was {password}"})
    more = _late(context) if "late" in context.input.get("then", "") else {"token": password}
    if context.input.get("then") == "put":
        more["file"] = context.put(f"a file with {password}".encode())
    return To("act", {**more, "url": f"https://x/?p={quote(password)}", "n": 1})


def _late(context: Context) -> dict[str, Any]:
    """What only the state at the end of the step says to be secret, in places made before."""
    if context.input["then"] == "mark late":
        return {"token": context.put(b"nobody else says this")}
    if context.input["then"] == "put late":
        return {"file": context.put(f"a file with {DERIVED}".encode()), "token": DERIVED}
    context.append("seen", {"note": f"it will be {DERIVED}"})
    return {"token": DERIVED}


def _propose(state: State, context: Context) -> Proposal:
    customer = dict(context.input["customer"])
    assert context.items("seen")[0]["token"] == context.input["password"]
    parameters = {"token": state["token"], "customer": customer, "url": state["url"]}
    return Proposal("careless", parameters)


def _absorb(state: State, result: Result, context: Context) -> To:
    return To(END, {**state, "heard": result.kind, "note": result.note, "got": result.receipt})


def _graph() -> Graph:
    manifest = Manifest(
        input_schema=INPUT,
        input_source="a test",
        data_class="secret",
        succeeded=lambda state: state["got"]["session"] == f"session-{PASSWORD[::-1]}",
        succeeded_says="it has its session",
        tools=("careless",),
    )
    graph = Graph(
        "careless", title="Careless", start="begin", manifest=manifest, state_schemas={1: STATE}
    )
    graph.node("begin", COMPUTE, to=["act"])(_begin)
    graph.add(Node("act", ACTION, to=(END,), propose=_propose, absorb=_absorb, handles=RESULTS))
    return graph.checked()


GRAPHS = {"careless": _graph()}
TOOLS = Tools({"careless": Careless("careless", Capabilities(look_up=True))})


def manifest(task_type: str) -> dict[str, Any]:
    rules = {"rules_schema": 1, "rules": [{"tool": "careless", **RULE}]}
    return {"task_type": task_type, "code": "tests", "state_schema": 1, "rules": rules}
