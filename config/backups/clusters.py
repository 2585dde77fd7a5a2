"""Reaches the database of this installation, also while it is stopped, and runs clusters beside it."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from django.conf import settings

from config import instance
from config.embedded import folders, postgres, processes
from config.embedded.places import Places
from config.errors import BackupError
from config.readiness import Say


@dataclass(frozen=True)
class Urls:
    """How a database is reached: as the owner of its tables, by each of our processes, and to copy it."""

    owner: str
    web: str
    worker: str
    replicating: str

    def environment(self) -> dict[str, str]:
        """What makes our own commands work on this database."""
        return {
            "DATABASE_URL": self.owner,
            "DATABASE_URL_WEB": self.web,
            "DATABASE_URL_WORKER": self.worker,
            "KEDGE_ROLE": "owner",
        }


def is_embedded() -> bool:
    """Whether the PostgreSQL of this installation is the one from the wheel."""
    return "DATABASE_URL" in settings.EMBEDDED


def embedded(here: Places) -> Urls:
    """How an embedded PostgreSQL is reached."""
    owner, web, worker = (
        here.database_url(user) for user in (postgres.OWNER, postgres.WEB, postgres.WORKER)
    )
    return Urls(owner, web, worker, here.database_url(postgres.SUPERUSER))


def named() -> Urls:
    """How the PostgreSQL that the environment names is reached."""
    urls = settings.DATABASE_URLS
    return Urls(urls["owner"], urls["web"], urls["worker"], urls["owner"])


@contextmanager
def reached(say: Say) -> Iterator[Urls]:
    """The database of this installation. An embedded one that is stopped runs meanwhile."""
    if not is_embedded():
        yield named()
        return
    lock = free_instance()
    if lock is None:
        yield embedded(settings.PLACES)
        return
    with lock:
        if not (settings.PLACES.data / "PG_VERSION").exists():
            raise BackupError(
                f"There is no database in {settings.PLACES.data}: nothing to back up."
            )
        with running(settings.PLACES, say) as urls:
            yield urls


def free_instance() -> IO[str] | None:
    """The lock of this installation's folder, ours now; None while an instance runs or stops."""
    settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    lock = (settings.VAR_DIR / "instance.lock").open("a+")
    if instance.locked(lock):
        return lock
    lock.close()
    return None


@contextmanager
def running(here: Places, say: Say) -> Iterator[Urls]:
    """Run the cluster of these places, made if there is none, and stop it in order."""
    folders.prepare(here)
    command = postgres.prepare(here, say=say)
    with (here.logs / "postgres.log").open("ab") as log:
        server = subprocess.Popen(
            processes.tied(command, signal="INT", account=here.account),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            # Ctrl-C is for us, who stop it in order.
            start_new_session=True,
        )
    try:
        postgres.wait_until_ready(here, running=lambda: server.poll() is None, say=say)
        yield embedded(here)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
