"""The servers that real tools talk to in these tests, each on a free port of this machine."""

import asyncio
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from agents.mailsink import listening
from tests.ports import free_port


@contextmanager
def git_daemon(base: Path) -> Iterator[int]:
    """Serve the repositories below `base` over git://, reading and writing; yields the port."""
    port = free_port()
    # Called by its path: `git daemon` would put a process between us and it.
    place = subprocess.run(["git", "--exec-path"], capture_output=True, check=True, text=True)
    command = [
        *(f"{place.stdout.strip()}/git-daemon", "--verbose", "--export-all", "--reuseaddr"),
        *("--enable=receive-pack", "--listen=127.0.0.1", f"--port={port}"),
        *(f"--base-path={base}", str(base)),
    ]
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(base)}
    daemon = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment)
    try:
        assert daemon.stderr is not None
        while b"Ready to rumble" not in (line := daemon.stderr.readline()):
            assert line, "git daemon did not start"
        threading.Thread(target=_drain, args=[daemon.stderr], daemon=True).start()
        yield port
    finally:
        daemon.kill()
        daemon.wait()


@contextmanager
def mail_sink(folder: Path) -> Iterator[int]:
    """Take mail into `folder`; yields the port."""
    loop = asyncio.new_event_loop()
    ready, ended, ports = threading.Event(), asyncio.Event(), list[int]()

    async def serve() -> None:
        async with listening(folder, host="127.0.0.1", port=0) as port:
            ports.append(port)
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(10)
        loop.close()


def _drain(pipe: IO[bytes]) -> None:
    with pipe:
        pipe.read()
