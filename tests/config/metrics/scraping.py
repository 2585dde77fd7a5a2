"""Scrapes the metrics as Prometheus does: over HTTP, and read by its own parser."""

import http.client
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from config.metrics.collecting import Facts

TOKEN = "a-token-of-this-test-0123456789abcdef"
Headers = Mapping[str, str]


@dataclass(frozen=True)
class Scraped:
    """What a scrape said: the value of each series, and the type and help of each family."""

    values: dict[str, dict[frozenset[tuple[str, str]], float]] = field(default_factory=dict)
    told: dict[str, tuple[str, str]] = field(default_factory=dict)

    def value(self, name: str, **labels: str) -> float:
        """The value of exactly this series."""
        return self.values[name][frozenset(labels.items())]

    def total(self, name: str) -> float:
        """The sum over all labels."""
        return sum(self.values.get(name, {}).values())

    def labels(self, name: str) -> set[str]:
        """The labels of a name."""
        return {label for key in self.values[name] for label, _ in key}


def parsed(text: str) -> Scraped:
    """Read the text format."""
    found = Scraped()
    for family in text_string_to_metric_families(text):
        found.told[family.name] = (family.type, family.documentation)
        for sample in family.samples:
            series = found.values.setdefault(sample.name, {})
            key = frozenset(sample.labels.items())
            assert key not in series, f"{sample.name} {sample.labels} is said twice"
            series[key] = sample.value
    return found


def scrape(*, by_tenant: bool = False) -> Scraped:
    """What is counted now, on this connection."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Facts(by_tenant=by_tenant))
    return parsed(generate_latest(registry).decode())


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_said: Any) -> None:
        pass


@contextmanager
def served(app: Any) -> Iterator[int]:
    """The application behind a real port of this machine."""
    with make_server("127.0.0.1", 0, app, handler_class=_Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield int(server.server_port)
        finally:
            server.shutdown()
            thread.join()


def ask(
    port: int, path: str = "/metrics", *, method: str = "GET", headers: Headers | None = None
) -> tuple[int, dict[str, str], str]:
    """One request: its status, headers in lower case, and text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, headers=dict(headers or {}))
        answer = connection.getresponse()
        said = answer.read().decode()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, said
    finally:
        connection.close()


def bearer(token: str = TOKEN) -> dict[str, str]:
    """What Prometheus sends with `authorization: credentials`."""
    return {"Authorization": f"Bearer {token}"}
