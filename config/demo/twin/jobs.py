"""The twin's jobs, as people write them for a plain queue: do it, and let the queue retry.

Nothing here knows what was done before: after a death the same line is pushed, the same mail sent
again. `plug` is the demo's: a file whose presence ends the work-horse right after the effect, once.
"""

import os
import signal
import smtplib
import subprocess
import tempfile
from email.message import EmailMessage
from pathlib import Path

SENDER = "plain-retry@kedge.example"
TRAILER = "Fleet-Change"
SECONDS = 30
GIT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
}


def push(remote: str, business_key: str, plug: str) -> None:
    """Add a line to CHANGES.md, commit and push."""
    with tempfile.TemporaryDirectory() as folder:
        _git("clone", "--quiet", "--depth=1", f"file://{remote}", folder)
        with (Path(folder) / "CHANGES.md").open("a") as file:
            file.write(f"- {business_key}\n")
        _git("-C", folder, "add", "CHANGES.md")
        who = ("-c", "user.name=Plain Retry", "-c", f"user.email={SENDER}")
        message = f"Note {business_key}\n\n{TRAILER}: {business_key}\n"
        _git("-C", folder, *who, "commit", "--quiet", "-m", message)
        _git("-C", folder, "push", "--quiet", "origin", "HEAD:main")
    _die_if_plugged(plug)


def mail(server: str, letter: dict[str, str], plug: str) -> None:
    """Send one mail. `server` is host:port, `letter` has to, subject and body."""
    message = EmailMessage()
    message["From"], message["To"] = SENDER, letter["to"]
    message["Subject"] = letter["subject"]
    message.set_content(letter["body"])
    host, _, port = server.rpartition(":")
    with smtplib.SMTP(host, int(port), timeout=SECONDS) as smtp:
        smtp.send_message(message)
    _die_if_plugged(plug)


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True, timeout=SECONDS, env=GIT)


def _die_if_plugged(plug: str) -> None:
    try:
        Path(plug).unlink()
    except FileNotFoundError:
        return
    os.kill(os.getpid(), signal.SIGKILL)
