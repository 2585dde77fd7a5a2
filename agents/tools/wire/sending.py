"""Sends one HTTP request over one connection, and tells what left and what came back.

Stands on http.client: nothing in it retries, follows a redirect or keeps a connection for later.
"""

import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException

from agents.tools.deadline import Deadline
from agents.tools.wire.errors import NoAnswer, NotSent
from agents.tools.wire.reach import Reach, Server

MOST_READ = 1_048_576


@dataclass(frozen=True)
class Request:
    """`target` is the path with its query. Host, length and connection are added when it is sent."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


@dataclass(frozen=True)
class Answer:
    """A whole answer; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Exchange:
    """An answer, and the bytes of the request as they were handed to the network."""

    answer: Answer
    left: bytes


def exchange(server: Server, request: Request, reach: Reach, deadline: Deadline) -> Exchange:
    """Send once. Raises `NotSent` while nothing has left; everything else leaves it open."""
    connection = _Recording(server, _connected(server, reach, deadline))
    try:
        with _cut_off(connection, deadline):
            _send(connection, server, request)
            answer = _answer(connection)
    except (OSError, HTTPException) as error:
        raise NoAnswer(f"{server.host} did not answer: {type(error).__name__}") from error
    finally:
        connection.close()
    return Exchange(answer, bytes(connection.left))


class _Recording(HTTPConnection):
    """A connection that is open already, never opens another, and keeps what it sends."""

    auto_open = 0

    def __init__(self, server: Server, connected: socket.socket) -> None:
        super().__init__(server.host, server.port)
        self.sock = connected
        self.left = bytearray()

    def send(self, data: object) -> None:
        self.left += data  # type: ignore[arg-type]  # we hand in bytes only
        super().send(data)  # type: ignore[arg-type]


def _connected(server: Server, reach: Reach, deadline: Deadline) -> socket.socket:
    address = reach.address(server)
    try:
        plain = socket.create_connection((address, server.port), deadline.left())
        if server.scheme == "http":
            return plain
        try:
            return ssl.create_default_context().wrap_socket(plain, server_hostname=server.host)
        except BaseException:
            plain.close()
            raise
    except OSError as error:  # a TLS failure is one too
        raise NotSent(f"{server.host} cannot be reached: {error}") from error


@contextmanager
def _cut_off(connection: HTTPConnection, deadline: Deadline) -> Iterator[None]:
    """End the connection at the deadline: a socket's own time-out begins anew with every byte."""
    timer = threading.Timer(deadline.left(), _shut, [connection.sock])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _send(connection: HTTPConnection, server: Server, request: Request) -> None:
    connection.putrequest(request.method, request.target, skip_host=True, skip_accept_encoding=True)
    fixed = {"Host": server.authority, "Accept-Encoding": "identity", "Connection": "close"}
    if request.body or request.method not in {"GET", "HEAD", "DELETE"}:
        fixed["Content-Length"] = str(len(request.body))
    for name, value in (*fixed.items(), *request.headers):
        connection.putheader(name, value)
    connection.endheaders(request.body or None)


def _answer(connection: HTTPConnection) -> Answer:
    heard = connection.getresponse()
    body = heard.read(MOST_READ + 1)
    # It ends before its length, goes on after what is read, or ends where the line was cut: a body
    # that says no length, and headers that are not whole, look alike.
    if not (heard.chunked or heard.length == 0) or len(body) > MOST_READ:
        raise HTTPException("the answer is not whole")
    headers = {name.lower(): value for name, value in heard.getheaders()}
    return Answer(heard.status, headers, body)
