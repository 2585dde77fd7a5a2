"""Disks that are full: a small one of its own (root), or files that may not grow in chosen processes."""

import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

PAGE = 4096
MOVE = sql.SQL("ALTER TABLE checkpoints_blob SET TABLESPACE {}")


def why_no_small() -> str:
    """Why no small disk can be mounted here; "" when it can."""
    if os.geteuid() != 0:
        return "mounting a small disk needs root"
    try:
        with small(megabytes=1):
            return ""
    except OSError:
        return "this machine mounts no small disks"


@dataclass(frozen=True)
class Small:
    """A disk in memory, mounted at `folder`."""

    folder: Path
    megabytes: int

    def fill(self) -> None:
        """It has no room beyond what is on it, until `make_room`."""
        self._resize(max(shutil.disk_usage(self.folder).used, PAGE))

    def make_room(self) -> None:
        """As large as it was."""
        self._resize(self.megabytes * 1024**2)

    def _resize(self, size: int) -> None:
        words = ["mount", "-o", f"remount,size={size}", str(self.folder)]
        subprocess.run(words, check=True, capture_output=True)


@contextmanager
def small(*, megabytes: int) -> Iterator[Small]:
    """Mount it; gone afterwards, with all that is on it. Raises OSError where that is not possible."""
    folder = Path(tempfile.mkdtemp(prefix="kedge-disk-"))
    folder.chmod(0o755)
    words = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    try:
        if subprocess.run(words, capture_output=True, check=False).returncode:
            raise OSError("it is not mounted")
        yield Small(folder, megabytes)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], capture_output=True, check=False)
        folder.rmdir()


def blobs_onto(disk: Small, own: psycopg.Connection, name: str) -> None:
    """Move the table of blobs of a database to that disk, in a tablespace of this name.

    `own` is a superuser's connection, autocommit. Raises `psycopg.Error` where its server sees no such disk.
    """
    place = disk.folder / "tables"
    place.mkdir(mode=0o700)
    data = Path(own.execute("SHOW data_directory").fetchall()[0][0]).stat()
    shutil.chown(place, data.st_uid, data.st_gid)
    space = sql.Identifier(name)
    own.execute(sql.SQL("CREATE TABLESPACE {} LOCATION {}").format(space, str(place)))
    own.execute(MOVE.format(space))


def cap(pids: Iterable[int], size: int) -> None:
    """In these processes and their children to come, no file grows beyond so many bytes."""
    for pid in pids:
        with suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def uncap(pids: Iterable[int]) -> None:
    """As it was."""
    cap(pids, resource.RLIM_INFINITY)
