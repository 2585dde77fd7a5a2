"""The worlds of the HTTP tool: one declaration for each row of what a service can do."""

import base64
import json
import urllib.request
import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from agents.tools.http.loading import load_file
from agents.tools.http.tool import HttpTool
from agents.tools.wire.reach import Reach
from reconciliation.tools import Call, Json
from tests.contract.wire import CUT, MUTE, Marks, Wire
from tests.contract.worlds import make_call
from tests.ground import ROOT
from tests.servers import running

DECLARATIONS = ROOT / "tests/servers/declarations"
ANN, STRANGER = "ann:ann", "stranger:stranger"
ODD = [
    {"order": "\u202e'; drop /../é?&=", "amount": 0},
    {"order": "é" * 200, "amount": 2**53 - 1},
]


class HttpWorld:
    """One declared tool at the end of a counting wire; an effect is a request with `method`."""

    def __init__(self, name: str, method: str, port: int) -> None:
        self._stack = ExitStack()
        asks = f"{method} /".encode()
        self.wire = Wire(port, Marks(asks=asks, asked=asks, answered=b"\r\n\r\n"))
        self._stack.callback(self.wire.close)
        self.environment = dict[str, str]()
        reach = Reach(self.environment, frozenset({f"127.0.0.1:{self.wire.port}"}))
        self.tool = HttpTool(load_file(DECLARATIONS / f"{name}.json"), reach)
        self._amount = 1250

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.wire.port}"

    def call(self) -> Call:
        return make_call({"order": f"o-{uuid.uuid4().hex}", "amount": self._amount})

    def odd_parameters(self) -> list[dict[str, Json]]:
        return ODD

    def requests(self) -> int:
        return self.wire.requests

    def lose_answers(self) -> None:
        self.wire.mode = CUT

    def hang(self) -> None:
        self.wire.mode = MUTE

    def close(self) -> None:
        self._stack.close()


class KintoWorld(HttpWorld):
    """A bucket of its own in Kinto, asked past the wire."""

    def __init__(self, name: str, method: str) -> None:
        port = running.kinto()
        super().__init__(name, method, port)
        bucket = f"/v1/buckets/b{uuid.uuid4().hex}"
        self._bucket = f"http://127.0.0.1:{port}{bucket}"
        self.environment["KEDGE_TEST_KINTO"] = self.address + bucket
        self.environment["KEDGE_TEST_KINTO_LOGIN"] = ANN
        for path in ("", "/collections/refunds"):
            asked("PUT", self._bucket + path, ANN)

    def effects(self, key: str) -> int:
        return sum(each.get("key") == key for each in self.seen_outside())

    def seen_outside(self) -> list[dict[str, Any]]:
        found = asked("GET", f"{self._bucket}/collections/refunds/records?_sort=id", ANN)
        return list(found["data"])

    def refuse(self) -> None:
        self.environment["KEDGE_TEST_KINTO_LOGIN"] = STRANGER


class TicketsWorld(HttpWorld):
    """Tickets of its own in Roundup, each as fresh as the call that is about it."""

    def __init__(self) -> None:
        port = running.tickets()
        super().__init__("settle_ticket", "PATCH", port)
        self._tickets = f"http://127.0.0.1:{port}/rest/data/issue"
        self.environment["KEDGE_TEST_TICKETS"] = self.address
        self.environment["KEDGE_TEST_TICKETS_LOGIN"] = "desk:desk"

    def call(self) -> Call:
        made = asked("POST", self._tickets, "desk:desk", {"title": "Please refund"})
        number = made["data"]["id"]
        shown = asked("GET", f"{self._tickets}/{number}", "desk:desk")
        version = shown["data"]["@etag"]
        return make_call({"ticket": number, "version": version, "status": "resolved"})

    def odd_parameters(self) -> list[dict[str, Json]]:
        return [{"ticket": "999999999", "version": "", "status": "chatting"}]

    def effects(self, key: str) -> int:
        return sum(each["kedge_key"] == key for each in self.seen_outside())

    def seen_outside(self) -> list[dict[str, Any]]:
        query = "@fields=kedge_action,kedge_attempt,kedge_key,status&@verbose=0"
        return list(asked("GET", f"{self._tickets}?{query}", "desk:desk")["data"]["collection"])

    def refuse(self) -> None:
        self.environment["KEDGE_TEST_TICKETS_LOGIN"] = "clerk:clerk"


class RestateWorld(HttpWorld):
    """Refunds behind Restate; an amount of 13 is refused."""

    def __init__(self) -> None:
        server = running.restate()
        super().__init__("restate_refund", "POST", server.port)
        self._effects = server.effects
        self.environment["KEDGE_TEST_RESTATE"] = self.address

    def effects(self, key: str) -> int:
        return sum(each["key"] == key for each in self.seen_outside())

    def seen_outside(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_bytes()) for path in sorted(self._effects.iterdir())]

    def refuse(self) -> None:
        self._amount = 13


class LocalstripeWorld(HttpWorld):
    """A server that looks like Stripe, declared as what Stripe promises."""

    def __init__(self) -> None:
        port = running.localstripe()
        super().__init__("localstripe_customer", "POST", port)
        self._customers = f"http://127.0.0.1:{port}/v1/customers"
        self.environment["KEDGE_TEST_LOCALSTRIPE"] = self.address
        self.environment["KEDGE_TEST_LOCALSTRIPE_KEY"] = "sk_test_12345:"

    def effects(self, key: str) -> int:
        return sum(each["metadata"].get("key") == key for each in self.seen_outside())

    def seen_outside(self) -> list[dict[str, Any]]:
        return list(asked("GET", f"{self._customers}?limit=100", "sk_test_12345:")["data"])

    def refuse(self) -> None:
        self.environment["KEDGE_TEST_LOCALSTRIPE_KEY"] = "nobody:"


def asked(method: str, url: str, login: str, body: Json = None) -> Any:
    """What a server answers to somebody who is not the tool."""
    headers = {
        "Authorization": f"Basic {base64.b64encode(login.encode()).decode()}",
        "Content-Type": "application/json",
        "Origin": "https://kedge.example",
        "X-Requested-With": "rest",
    }
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, content, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def kinto_refund(_: Path) -> KintoWorld:
    return KintoWorld("kinto_refund", "PUT")


def kinto_note(_: Path) -> KintoWorld:
    return KintoWorld("kinto_note", "POST")


def settle_ticket(_: Path) -> TicketsWorld:
    return TicketsWorld()


def restate_refund(_: Path) -> RestateWorld:
    return RestateWorld()


def localstripe_customer(_: Path) -> LocalstripeWorld:
    return LocalstripeWorld()
