"""A mail is judged by the answer to the whole mail; before it nothing left, after it all is open."""

import smtplib
import threading
import time
from typing import Any

import pytest

from agents.tools.deadline import Deadline
from agents.tools.mail.errors import NoAnswer
from agents.tools.mail.sending import Letter, MailServer, check_login, send
from reconciliation.tools import Refused
from tests.agents.tools.mail.scripted import CONTENT, HANG_UP, ScriptedServer, scripted

LETTER = Letter("kedge@example.org", "ann@example.org", b"Subject: x\r\n\r\n.dot\r\nend\r\n")
LOST = (smtplib.SMTPServerDisconnected, smtplib.SMTPResponseException, OSError, NoAnswer)


def sent(server: ScriptedServer, seconds: float = 5.0, **options: Any) -> tuple[int, str]:
    return send(MailServer("127.0.0.1", server.port, **options), LETTER, Deadline(seconds))


def test_an_accepted_mail_is_one_conversation() -> None:
    with scripted() as server:
        assert sent(server) == (250, "kept")
    assert server.names()[:4] == ["EHLO", "MAIL", "RCPT", "DATA"]
    assert server.heard[4] == b"Subject: x\r\n\r\n..dot\r\nend\r\n.\r\n"
    assert server.names()[5:] == ["QUIT"]


@pytest.mark.parametrize("farewell", [b"421 closing\r\n", b"500 no\r\n", HANG_UP, b"rubbish\r\n"])
def test_the_farewell_does_not_matter(farewell: bytes) -> None:
    with scripted({"QUIT": farewell}) as server:
        assert sent(server) == (250, "kept")


@pytest.mark.parametrize(
    "answer", [b"550 no\r\n", b"451 later\r\n", b"421 closing\r\n", b"554-no\r\n554 never\r\n"]
)
@pytest.mark.parametrize("step", ["MAIL", "RCPT", "DATA", CONTENT])
def test_a_spoken_no_refuses(step: str, answer: bytes) -> None:
    with scripted({step: answer}) as server, pytest.raises(Refused):
        sent(server)


@pytest.mark.parametrize(
    "answer",
    [
        HANG_UP,
        b"250-kept\r\n",
        b"rubbish\r\n",
        b"\r\n",
        b"354 more\r\n",
        b"200 ok\r\n",
        b"5" * 9000,
    ],
)
def test_anything_else_after_the_mail_is_unknown(answer: bytes) -> None:
    with scripted({CONTENT: answer}) as server, pytest.raises(LOST):
        sent(server, 1.0)
    assert server.heard[4].endswith(b"end\r\n.\r\n")


@pytest.mark.parametrize("step", ["greeting", "EHLO", "MAIL", "RCPT", "DATA"])
@pytest.mark.parametrize("answer", [HANG_UP, b"rubbish\r\n", b"399 odd\r\n"])
def test_before_the_mail_left_nothing_can_have_happened(step: str, answer: bytes) -> None:
    silence = {"EHLO": answer, "HELO": answer} if step == "EHLO" else {step: answer}
    with scripted(silence) as server, pytest.raises(Refused):
        sent(server, 2.0)
    assert not any(b"Subject" in heard for heard in server.heard)


def test_nobody_there_is_refused_unsent() -> None:
    with scripted() as server:
        pass
    with pytest.raises(Refused, match="nothing was sent"):
        sent(server)


def test_a_server_that_drips_is_cut_off_in_time() -> None:
    gone = threading.Event()
    start = time.monotonic()
    with scripted(drip=lambda: gone.wait(0.05)) as server, pytest.raises(LOST):
        sent(server, 0.7)
    assert time.monotonic() - start < 2.5


def test_letters_outside_ascii_need_a_server_that_takes_them() -> None:
    letter = Letter(LETTER.sender, LETTER.recipient, "Subject: x\r\n\r\né\r\n".encode())
    with (
        scripted({"EHLO": b"250 mail\r\n"}) as server,
        pytest.raises(Refused, match="outside ASCII"),
    ):
        send(MailServer("127.0.0.1", server.port), letter, Deadline(5))


def test_a_login_that_fails_sends_nothing() -> None:
    with scripted({"AUTH": b"535 wrong\r\n"}) as server, pytest.raises(Refused, match="nothing"):
        sent(server, username="kedge", password="hush")
    assert "MAIL" not in server.names()


def test_a_server_without_encryption_gets_no_login() -> None:
    with scripted() as server, pytest.raises(Refused, match="STARTTLS"):
        sent(server, username="kedge", password="hush", starttls=True)
    assert "AUTH" not in server.names()


def test_the_login_is_checked_without_sending() -> None:
    with scripted() as server:
        mail_server = MailServer("127.0.0.1", server.port, username="kedge", password="hush")
        check_login(mail_server, Deadline(5))
    assert server.names() == ["EHLO", "AUTH", "QUIT"]


def test_a_password_is_not_shown() -> None:
    assert "hush" not in repr(MailServer("mail.example.org", 25, "kedge", "hush"))
