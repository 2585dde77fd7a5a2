"""A cable that is pulled out swallows everything, one way or both, and closes nothing."""

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.chaos.instruments import namespaces
from tests.chaos.instruments.namespaces import Namespace
from tests.ground import wait_for

# Passes on each line that it is given.
INSIDE = """
import socket, sys
line = socket.create_connection((sys.argv[1], int(sys.argv[2])))
for word in sys.stdin:
    line.sendall(word.encode())
"""


@pytest.fixture
def space() -> Iterator[Namespace]:
    if reason := namespaces.why_not():
        pytest.skip(reason)
    with namespaces.opened() as found:
        yield found


def test_what_is_sent_while_the_cable_is_out_arrives_once_it_is_back(space: Namespace) -> None:
    with socket.create_server((space.host, 0)) as door:
        port = str(door.getsockname()[1])
        words = [*space.prefix, sys.executable, "-c", INSIDE, space.host, port]
        with subprocess.Popen(words, stdin=subprocess.PIPE, text=True) as inside:
            line, _ = door.accept()
            line.setblocking(False)
            assert inside.stdin is not None
            space.cut()
            inside.stdin.write("late\n")
            inside.stdin.flush()
            with pytest.raises(BlockingIOError):
                line.recv(10)
            space.heal()
            wait_for(lambda: _heard(line) == b"late\n", "it arrives")
            inside.stdin.close()
            line.close()


def _heard(line: socket.socket) -> bytes:
    try:
        return bytes(line.recv(10))
    except BlockingIOError:
        return b""
