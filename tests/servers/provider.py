"""A payment provider over HTTP with books of its own, which can fall silent and come back."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

UP, SILENT, BUSY, LOSING = "up", "silent", "busy", "losing"
BUSY_STATUS = 503
# Then the line is cut, as by a server between. Far less than the budget of a call: at the end of
# that a worker kills itself, and in a test that is the whole process, on a machine that is loaded.
LONGEST_HANG = 0.9

DECLARATION: dict[str, Any] = {
    "kind": "http",
    "name": "pay_refund",
    "version": "1",
    "server": {"url_from": "KEDGE_TEST_PROVIDER"},
    "credential": {
        "name": "provider",
        "from": "KEDGE_TEST_PROVIDER_TOKEN",
        "expires_from": "KEDGE_TEST_PROVIDER_EXPIRES",
    },
    "parameters": {
        "type": "object",
        "properties": {"order": {"type": "string"}, "cents": {"type": "integer", "minimum": 1}},
        "required": ["cents", "order"],
        "additionalProperties": False,
    },
    "says": {
        "describe": "Refund {cents} cents of order {order}.",
        "target": "orders/{order}",
        "magnitude": {"amount": "cents", "currency": "EUR"},
    },
    "effect": {
        "method": "POST",
        "path": "/refunds",
        "body": {
            "json": {
                "order": {"$value": "order"},
                "cents": {"$value": "cents"},
                "reference": {"$value": "$action_id"},
            }
        },
        "answers": [{"status": [201], "means": "done"}],
    },
    "receipt": {"fields": {"id": {"at": "/id", "schema": {"type": "string"}}}},
    "look_up": {
        "path": "/refunds?reference={$action_id}",
        "at": "/refunds",
        "answers": [{"status": [200], "means": "found"}],
        "match": {"/reference": "$action_id"},
    },
    "limits": {"budget_seconds": 5, "margin_seconds": 1},
}
CHECK = {"path": "/me", "works": [200], "invalid": [401, 403]}
# The same, but its credential is tried before anything is asked or sent.
CHECKED = {**DECLARATION, "credential": {**DECLARATION["credential"], "check": CHECK}}


class Provider:
    """Runs on a free port of the loopback. While it is silent it books every second refund."""

    def __init__(self) -> None:
        self.mode = UP
        self.retry_after = ""
        self.token = "good"
        self.books: list[dict[str, Any]] = []
        self.asked: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._back = threading.Event()
        self._server = ThreadingHTTPServer(
            ("127.0.0.1", 0), type("Mine", (Answers,), {"provider": self})
        )
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def fall_silent(self) -> None:
        """Take every call from now on and answer none."""
        self.mode = SILENT
        self._back.clear()

    def lose_answers(self) -> None:
        """Book every refund from now on, and cut every line before an answer."""
        self.mode = LOSING

    def come_back(self) -> None:
        """Answer again; who hangs in a call hears nothing of it."""
        self.mode = UP
        self._back.set()

    def times(self) -> Counter[str]:
        """How often each order was refunded, by its own books."""
        with self._lock:
            return Counter(str(each["order"]) for each in self.books)

    def close(self) -> None:
        self._back.set()
        self._server.shutdown()
        self._server.server_close()

    def book(self, refund: dict[str, Any]) -> dict[str, Any]:
        """Write a refund down; nothing keeps it from writing the same twice."""
        with self._lock:
            made = {**refund, "id": f"re_{len(self.books) + 1}"}
            self.books.append(made)
        return made

    def found(self, reference: str) -> list[dict[str, Any]]:
        with self._lock:
            return [each for each in self.books if each["reference"] == reference]

    def hang(self) -> None:
        self._back.wait(LONGEST_HANG)


class Answers(BaseHTTPRequestHandler):
    """How the provider answers one request."""

    protocol_version = "HTTP/1.1"
    provider: Provider

    def do_POST(self) -> None:
        provider = self.provider
        provider.asked["POST"] += 1
        refund = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if provider.mode == UP:
            self._say(201, provider.book(refund))
        elif provider.mode == BUSY:
            self._say(BUSY_STATUS, {"error": "later"})
        elif provider.mode == LOSING:
            provider.book(refund)
            self.close_connection = True
        else:
            if provider.asked["POST"] % 2:
                provider.book(refund)
            self._hang()

    def do_GET(self) -> None:
        provider, asked = self.provider, urlsplit(self.path)
        provider.asked["GET"] += 1
        if provider.mode == SILENT:
            self._hang()
        elif provider.mode == BUSY:
            self._say(BUSY_STATUS, {"error": "later"})
        elif provider.mode == LOSING:
            self.close_connection = True
        elif asked.path == "/me":
            is_good = self.headers["Authorization"] == f"Bearer {provider.token}"
            self._say(200 if is_good else 401, {})
        else:
            reference = parse_qs(asked.query)["reference"][0]
            self._say(200, {"refunds": provider.found(reference)})

    def _hang(self) -> None:
        self.provider.hang()
        self.close_connection = True

    def _say(self, status: int, said: dict[str, Any]) -> None:
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if status == BUSY_STATUS and self.provider.retry_after:
            self.send_header("Retry-After", self.provider.retry_after)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing on standard error."""
