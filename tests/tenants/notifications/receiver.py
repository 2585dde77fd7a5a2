"""A chat server of the tests' own: keeps what is posted to it and answers as it is told."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Received(ThreadingHTTPServer):
    """`bodies` are the JSON bodies in order, `status` the next answer, `seen` counts connections."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[Any] = []
        self.status = 200
        self.seen = 0


class _Handler(BaseHTTPRequestHandler):
    server: Received

    def do_POST(self) -> None:
        self.server.seen += 1
        length = int(self.headers["Content-Length"])
        self.server.bodies.append(json.loads(self.rfile.read(length)))
        self.send_response(self.server.status)
        if self.server.status == 302:
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Nothing on the test's output."""


@contextmanager
def receiving() -> Iterator[Received]:
    """A server that receives until the block ends."""
    with Received() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
