"""A mail server for the matrix: the installation's own sink, as a process of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.embedded import processes

ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 60


@contextmanager
def sink(maildir: Path) -> Iterator[None]:
    """Take mail on the port of KEDGE_CRASH_SMTP_PORT into a Maildir."""
    port = os.environ["KEDGE_CRASH_SMTP_PORT"]
    command = [sys.executable, str(ROOT / "manage.py"), "mailsink"]
    command += ["--port", port, "--folder", str(maildir)]
    with maildir.with_suffix(".log").open("wb") as log:
        # Tied: it ends with the matrix, however that ends.
        process = subprocess.Popen(
            processes.tied(command), stdout=log, stderr=log, start_new_session=True
        )
    try:
        _wait_until_it_listens(int(port))
        yield
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
