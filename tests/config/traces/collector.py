"""A real receiver of OTLP over HTTP, in a thread: keeps the bytes and reads them as a collector does."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

Attributes = dict[str, str | int]


@dataclass(frozen=True)
class Received:
    """One span as it came over the wire."""

    name: str
    trace: str
    id: str
    parent: str
    links: tuple[str, ...]
    kind: int
    failed: bool
    seconds: float
    attributes: Attributes


@dataclass
class Collector:
    """What was received so far: raw bytes, and spans."""

    port: int = 0
    bodies: list[bytes] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    answer: int = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def spans(self) -> list[Received]:
        """Every span of every request, in the order they came."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return [
            _received(span)
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def services(self) -> set[str]:
        """The names of the services that sent."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return {
            each.value.string_value
            for request in requests
            for resource in request.resource_spans
            for each in resource.resource.attributes
            if each.key == "service.name"
        }

    def named(self, beginning: str) -> list[Received]:
        """Spans whose name begins so."""
        return [span for span in self.spans if span.name.startswith(beginning)]


@contextmanager
def collector() -> Iterator[Collector]:
    """A collector on a port of this machine."""
    kept = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            packed = self.headers.get("Content-Encoding") == "gzip"
            kept.bodies.append(gzip.decompress(body) if packed else body)
            kept.paths.add(self.path)
            self.send_response(kept.answer)
            said = ExportTraceServiceResponse().SerializeToString()
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_said: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        kept.port = int(server.server_port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield kept
        finally:
            server.shutdown()
            thread.join()


def _received(span: Span) -> Received:
    return Received(
        name=span.name,
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        links=tuple(link.span_id.hex() for link in span.links),
        kind=span.kind,
        failed=span.status.code == Status.STATUS_CODE_ERROR,
        seconds=(span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
        attributes={
            each.key: each.value.int_value
            if each.value.HasField("int_value")
            else each.value.string_value
            for each in span.attributes
        },
    )
