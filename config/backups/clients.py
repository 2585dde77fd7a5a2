"""Runs PostgreSQL's own client programs; a password stands in their environment, never in an argument."""

import os
import re
import subprocess
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from config.embedded.binaries import postgres_clients
from config.errors import BackupError

LAST_LINES: Final = 6
PROGRESS: Final = re.compile(r"\((\d+)%\)")


def run(
    program: str, *arguments: str, url: str = "", say: Callable[[str], None] = lambda _: None
) -> None:
    """Run a program to its end; `say` hears of every tenth part it has done, where it tells.

    Raises BackupError with the last lines of what it said.
    """
    connection, secret = _address(url) if url else ([], {})
    command = [str(postgres_clients() / program), *connection, *arguments]
    last: deque[str] = deque(maxlen=LAST_LINES)
    with subprocess.Popen(
        command,
        env={**os.environ, **secret, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        told = 0
        for line in _lines(process):
            done = PROGRESS.search(line)
            if done is None:
                last.append(line)
            elif int(done[1]) >= told + 10:
                told = int(done[1])
                say(f"{program}: {told} %")
    if process.returncode != 0:
        raise BackupError(f"{program} did not succeed: {' '.join(last) or 'it said nothing'}")


def _address(url: str) -> tuple[list[str], dict[str, str]]:
    parts = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    password = parts.pop("password", "")
    secret = {"PGPASSWORD": password} if password else {}
    return [f"--dbname={make_conninfo('', **parts)}", "--no-password"], secret


def _lines(process: subprocess.Popen[bytes]) -> Iterator[str]:
    """What it says, line by line; progress overwrites its line with carriage returns."""
    rest = b""
    while process.stdout and (chunk := os.read(process.stdout.fileno(), 4096)):
        *whole, rest = re.split(rb"[\r\n]+", rest + chunk)
        yield from (line.decode(errors="replace").strip() for line in whole if line.strip())
    if rest.strip():
        yield rest.decode(errors="replace").strip()
