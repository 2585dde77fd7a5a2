"""One request is one request, answered whole or not at all, within its time."""

import socket
import threading
import time
from contextlib import suppress

import pytest

from agents.tools.deadline import Deadline
from agents.tools.wire.errors import NoAnswer, NotSent
from agents.tools.wire.reach import Reach, Server
from agents.tools.wire.sending import MOST_READ, Exchange, Request, exchange
from tests.agents.tools.wire.scripted import answer, scripted

REACH = Reach({}, frozenset({"127.0.0.1"}))
ASKED = Request("POST", "/x?y=1", (("X-One", "1"),), b'{"a":1}')


def sent(port: int, request: Request = ASKED, seconds: float = 10) -> Exchange:
    return exchange(Server("http", "127.0.0.1", port), request, REACH, Deadline(seconds))


def test_what_left_is_what_arrived() -> None:
    with scripted(answer(201, b'{"b":2}', "ETag: 7")) as server:
        said = sent(server.port)
    assert (said.answer.status, said.answer.body) == (201, b'{"b":2}')
    assert said.answer.headers["etag"] == "7"
    line, headers, body = server.asked[0]
    assert said.left.startswith(line.encode())
    assert said.left.endswith(b"\r\n\r\n" + body)
    assert headers["X-One"] == "1"
    assert headers["Connection"] == "close"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_an_answer_and_not_followed(status: int) -> None:
    with scripted(answer(status, b"", "Location: /elsewhere")) as server:
        assert sent(server.port).answer.status == status
        assert len(server.asked) == 1


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"HTTP/1.1 200",
        b"nonsense\r\n\r\n",
        answer(200, b"{}").replace(b"Length: 2", b"Length: 3"),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        answer(200, b"x" * (MOST_READ + 1)),
    ],
    ids=["nothing", "half a line", "nonsense", "cut short", "half a chunk", "endless"],
)
def test_half_an_answer_is_none_and_nothing_is_asked_again(said: bytes) -> None:
    with scripted(said) as server:
        with pytest.raises(NoAnswer):
            sent(server.port)
        assert len(server.asked) == 1


def test_a_server_that_says_nothing_is_left_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        start = time.monotonic()
        with pytest.raises(NoAnswer):
            sent(door.getsockname()[1], seconds=0.3)
        assert time.monotonic() - start < 5


def test_a_server_that_drips_is_left_at_the_deadline() -> None:
    """Each byte comes in time; the whole never does."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        left = threading.Event()

        def drip() -> None:
            near, _ = door.accept()
            with near, suppress(OSError):
                near.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                while not left.wait(0.05):
                    near.sendall(b"x")

        server = threading.Thread(target=drip)
        server.start()
        start = time.monotonic()
        try:
            with pytest.raises(NoAnswer):
                sent(door.getsockname()[1], seconds=0.5)
        finally:
            left.set()
            server.join()
        assert time.monotonic() - start < 10


def test_where_nobody_listens_nothing_was_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    with pytest.raises(NotSent):
        sent(port)


def test_a_header_cannot_begin_another() -> None:
    with scripted(answer(200)) as server:
        with pytest.raises(ValueError, match="header"):
            sent(server.port, Request("GET", "/", (("X", "1\r\nY: 2"),)))
        assert not server.asked
