"""One SMTP conversation, judged by what the server answers to the whole mail and nothing else."""

import smtplib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from agents.tools.deadline import Deadline
from agents.tools.mail.errors import NoAnswer
from reconciliation.tools import Refused

ACCEPTED = 250
GO_ON = 354
REFUSALS = range(400, 600)


@dataclass(frozen=True)
class MailServer:
    """Where mail is handed in. Without a user name no login is tried."""

    host: str
    port: int
    username: str = ""
    password: str = field(default="", repr=False)
    starttls: bool = False
    own_name: str = "localhost"


@dataclass(frozen=True)
class Letter:
    """An envelope and what is in it."""

    sender: str
    recipient: str
    content: bytes


def send(server: MailServer, letter: Letter, deadline: Deadline) -> tuple[int, str]:
    """Hand one letter in and return the server's answer.

    Raises `Refused` when the server said no, or when no byte of the letter left. Every other
    exception (`NoAnswer`, a lost connection, a time-out) leaves open what became of it.
    """
    with _nothing_sent():
        smtp = _connected(server, deadline)
    try:
        with _cut_off(smtp, deadline):
            with _nothing_sent():
                _log_in(smtp, server)
                _offer(smtp, letter)
            answer = _hand_in(smtp, letter)
            # The mail is accepted, whatever becomes of the farewell.
            with suppress(smtplib.SMTPException, OSError):
                smtp.quit()
            return answer
    finally:
        smtp.close()


def check_login(server: MailServer, deadline: Deadline) -> None:
    """Log in and leave. Raises `smtplib.SMTPException` or `OSError`."""
    smtp = _connected(server, deadline)
    try:
        with _cut_off(smtp, deadline):
            _log_in(smtp, server)
            with suppress(smtplib.SMTPException, OSError):
                smtp.quit()
    finally:
        smtp.close()


@contextmanager
def _nothing_sent() -> Iterator[None]:
    try:
        yield
    except (smtplib.SMTPException, OSError) as error:
        raise Refused(f"nothing was sent: {error}") from error


def _connected(server: MailServer, deadline: Deadline) -> smtplib.SMTP:
    own, left = server.own_name, deadline.left()
    return smtplib.SMTP(server.host, server.port, local_hostname=own, timeout=left)


@contextmanager
def _cut_off(smtp: smtplib.SMTP, deadline: Deadline) -> Iterator[None]:
    """End the connection at the deadline: a socket's own time-out begins anew with every byte."""
    timer = threading.Timer(deadline.left(), _shut, [smtp])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut(smtp: smtplib.SMTP) -> None:
    connection = smtp.sock
    if connection is not None:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


def _log_in(smtp: smtplib.SMTP, server: MailServer) -> None:
    if server.starttls:
        smtp.starttls(context=ssl.create_default_context())
    smtp.ehlo_or_helo_if_needed()
    if server.username:
        smtp.login(server.username, server.password)


def _offer(smtp: smtplib.SMTP, letter: Letter) -> None:
    """Go as far as the server's invitation to send the content. Raises `Refused` at its no."""
    options = () if letter.content.isascii() else ("BODY=8BITMIME",)
    if options and not smtp.has_extn("8bitmime"):
        raise smtplib.SMTPNotSupportedError("the server does not take letters outside ASCII")
    _expect(smtp.mail(letter.sender, options), ACCEPTED)
    _expect(smtp.rcpt(letter.recipient), ACCEPTED)
    _expect(smtp.docmd("DATA"), GO_ON)


def _expect(answer: tuple[int, bytes], wanted: int) -> None:
    code, words = answer
    if code != wanted:
        text = words.decode("utf-8", "replace")
        raise Refused(f"the mail server refused the mail: {code} {text}")


def _hand_in(smtp: smtplib.SMTP, letter: Letter) -> tuple[int, str]:
    dotted = letter.content.replace(b"\r\n.", b"\r\n..")
    smtp.send(dotted + b".\r\n")
    code, words = smtp.getreply()
    text = words.decode("utf-8", "replace")
    if code in REFUSALS:
        raise Refused(f"the mail server refused the mail: {code} {text}")
    if code != ACCEPTED:
        raise NoAnswer(f"the mail server said neither yes nor no: {code} {text}")
    return code, text
