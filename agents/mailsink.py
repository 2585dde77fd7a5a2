"""A mail server that only keeps what it gets: the outside world of the demo and of the tests.

Faults are asked for by the recipient, in the part before "@": "+refuse" and "+busy" say no,
"+lost" hangs up before the mail is kept, "+dies" hangs up after it, before answering; "+mute" keeps
the mail and says nothing, "+garbled" keeps it and says what is no answer.
"""

# ruff: noqa: ARG002, N802 - the handlers are named and called by aiosmtpd

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email import message_from_bytes, policy
from itertools import count
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session

DEFAULT_PORT = 8725

NO_ANSWER = "aye aye, stowed below"

_NUMBERS = count()
_TO = "Delivered-To"


@dataclass(frozen=True)
class Mail:
    """One mail as it arrived; `to` is the recipient of the envelope, `key` the X-Kedge-Key."""

    to: str
    subject: str
    message_id: str
    key: str


class Sink:
    """Keeps every mail in a Maildir, on the disk before it is acknowledged."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in ("tmp", "new", "cur"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Take one recipient per mail, and refuse those that ask for it."""
        if envelope.rcpt_tos:
            return "452 one recipient per mail"
        if "+refuse" in address.partition("@")[0]:
            return "550 this mailbox does not take mail"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Keep the mail, or do what the recipient asks for."""
        address = envelope.rcpt_tos[0]
        local = address.partition("@")[0]
        if "+busy" in local:
            return "451 try again later"
        if "+lost" in local:
            await _hang_up(server)
        keep(self._folder, address, envelope.original_content or b"")
        if "+dies" in local:
            await _hang_up(server)
        if "+mute" in local:
            await asyncio.get_running_loop().create_future()
        return NO_ANSWER if "+garbled" in local else "250 kept"


def keep(folder: Path, recipient: str, content: bytes) -> None:
    """Store a mail so that it survives the machine: file, name, then folder are synced."""
    name = f"{time.time_ns():020}.{os.getpid()}.{next(_NUMBERS)}"
    draft = folder / "tmp" / name
    with draft.open("wb") as file:
        file.write(f"{_TO}: {recipient}\r\n".encode() + content)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(folder / "new" / name)
    descriptor = os.open(folder / "new", os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def mails(folder: Path) -> list[Mail]:
    """Every mail that was kept, in the order of arrival; none when the folder is not there."""
    files = [file for part in ("new", "cur") for file in (folder / part).glob("*")]
    return [_read(file) for file in sorted(files, key=lambda file: file.name)]


@asynccontextmanager
async def listening(folder: Path, *, host: str, port: int) -> AsyncIterator[int]:
    """Serve until the block ends; yields the port, a free one for 0. Raises `OSError`."""
    sink = Sink(folder)
    logging.getLogger("mail.log").setLevel(logging.WARNING)  # else every address is logged
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(sink, hostname="mailsink"), host, port)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def _hang_up(server: SMTP) -> None:
    """Cut the connection; never returns, because aiosmtpd cancels who serves a lost connection."""
    if isinstance(server.transport, asyncio.Transport):
        server.transport.abort()
    await asyncio.get_running_loop().create_future()


def _read(file: Path) -> Mail:
    headers = message_from_bytes(file.read_bytes(), policy=policy.default)
    names = (_TO, "Subject", "Message-ID", "X-Kedge-Key")
    return Mail(*(str(headers.get(name, "")) for name in names))
