"""PostgreSQL's wire, read far enough to know which statement a client has executed, and where it ends."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

SSL_REQUEST, GSS_REQUEST, CANCEL_REQUEST = 80877103, 80877104, 80877102
READY = b"Z"


@dataclass(frozen=True)
class Message:
    """One whole message of a client.

    `executes`: the text of the statement that is executed by it, if any. `is_answered_ready`: the
    server says *ready* once for it (start-up, simple query, sync).
    """

    raw: bytes
    executes: bytes | None = None
    is_answered_ready: bool = False
    is_asking_for_encryption: bool = False


class ClientSide:
    """What one client said so far: simple queries, and Parse, Bind, Execute under their names."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._has_started = False
        self._statements: dict[bytes, bytes] = {}
        self._portals: dict[bytes, bytes] = {}

    def feed(self, data: bytes) -> Iterator[Message]:
        """The messages that are whole by now, in order."""
        self._rest += data
        while True:
            at = 0 if not self._has_started else 1
            if len(self._rest) < at + 4:
                return
            (length,) = struct.unpack_from("!I", self._rest, at)
            if len(self._rest) < at + length:
                return
            raw = bytes(self._rest[: at + length])
            del self._rest[: at + length]
            yield self._read(raw) if self._has_started else self._start(raw)

    def _start(self, raw: bytes) -> Message:
        (code,) = struct.unpack_from("!I", raw, 4)
        if code in (SSL_REQUEST, GSS_REQUEST):
            return Message(raw, is_asking_for_encryption=True)
        self._has_started = code != CANCEL_REQUEST
        return Message(raw, is_answered_ready=self._has_started)

    def _read(self, raw: bytes) -> Message:
        kind, body = raw[:1], raw[5:]
        if kind == b"Q":
            return Message(raw, executes=body[:-1], is_answered_ready=True)
        if kind == b"S":
            return Message(raw, is_answered_ready=True)
        if kind == b"P":
            name, text, _ = body.split(b"\0", 2)
            self._statements[name] = text
        elif kind == b"B":
            portal, name, _ = body.split(b"\0", 2)
            self._portals[portal] = self._statements.get(name, b"")
        elif kind == b"E":
            portal, _ = body.split(b"\0", 1)
            return Message(raw, executes=self._portals.get(portal, b""))
        return Message(raw)


class ServerSide:
    """What one server said so far, cut into the parts that each end with *ready*."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bool]]:
        """Whole messages together, and whether the last of them is *ready*."""
        self._rest += data
        begun, at = 0, 0
        while len(self._rest) >= at + 5:
            (length,) = struct.unpack_from("!I", self._rest, at + 1)
            if len(self._rest) < at + 1 + length:
                break
            kind = bytes(self._rest[at : at + 1])
            at += 1 + length
            if kind == READY:
                yield bytes(self._rest[begun:at]), True
                begun = at
        if at > begun:
            yield bytes(self._rest[begun:at]), False
        del self._rest[:at]
