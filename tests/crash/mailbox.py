"""A mail server for the matrix: the installation's own sink, as a process of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 60


@contextmanager
def sink(folder: Path) -> Iterator[Path]:
    """Take mail on the port of KEDGE_CRASH_SMTP_PORT into a Maildir below `folder`; yields it."""
    port, maildir = os.environ["KEDGE_CRASH_SMTP_PORT"], folder / "mail"
    command = [sys.executable, str(ROOT / "manage.py"), "mailsink"]
    command += ["--port", port, "--folder", str(maildir)]
    with (folder / "mailsink.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        _wait_until_it_listens(int(port))
        yield maildir
    finally:
        process.kill()
        process.wait()


def _wait_until_it_listens(port: int) -> None:
    end = time.monotonic() + READY_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return
