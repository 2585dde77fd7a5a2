"""The mail sink keeps what it acknowledges, and fails the way a recipient asks it to."""

import signal
import smtplib
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from agents.mailsink import Mail, mails
from tests.contract.daemons import mail_sink
from tests.ground import wait_for

NO_CODE = -1  # what smtplib makes of words without a number
CONTENT = b"Subject: =?utf-8?b?R3LDvMOfZQ==?=\r\nMessage-ID: <1@x>\r\nX-Kedge-Key: k1\r\n\r\nhi\r\n"


def send(port: int, recipient: str) -> int:
    """Send a mail; returns the code of the answer."""
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as smtp:
        try:
            smtp.sendmail("kedge@example.org", [recipient], CONTENT)
        except smtplib.SMTPRecipientsRefused as error:
            return int(error.recipients[recipient][0])
        except smtplib.SMTPDataError as error:
            return int(error.smtp_code)
    return 250


def test_a_mail_is_kept_with_its_recipient_and_key(tmp_path: Path) -> None:
    assert mails(tmp_path / "mail") == []
    with mail_sink(tmp_path / "mail") as port:
        assert [send(port, f"{name}@example.org") for name in ("ann", "bob")] == [250, 250]
    assert mails(tmp_path / "mail") == [
        Mail("ann@example.org", "Grüße", "<1@x>", "k1"),
        Mail("bob@example.org", "Grüße", "<1@x>", "k1"),
    ]


@pytest.mark.parametrize(("fault", "code"), [("refuse", 550), ("busy", 451)])
def test_a_refused_mail_is_not_kept(tmp_path: Path, fault: str, code: int) -> None:
    with mail_sink(tmp_path / "mail") as port:
        assert send(port, f"ann+{fault}@example.org") == code
    assert mails(tmp_path / "mail") == []


@pytest.mark.parametrize(("fault", "kept"), [("dies", 1), ("lost", 0)])
def test_a_cut_line_tells_nothing_about_the_mail(tmp_path: Path, fault: str, kept: int) -> None:
    with mail_sink(tmp_path / "mail") as port, pytest.raises(smtplib.SMTPServerDisconnected):
        send(port, f"ann+{fault}@example.org")
    assert len(mails(tmp_path / "mail")) == kept


def test_an_answer_that_is_none_tells_nothing_about_the_mail(tmp_path: Path) -> None:
    with mail_sink(tmp_path / "mail") as port:
        assert send(port, "ann+garbled@example.org") == NO_CODE
        assert [mail.to for mail in mails(tmp_path / "mail")] == ["ann+garbled@example.org"]


def test_a_mute_mailbox_keeps_the_mail_and_says_nothing(tmp_path: Path) -> None:
    with mail_sink(tmp_path / "mail") as port, smtplib.SMTP("127.0.0.1", port) as smtp:
        smtp.ehlo()
        smtp.mail("kedge@example.org")
        smtp.rcpt("ann+mute@example.org")
        smtp.docmd("DATA")
        smtp.send(CONTENT + b".\r\n")
        wait_for(lambda: bool(mails(tmp_path / "mail")), "the mail is kept")
        assert smtp.sock is not None
        with pytest.raises(BlockingIOError):
            smtp.sock.recv(1, socket.MSG_DONTWAIT)
        smtp.close()


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    return [sys.executable, "manage.py", "mailsink", "--folder", str(tmp_path / "mail")]


def test_the_command_serves_until_it_is_told_to_end(command: list[str], tmp_path: Path) -> None:
    with subprocess.Popen([*command, "--port=0"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().split(":")[1].split()[0])
        assert send(port, "ann@example.org") == 250
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert len(mails(tmp_path / "mail")) == 1


def test_a_taken_port_is_a_sentence(command: list[str], tmp_path: Path) -> None:
    with mail_sink(tmp_path / "other") as port:
        done = subprocess.run(
            [*command, f"--port={port}"], capture_output=True, text=True, check=False
        )
    assert done.returncode == 1
    assert f"cannot listen on port {port}" in done.stderr
    assert "Traceback" not in done.stderr
