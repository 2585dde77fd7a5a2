"""Ports of the loopback for the servers that tests start.

Linux gives its outgoing connections ports of one range; a port in it that is free now may be the end
of somebody's connection by the time a server wants it, and stay so for a minute after that one is
closed. Thousands of connections are made while tests run, so servers get ports from outside.
"""

import random
import socket
from contextlib import ExitStack
from pathlib import Path

_LOWEST, _HIGHEST = 20_000, 65_535  # browsers refuse some below
_GIVEN_TO_CONNECTIONS = Path("/proc/sys/net/ipv4/ip_local_port_range")
_TRIES = 1_000
# Not the tests' own generator: whoever seeds that would choose the same ports in every process.
_chance = random.SystemRandom()


def free_port() -> int:
    """A port that nobody uses. Raises as `free_ports`."""
    return free_ports(1).start


def free_ports(count: int) -> range:
    """So many ports in a row that nobody uses. Raises AssertionError when there are none."""
    below, above = _outside()
    starts = [*range(below.start, below.stop - count), *range(above.start, above.stop - count)]
    for start in _chance.sample(starts, min(_TRIES, len(starts))):
        found = range(start, start + count)
        if _are_free(found):
            return found
    raise AssertionError(f"no {count} free ports in a row outside {_GIVEN_TO_CONNECTIONS}")


def _outside() -> tuple[range, range]:
    first, last = (int(word) for word in _GIVEN_TO_CONNECTIONS.read_text().split())
    below, above = range(_LOWEST, first), range(last + 1, _HIGHEST + 1)
    if len(below) + len(above) < _TRIES:  # connections get nearly all: then any will have to do
        return range(_LOWEST, _HIGHEST + 1), range(0)
    return below, above


def _are_free(ports: range) -> bool:
    with ExitStack() as stack:
        try:
            for port in ports:
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
        except OSError:
            return False
    return True
