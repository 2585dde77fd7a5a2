"""Servers beside a replay, each a forked process that ends with it: a mail sink, a model."""

import asyncio
import ctypes
import json
import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from agents.mailsink import listening
from tests.ground import wait_for
from tests.ports import free_port

_PR_SET_PDEATHSIG = 1


@contextmanager
def mail(folder: Path) -> Iterator[int]:
    """A mail server that keeps what it gets in `folder`; yields its port."""
    port = free_port()

    async def serve() -> None:
        async with listening(folder, host="127.0.0.1", port=port):
            await asyncio.Event().wait()

    with _forked(lambda: asyncio.run(serve()), port):
        yield port


@contextmanager
def model(answers: Sequence[str]) -> Iterator[str]:
    """A chat server that gives these answers in turn, the last for ever; yields its address."""
    port, left = free_port(), list(answers)

    class Chat(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            said = left.pop(0) if len(left) > 1 else left[0]
            body = json.dumps({"choices": [{"message": {"content": said}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Nobody reads it."""

    server = HTTPServer(("127.0.0.1", port), Chat)
    with server, _forked(server.serve_forever, port):
        yield f"http://127.0.0.1:{port}/v1"


@contextmanager
def _forked(serve: Callable[[], object], port: int) -> Iterator[None]:
    pid = os.fork()
    if pid == 0:
        try:
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            serve()
        finally:
            os._exit(1)
    try:
        wait_for(lambda: _listens(port), f"something listens on port {port}")
        yield
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
