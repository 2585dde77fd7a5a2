"""Runs git with nothing of the account or machine in it, and never longer than it may take."""

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from agents.tools.deadline import Deadline

# No retries, redirects or reused connections: one request asked for is one request sent.
CONFIG = (
    "core.hooksPath=/dev/null",
    "core.fsync=none",  # only ever said to throw-away repositories; a remote reads its own settings
    "credential.helper=",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "http.extraHeader=Connection: close",
    "http.followRedirects=false",
    "maintenance.auto=false",
    "pack.threads=1",
    "protocol.version=2",
    "push.followTags=false",
    "push.recurseSubmodules=no",
)


@dataclass(frozen=True)
class Ran:
    """How git ended and what it said on its two outputs."""

    code: int
    out: bytes
    said: str


@dataclass(frozen=True)
class Git:
    """How to run git for one call: until when, and with what beside the fixed environment."""

    deadline: Deadline
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, folder: Path, arguments: Sequence[str], stdin: bytes = b"") -> Ran:
        """Run git in the bare repository `folder`. Raises `TimeoutError` after killing it.

        The outputs are files, not pipes: a hook that outlives git and holds its output must not
        keep us waiting.
        """
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as said,
        ):
            given.write(stdin)
            given.seek(0)
            command = [*_prefix(), f"--git-dir={folder}", *arguments]
            environment = {**_environment(folder), **self.environment}
            code = _waited(command, (given, out, said), self.deadline, environment)
            return Ran(code, _content(out), _content(said).decode("utf-8", "replace"))


def _prefix() -> list[str]:
    # The kernel kills this git when the thread that started it dies. What the remote has by then
    # goes on: killing the worker does not stop the effect.
    options = [part for setting in CONFIG for part in ("-c", setting)]
    return ["setpriv", "--pdeathsig", "KILL", "git", *options]


def _environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _waited(
    command: list[str],
    files: tuple[IO[bytes], IO[bytes], IO[bytes]],
    deadline: Deadline,
    environment: Mapping[str, str],
) -> int:
    left = deadline.left()
    given, out, said = files
    child = subprocess.Popen(command, stdin=given, stdout=out, stderr=said, env=environment)
    try:
        return child.wait(timeout=left)
    except BaseException as error:
        child.kill()
        child.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise TimeoutError(f"git did not end within {left:.1f} s") from error
        raise


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
