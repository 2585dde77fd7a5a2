"""A pooler in transaction mode, as small as one can be: lends server sessions to many clients.

Speaks just enough of PostgreSQL's protocol: each client is given a session at its first message and
loses it when the server says that no transaction is open.
"""

import queue
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

import psycopg

IDLE = b"I"


@contextmanager
def pooler(parameters: dict[str, Any], sessions: int) -> Iterator[int]:
    """Yields the port of a pooler with that many sessions of the server behind `parameters`."""
    servers = [psycopg.connect(**parameters, autocommit=True) for _ in range(sessions)]
    free: queue.LifoQueue[socket.socket] = queue.LifoQueue()
    copies = [socket.socket(fileno=_copy_of(server)) for server in servers]
    for copy in copies:
        free.put(copy)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=_serve, args=(listener, free), daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
    for copy in copies:
        copy.close()
    for server in servers:
        server.close()


def _copy_of(server: psycopg.Connection) -> int:
    with socket.socket(fileno=server.fileno()) as own:
        copy = own.dup()
        copy.setblocking(True)
        own.detach()
        return copy.detach()


def _serve(listener: socket.socket, free: "queue.LifoQueue[socket.socket]") -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            Thread(target=_talk, args=(client, free), daemon=True).start()


def _talk(client: socket.socket, free: "queue.LifoQueue[socket.socket]") -> None:
    with client, suppress(OSError, EOFError):
        assert _startup(client)[:4] == struct.pack("!i", 196608), "only plain connections"
        client.sendall(_message(b"R", struct.pack("!i", 0)))
        for name, value in (("client_encoding", "UTF8"), ("server_version", "18.0")):
            client.sendall(_message(b"S", f"{name}\0{value}\0".encode()))
        client.sendall(_message(b"Z", IDLE))
        while True:
            kind, body = _read(client)
            if kind == b"X":
                return
            server = free.get()
            try:
                _lend(client, server, kind, body)
            finally:
                free.put(server)


def _lend(client: socket.socket, server: socket.socket, kind: bytes, body: bytes) -> None:
    """Carry messages both ways until the server says that no transaction is open."""
    while True:
        server.sendall(_message(kind, body))
        # Simple queries and the extended protocol's Sync are answered by ReadyForQuery.
        if kind in (b"Q", b"S"):
            state = _answer(client, server)
            if state == IDLE:
                return
        kind, body = _read(client)
        if kind == b"X":
            server.sendall(_message(b"Q", b"ROLLBACK\0"))
            while _read(server)[0] != b"Z":
                pass
            raise EOFError


def _answer(client: socket.socket, server: socket.socket) -> bytes:
    while True:
        kind, body = _read(server)
        client.sendall(_message(kind, body))
        if kind == b"Z":
            return body


def _startup(client: socket.socket) -> bytes:
    (size,) = struct.unpack("!i", _exactly(client, 4))
    return _exactly(client, size - 4)


def _read(peer: socket.socket) -> tuple[bytes, bytes]:
    kind, size = struct.unpack("!ci", _exactly(peer, 5))
    return kind, _exactly(peer, size - 4)


def _exactly(peer: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        more = peer.recv(size - len(found))
        if not more:
            raise EOFError
        found += more
    return found


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!i", len(body) + 4) + body
