"""A TCP proxy in a process of its own that cuts a line at an exact statement, or lets it go dead.

    proxy.py postgres|bytes HOST PORT UPSTREAM     (UPSTREAM: host:port, or the path of a socket)

Prints its port, then answers each JSON line on its standard input with one on its standard output;
tests.chaos.instruments.lines speaks that. Standard library only, so that it starts in milliseconds.
"""

import asyncio
import json
import re
import socket
import struct
import sys
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.chaos.instruments.postgreswire import ClientSide, Message, ServerSide

CHUNK = 65536
# Before the server has the statement; once it has carried it out; once it has it, whatever it did.
BEFORE, AFTER, RACING = "before", "after", "racing"
RESET, CLOSE, SILENCE = "reset", "close", "silence"
LONGEST_TRANSACTION = 200  # statements that are remembered of it


@dataclass
class Cut:
    """Where lines are to be cut: at a statement that matches, in a transaction that held another."""

    match: re.Pattern[bytes]
    within: re.Pattern[bytes] | None
    when: str
    how: str
    skip: int
    times: int
    fired: list[str] = field(default_factory=list)

    def takes(self, statement: bytes, transaction: Iterable[bytes]) -> bool:
        """Whether this is the place; counts down to it."""
        if self.times <= 0 or not self.match.search(statement):
            return False
        if self.within and not any(self.within.search(each) for each in transaction):
            return False
        self.skip -= 1
        self.times -= self.skip < 0
        return self.skip < 0


class Line:
    """One client and its connection to the server."""

    def __init__(self, proxy: "Proxy", client: asyncio.StreamWriter) -> None:
        self.proxy, self.client = proxy, client
        self.server: asyncio.StreamWriter | None = None
        self.said, self.heard = ClientSide(), ServerSide()
        self.transaction: deque[bytes] = deque(maxlen=LONGEST_TRANSACTION)
        self.asked = self.ready = 0
        self.cut: Cut | None = None
        self.cut_at = 0
        self.is_deaf = self.is_dead = False

    async def upward(self, reader: asyncio.StreamReader) -> None:
        """From the client to the server."""
        assert self.server is not None
        while data := await reader.read(CHUNK):
            await self.proxy.wait()
            messages = self.said.feed(data) if self.proxy.is_postgres else [Message(data, data)]
            for message in messages:
                if not (self.is_deaf or self.is_dead):
                    self._pass(message)
            if not self.is_dead:
                await self.server.drain()

    async def downward(self, reader: asyncio.StreamReader) -> None:
        """From the server to the client."""
        while data := await reader.read(CHUNK):
            await self.proxy.wait()
            parts = self.heard.feed(data) if self.proxy.is_postgres else [(data, True)]
            for part, is_ready in parts:
                self._answer(part, is_ready=is_ready)
            if not self.is_dead:
                await self.client.drain()

    def end(self, how: str, *, server: str = "") -> None:
        """Cut both ends, the server's in another way if that is said; *silence* leaves them dead."""
        self.is_dead = True
        if how == SILENCE:
            return
        for writer, way in ((self.client, how), (self.server, server or how)):
            if writer is None or writer.transport.is_closing():
                continue
            if way == RESET:
                _linger_not(writer)
                writer.transport.abort()
            else:
                writer.close()

    def _pass(self, message: Message) -> None:
        assert self.server is not None
        if message.is_asking_for_encryption:
            self.client.write(b"N")
            return
        statement = message.executes
        if statement is not None and self.cut is None:
            self.cut = self.proxy.cut_at(statement, self.transaction)
            self._note(statement)
            if self.cut is not None and self.cut.when == BEFORE:
                # What was sent before is answered first.
                self.is_deaf = True
                self.cut_at = self._asked
                self._fire_when_answered()
                return
        self.server.write(message.raw)
        if message.is_answered_ready or not self.proxy.is_postgres:
            self.asked += 1
            self._sent_whole()

    def _sent_whole(self) -> None:
        """All of what is to be cut is on its way: from here on its answer is waited for."""
        if self.cut is None or self.cut_at:
            return
        self.cut_at = self._asked
        if self.cut.when == RACING:
            self._fire(self.cut)

    def _answer(self, part: bytes, *, is_ready: bool) -> None:
        withheld = self.cut is not None and self.cut.when == AFTER and self.ready + 1 >= self._last
        if not (self.is_dead or withheld):
            self.client.write(part)
        self.ready += is_ready
        self._fire_when_answered()

    @property
    def _asked(self) -> int:
        """How many answers are asked for. Of other protocols only the next is told apart."""
        return self.asked if self.proxy.is_postgres else self.ready + (not self.is_deaf)

    @property
    def _last(self) -> int:
        """The number of the answer that the cut keeps from its client."""
        return self.cut_at or self.asked + 1

    def _fire_when_answered(self) -> None:
        is_set = self.cut is not None and (self.is_deaf or self.cut_at)
        if self.cut is not None and is_set and not self.is_dead and self.ready >= self.cut_at:
            self._fire(self.cut)

    def _fire(self, cut: Cut) -> None:
        cut.fired.append(self.transaction[-1].decode(errors="replace")[:200])
        # Reset, the server would throw away what it has not read yet.
        self.end(cut.how, server=CLOSE if cut.when == RACING else "")

    def _note(self, statement: bytes) -> None:
        word = statement.lstrip()[:8].upper()
        if word.startswith((b"BEGIN", b"COMMIT", b"ROLLBACK")):
            self.transaction.clear()
        self.transaction.append(statement)


class Proxy:
    """All lines, the cuts that wait for their statement, and what is wrong with every line."""

    def __init__(self, protocol: str, upstream: str) -> None:
        self.is_postgres, self.upstream = protocol == "postgres", upstream
        self.lines: set[Line] = set()
        self.cuts: list[Cut] = []
        self.delay, self.delayed = 0.0, 0
        self.refuses = False
        self._flows = asyncio.Event()
        self._flows.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line(self, writer)
        self.lines.add(line)
        ways: list[asyncio.Future[None]] = []
        try:
            if self.refuses:
                line.end(RESET)
                return
            answers, line.server = await self._connect()
            ways = [
                asyncio.ensure_future(line.upward(reader)),
                asyncio.ensure_future(line.downward(answers)),
            ]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        except OSError:
            pass
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            line.end(CLOSE)
            self.lines.discard(line)

    async def wait(self) -> None:
        """Until bytes may pass."""
        if self.delay:
            self.delayed += 1
            await asyncio.sleep(self.delay)
        await self._flows.wait()

    def cut_at(self, statement: bytes, transaction: Iterable[bytes]) -> Cut | None:
        return next((cut for cut in self.cuts if cut.takes(statement, transaction)), None)

    def obey(self, order: dict[str, Any]) -> dict[str, Any]:
        """Do what one line of the standard input says; returns the answer."""
        getattr(self, f"do_{order.pop('do')}")(**order)
        fired = [cut.fired for cut in self.cuts]
        return {"fired": fired, "lines": len(self.lines), "delayed": self.delayed}

    def do_look(self) -> None:
        """Only say how things stand."""

    def do_cut(self, *, match: str, within: str, **given: Any) -> None:
        found = re.compile(within.encode(), re.S) if within else None
        self.cuts.append(Cut(re.compile(match.encode(), re.S), found, **given))

    def do_disarm(self) -> None:
        for cut in self.cuts:
            cut.times = 0

    def do_sever(self, *, how: str) -> None:
        """Cut every line that is there now."""
        for line in list(self.lines):
            line.end(how)

    def do_slow(self, *, seconds: float) -> None:
        self.delay = seconds

    def do_hold(self) -> None:
        """No byte passes, nothing is closed: a net that swallows everything."""
        self._flows.clear()

    def do_refuse(self) -> None:
        self.refuses = True

    def do_heal(self) -> None:
        self.refuses, self.delay = False, 0.0
        self._flows.set()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self.upstream.startswith("/"):
            return await asyncio.open_unix_connection(self.upstream)
        host, _, port = self.upstream.rpartition(":")
        return await asyncio.open_connection(host, int(port))


def _linger_not(writer: asyncio.StreamWriter) -> None:
    """Closed, it says reset instead of goodbye."""
    peer = writer.get_extra_info("socket")
    if peer.family != socket.AF_UNIX:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def _main(protocol: str, host: str, port: str, upstream: str) -> None:
    proxy = Proxy(protocol, upstream)
    server = await asyncio.start_server(proxy.serve, host, int(port))
    print(server.sockets[0].getsockname()[1], flush=True)
    orders = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while order := await orders.readline():
        print(json.dumps(proxy.obey(json.loads(order))), flush=True)


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
