"""A wire between a tool and its outside world that counts requests and can break at the answer."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

WHOLE = "whole"
CUT = "cut"  # the answer is dropped and the line goes dead: the effect is there, nobody hears
MUTE = "mute"  # the answer never comes and the line stays open


@dataclass(frozen=True)
class Marks:
    """How to tell, in what passes: an effect is asked for · asked in full · answered in full."""

    asks: bytes
    asked: bytes
    answered: bytes


@dataclass
class Line:
    """One connection, with all that the tool and the world said on it."""

    near: socket.socket
    far: socket.socket
    sent: bytearray = field(default_factory=bytearray)
    heard: bytearray = field(default_factory=bytearray)


class Wire:
    """Listens on `port` and passes everything on to `target`, unless `mode` says otherwise.

    `target` is a port of this machine or the path of a socket.
    """

    def __init__(self, target: int | str, marks: Marks) -> None:
        self.mode = WHOLE
        self._target = target
        self._marks = marks
        self._lines: list[Line] = []
        self._threads: list[threading.Thread] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self._start(self._accept)

    @property
    def connections(self) -> int:
        return len(self._lines)

    @property
    def requests(self) -> int:
        """How many times an effect was asked for."""
        return sum(bytes(line.sent).count(self._marks.asks) for line in self._lines)

    def close(self) -> None:
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        for line in self._lines:
            for end in (line.near, line.far):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)
        for line in self._lines:
            line.near.close()
            line.far.close()

    def _start(self, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return
            line = Line(near, _connected(self._target))
            self._lines.append(line)
            self._start(lambda line=line: self._pass_on(line))  # type: ignore[misc]
            self._start(lambda line=line: self._pass_back(line))  # type: ignore[misc]

    def _pass_on(self, line: Line) -> None:
        while data := _received(line.near):
            line.sent += data
            with suppress(OSError):
                line.far.sendall(data)
        with suppress(OSError):
            line.far.shutdown(socket.SHUT_WR)

    def _pass_back(self, line: Line) -> None:
        while data := _received(line.far):
            if self.mode != WHOLE and self._marks.asked in line.sent:
                line.heard += data
                if self.mode == CUT and self._marks.answered in line.heard:
                    break
                continue
            with suppress(OSError):
                line.near.sendall(data)
        if self.mode != MUTE:
            with suppress(OSError):
                line.near.shutdown(socket.SHUT_RDWR if self.mode == CUT else socket.SHUT_WR)


def _connected(target: int | str) -> socket.socket:
    if isinstance(target, int):
        return socket.create_connection(("127.0.0.1", target))
    far = socket.socket(socket.AF_UNIX)
    far.connect(target)
    return far


def _received(end: socket.socket) -> bytes:
    try:
        return end.recv(65536)
    except OSError:
        return b""
