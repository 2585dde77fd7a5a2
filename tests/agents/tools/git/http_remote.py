"""git over HTTP, served by git's own CGI program, with every request written down."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.agents.tools.git.remote import git


class HttpRemote(ThreadingHTTPServer):
    """Serves the repositories below `base`; `answer` may stand in for git with a status."""

    def __init__(self, base: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.base = base
        self.program = f"{git(base, '--exec-path')}/git-http-backend"
        self.asked: list[str] = []
        self.connections: set[Any] = set()
        self.answer: tuple[int, dict[str, str]] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HttpRemote

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers["Content-Length"])))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing."""

    def _serve(self, body: bytes) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        self.server.connections.add(self.client_address)
        if self.server.answer:
            status, headers = self.server.answer
            self._reply(status, headers, b"")
            return
        head, _, content = self._from_git(body).partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self._reply(int(headers.pop("Status", "200").split()[0]), headers, content)

    def _from_git(self, body: bytes) -> bytes:
        path, _, query = self.path.partition("?")
        environment = {
            "GIT_PROJECT_ROOT": str(self.server.base),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_USER": "kedge",
        }
        command = [self.server.program]
        return subprocess.run(
            command, input=body, env=environment, check=True, capture_output=True
        ).stdout

    def _reply(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def http_remote(base: Path) -> Iterator[HttpRemote]:
    """Serve until the block ends."""
    with HttpRemote(base) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join(10)
