"""A mail server that says exactly what a test wants, command by command."""

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

HANG_UP = b""
DRIPS = 100
CONTENT = "."  # the name of the answer to the whole mail

# What a well-behaved server says.
POLITE: Mapping[str, bytes] = {
    "greeting": b"220 mail\r\n",
    "EHLO": b"250-mail\r\n250-AUTH PLAIN\r\n250 8BITMIME\r\n",
    "AUTH": b"235 welcome\r\n",
    "MAIL": b"250 ok\r\n",
    "RCPT": b"250 ok\r\n",
    "DATA": b"354 go on\r\n",
    CONTENT: b"250 kept\r\n",
    "QUIT": b"221 bye\r\n",
}


class ScriptedServer:
    """Serves one connection after the other; `heard` has every command and content."""

    def __init__(self, said: Mapping[str, bytes], drip: Callable[[], object] | None) -> None:
        self.heard: list[bytes] = []
        self._said = {**POLITE, **said}
        self._drip = drip
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def names(self) -> list[str]:
        """The commands that were heard, by name."""
        return [line[:4].decode().upper().strip() for line in self.heard]

    def close(self) -> None:
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        self._thread.join(10)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._door.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as lines, suppress(OSError):
                self._converse(connection, lines.readline)

    def _converse(self, connection: socket.socket, readline: Callable[[], bytes]) -> None:
        name = "greeting"
        while answer := self._said.get(name, b"500 what?\r\n"):
            self._answer(connection, name, answer)
            in_content = name == "DATA" and answer.startswith(b"354")
            heard = readline()
            if in_content:
                while heard and not heard.endswith(b"\r\n.\r\n"):
                    heard += readline() or b"\r\n.\r\n"
            if not heard:
                return
            self.heard.append(heard)
            name = CONTENT if in_content else heard[:4].decode().upper().strip()

    def _answer(self, connection: socket.socket, name: str, answer: bytes) -> None:
        if name == CONTENT and self._drip:
            for _ in range(DRIPS):  # a byte now and then, never a whole line
                connection.sendall(b"2")
                self._drip()
        connection.sendall(answer)


@contextmanager
def scripted(
    said: Mapping[str, bytes] | None = None, drip: Callable[[], object] | None = None
) -> Iterator[ScriptedServer]:
    """A polite server but for what is `said`; an empty answer hangs up."""
    server = ScriptedServer(said or {}, drip)
    try:
        yield server
    finally:
        server.close()
