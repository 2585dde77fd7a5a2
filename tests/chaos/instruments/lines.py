"""Starts the proxy before a server and tells it where to cut, in the words of a test."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from config.embedded import processes
from tests.chaos.instruments.proxy import AFTER, BEFORE, CLOSE, RACING, RESET, SILENCE
from tests.ground import wait_for

__all__ = ["AFTER", "BEFORE", "CLOSE", "RACING", "RESET", "SILENCE", "At", "Line", "opened"]

PROGRAM = Path(__file__).with_name("proxy.py")
COMMIT = r"^\s*COMMIT\b"
# The one statement that is a commit of a checkpoint, and what the other commits are known by.
CHECKPOINT = r"INSERT INTO checkpoints_checkpoint\b"
INTENT = r"INSERT INTO reconciliation_attempt\b"
RECEIPT = r'INSERT INTO "?reconciliation_receipt\b'
QUESTION = r'INSERT INTO "?approvals_approvalrequest\b'


@dataclass(frozen=True)
class At:
    """A statement at which the line is cut.

    `match` and `within` are regular expressions: of the statement, and of any statement before it in
    the same transaction. `skip` so many that match; cut `times` lines.
    """

    match: str
    when: str = BEFORE
    how: str = RESET
    within: str = ""
    skip: int = 0
    times: int = 1


class Line:
    """A running proxy before one server. `host`, `port`: where clients connect instead."""

    def __init__(self, process: subprocess.Popen[str], host: str) -> None:
        assert process.stdout is not None
        self._process, self.host = process, host
        self.port = int(process.stdout.readline())
        self._armed = 0

    @property
    def pid(self) -> int:
        """The proxy's process: to the server it is the client."""
        return self._process.pid

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    def cut(self, at: At) -> int:
        """Cut where this statement comes by; returns the number to ask `fired` with."""
        self._tell("cut", **asdict(at))
        self._armed += 1
        return self._armed - 1

    def fired(self, number: int) -> int:
        """How many lines this cut has cut."""
        return len(self._tell("look")["fired"][number])

    def wait_until_fired(self, number: int, *, seconds: float = 30) -> None:
        wait_for(lambda: self.fired(number) > 0, "the line is cut", seconds=seconds)

    def lines(self) -> int:
        """How many connections go through it, those that fell silent included."""
        return int(self._tell("look")["lines"])

    def delayed(self) -> int:
        """How many packets had to wait because it is slow, since it was opened."""
        return int(self._tell("look")["delayed"])

    def disarm(self) -> None:
        """No cut that has not fired fires any more."""
        self._tell("disarm")

    def sever(self, how: str = RESET) -> None:
        """Cut all connections that are there now."""
        self._tell("sever", how=how)

    def slow(self, seconds: float) -> None:
        """Each packet takes so much longer, in both directions."""
        self._tell("slow", seconds=seconds)

    def hold(self) -> None:
        """Let no byte pass, and close nothing, until `heal`: then all that was held passes."""
        self._tell("hold")

    def refuse(self) -> None:
        """Reset whoever connects, until `heal`."""
        self._tell("refuse")

    def heal(self) -> None:
        """Let everything pass again, at once. What was cut stays cut."""
        self._tell("heal")

    def _tell(self, do: str, **more: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


@contextmanager
def opened(
    upstream: str,
    *,
    protocol: str = "postgres",
    host: str = "127.0.0.1",
    port: int = 0,
    prefix: Sequence[str] = (),
) -> Iterator[Line]:
    """A proxy before `upstream` ("host:port" or a socket's path), gone afterwards.

    It listens at `host` on `port`, or on a free one; `prefix` (absolute) starts it elsewhere.
    """
    words = [*prefix, sys.executable, "-I", str(PROGRAM), protocol, host, str(port), upstream]
    command = processes.tied(words)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield Line(process, host)
        finally:
            process.kill()
