"""Which PostgreSQL is worked for with a folder's journal: said in a file, held by a lock.

Whoever works for one holds the lock shared. Another PostgreSQL takes it only when nobody holds it:
after a restart everybody lets go and the first to come writes the new one down, and a clone that is
started beside the original waits for as long as the original is worked for.
"""

import os
import random
import time
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN, flock
from pathlib import Path
from typing import Final

from reconciliation.errors import ClaimedError

PATIENCE_SECONDS: Final = 3.0
MOST_BYTES: Final = 4096


@dataclass
class FileClaim:
    """A claim that is held; letting it go twice is letting it go once."""

    handle: int

    def release(self) -> None:
        """Let it go."""
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


def take(path: Path, of: str) -> FileClaim:
    """Hold the claim for the PostgreSQL `of`. Raises `ClaimedError` while another is worked for."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    until = time.monotonic() + PATIENCE_SECONDS
    try:
        while True:
            if _locked(handle, LOCK_SH) and _read(handle) == of:
                return FileClaim(handle)
            flock(handle, LOCK_UN)
            if _locked(handle, LOCK_EX):
                _write(handle, of)
                continue  # shared again, and whoever wrote in between is heard
            _refuse_when_late(until, path, handle)
            time.sleep(random.uniform(0.01, 0.05))  # noqa: S311 - so that two do not keep meeting
    except BaseException:
        os.close(handle)
        raise


def _refuse_when_late(until: float, path: Path, handle: int) -> None:
    if time.monotonic() > until:
        raise ClaimedError(f"{path} says that {_read(handle)} is worked for with it")


def _locked(handle: int, how: int) -> bool:
    try:
        flock(handle, how | LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(handle: int) -> str:
    return os.pread(handle, MOST_BYTES, 0).decode(errors="replace")


def _write(handle: int, of: str) -> None:
    os.ftruncate(handle, 0)
    os.pwrite(handle, of.encode(), 0)
    os.fsync(handle)
