"""One running instance per folder and port: the lock that says so, and what to do when it is held."""

import fcntl
import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from config.embedded import processes
from config.errors import GroundError

LONGEST_STOP_SECONDS = 120
TELL_EVERY_SECONDS = 5


def take(var: Path, port: int, *, say: Callable[[str], None]) -> IO[str]:
    """Lock the folder for this process and the supervisor it starts; returns the held lock.

    An earlier instance that was killed may still be stopping: it is waited for. One that runs is
    left alone: GroundError says where it is.
    """
    var.mkdir(parents=True, exist_ok=True)
    lock = (var / "instance.lock").open("a+")
    try:
        _wait_for(lock, var, say)
    except BaseException:
        lock.close()
        raise
    lock.truncate(0)
    lock.write(json.dumps({"pid": os.getpid(), "port": port}))
    lock.flush()
    return lock


def locked(lock: IO[str]) -> bool:
    """Take the lock if it is free; whether it is ours now."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def refuse_taken_port(port: int, variable: str) -> None:
    """Raise GroundError when another program listens on this port of the loopback."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise GroundError(
                f"Port {port} cannot be used ({error.strerror}). See what holds it with"
                f" `ss -ltnp 'sport = :{port}'`, or set {variable} to a free one."
            ) from error


def _wait_for(lock: IO[str], var: Path, say: Callable[[str], None]) -> None:
    end, told = time.monotonic() + LONGEST_STOP_SECONDS, 0.0
    while not locked(lock):
        holder = _holder(lock)
        if processes.alive(holder["pid"]):
            raise GroundError(
                f"Kedge already runs from this folder (process {holder['pid']}): open"
                f" http://127.0.0.1:{holder['port']}/, or stop it with Ctrl-C where it was started"
                f" or with `kill -INT {holder['pid']}`."
            )
        if time.monotonic() > end:
            raise GroundError(
                f"An earlier instance still stops its programs after {LONGEST_STOP_SECONDS} s."
                f" Look at the newest lines in {var}/log and end what hangs, then start again."
            )
        if time.monotonic() - told > TELL_EVERY_SECONDS:
            told = time.monotonic()
            say("An earlier instance was killed and still stops its programs; waiting for it")
        time.sleep(0.1)


def _holder(lock: IO[str]) -> dict[str, int]:
    lock.seek(0)
    try:
        found = json.loads(lock.read())
    except ValueError:
        # Taken this moment and not yet written.
        return {"pid": 0, "port": 0}
    return {"pid": int(found["pid"]), "port": int(found["port"])}
