"""An HTTP server that answers what it was told to, and keeps what it was asked."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Script:
    """Raw answers in order, the last one again and again; what was asked as (line, headers, body)."""

    answers: list[bytes]
    asked: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    port: int = 0


def answer(status: int, body: bytes = b"{}", *headers: str) -> bytes:
    """A whole answer."""
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


@contextmanager
def scripted(*answers: bytes) -> Iterator[Script]:
    """Serve on a free port until the end of the block."""
    script = Script(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            script.asked.append((self.requestline, dict(self.headers.items()), body))
            said = script.answers.pop(0) if len(script.answers) > 1 else script.answers[0]
            self.wfile.write(said)
            self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
