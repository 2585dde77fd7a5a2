"""The real PostgreSQL and Valkey that tests stand on, started here unless the environment names some.

One pytest session, one PostgreSQL: its xdist workers inherit its address, and each has its own
database there. Each has a Valkey of its own, because tests empty it. A second session at the same
time takes the next free slot. Data stay for the next session (`--reuse-db`).
"""

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import redis

from config.embedded import folders, postgres, processes, valkey
from config.embedded.places import LINK, Places, places
from tests.ports import free_port

ROOT = Path(__file__).resolve().parent.parent
SLOT = "KEDGE_TEST_SLOT"
ACCOUNT = os.environ.get("KEDGE_ACCOUNT", "nobody")


@dataclass
class Ground:
    """What this process started: the locked slot and its servers, which end with this process."""

    lock: IO[str] | None
    servers: list[subprocess.Popen[bytes]]

    def stop(self) -> None:
        """Stop the servers and wait for them; frees the slot."""
        stop(self.servers)
        self.servers.clear()
        if self.lock:
            self._leave_nothing_elsewhere(Path(self.lock.name).parent)
            self.lock.close()

    def _leave_nothing_elsewhere(self, slot: Path) -> None:
        """Data outside the checkout would outlive it."""
        here = _places(slot)
        if here.ground != here.var:
            shutil.rmtree(here.ground, ignore_errors=True)
            (slot / LINK).unlink()


def ensure() -> Ground | None:
    """Name a database and a Redis in the environment, starting what it does not name yet."""
    slot = os.environ.get(SLOT)
    if slot and os.environ.get("PYTEST_XDIST_WORKER"):
        return Ground(None, [start_valkey(_places(Path(slot)))])
    missing = [begin for name, begin in STARTS.items() if not os.environ.get(name)]
    if not missing:
        return None
    here, lock = _free_slot(Path(os.environ.get("KEDGE_VAR", ROOT / "var")) / "test")
    folders.prepare(here)
    return Ground(lock, [begin(here) for begin in missing])


def start_postgres(here: Places) -> subprocess.Popen[bytes]:
    """Start PostgreSQL and name its superuser's address in DATABASE_URL."""
    command = postgres.prepare(here, say=lambda _: None)
    # SIGTERM would wait for every client, those that a killed test left behind too.
    server = start(here, "postgres", command, "INT")
    postgres.wait_until_ready(here, running=lambda: server.poll() is None, say=print)
    os.environ["DATABASE_URL"] = here.database_url(postgres.SUPERUSER)
    return server


def start_valkey(here: Places) -> subprocess.Popen[bytes]:
    """Start Valkey and name its address in REDIS_URL; the slot in `SLOT`, for xdist workers."""
    port = free_port()
    server = start(here, "valkey", valkey.command(here, port=port), "TERM")
    os.environ["REDIS_URL"] = f"redis://127.0.0.1:{port}/0"
    os.environ[SLOT] = str(here.var)
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as connection:
        wait_for(lambda: answers(connection), "Valkey answers")
    return server


def wait_for(fact: Callable[[], bool], what: str, *, seconds: float = 30) -> None:
    """Return once `fact()` is true; fail naming `what` when it has not become so."""
    end = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        time.sleep(0.02)


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that the servers' account can enter, unlike pytest's own; gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="kedge-test-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def start(here: Places, name: str, command: list[str], stop_signal: str) -> subprocess.Popen[bytes]:
    """Start a server that ends, by `stop_signal`, when this process ends."""
    with (here.logs / f"{name}.log").open("ab") as log:
        return subprocess.Popen(
            processes.tied(command, signal=stop_signal, account=here.account),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            # Ctrl-C is for pytest, which stops the servers itself.
            start_new_session=True,
        )


def stop(servers: list[subprocess.Popen[bytes]]) -> None:
    """Stop servers and wait for them."""
    for server in servers:
        server.send_signal(signal.SIGINT)
    for server in servers:
        server.wait(timeout=60)


def answers(connection: redis.Redis) -> bool:
    """Whether this Redis answers."""
    try:
        return bool(connection.ping())
    except redis.RedisError:
        return False


STARTS = {"DATABASE_URL": start_postgres, "REDIS_URL": start_valkey}


def _free_slot(base: Path) -> tuple[Places, IO[str]]:
    for number in range(1, 100):
        var = base / str(number)
        var.mkdir(parents=True, exist_ok=True)
        lock = (var / "lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
        else:
            return _places(var), lock
    raise AssertionError(f"a hundred test sessions hold the slots of {base}")


def _places(slot: Path) -> Places:
    return places(slot, chosen=False, account=ACCOUNT)
