"""Makes the folders of an installation, each with its one owner, and refuses a stranger's."""

import os
import pwd
import shutil
import stat
from pathlib import Path

from config.embedded.places import Places
from config.errors import GroundError

PRIVATE = 0o700
OPEN = 0o755
# A fresh cluster takes 40 MB; its write-ahead log may grow to 1 GB before it is recycled.
NEEDED_BYTES = 500 * 1024 * 1024


def prepare(places: Places, *, needed: int = NEEDED_BYTES) -> None:
    """Make every folder of `places` that is missing. Raises GroundError: closed, full, not ours."""
    try:
        make = enterable if places.account else own
        make(places.var)
        make(places.ground)
        own(places.logs)
        private(places.control, None)
        private(places.sockets, places.account)
    except OSError as error:
        raise GroundError(
            f"Kedge keeps its files in {places.var} and cannot write there: {error.strerror}"
            f" ({error.filename}). Free some space or set KEDGE_VAR to another folder."
        ) from error
    enough_space(places.ground, needed)


def own(folder: Path) -> None:
    """Make `folder` with the permissions our user gives to new folders."""
    folder.mkdir(parents=True, exist_ok=True)


def enterable(folder: Path) -> None:
    """Make `folder` and what is missing above it such that every account can walk through.

    Only folders made here get permissions; one that exists keeps its own.
    """
    for step in (*reversed(folder.parents), folder):
        if not step.exists():
            step.mkdir(exist_ok=True)
            # A strict umask would close it to the account the servers run as.
            step.chmod(OPEN)


def enough_space(folder: Path, needed: int) -> None:
    """Raise GroundError unless the disk of `folder` has `needed` bytes free."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise GroundError(
            f"Only {free // 1024**2} MB are free on the disk of {folder}, and PostgreSQL needs"
            f" {needed // 1024**2} MB to be safe. Free some space or set KEDGE_VAR to a folder on"
            " another disk."
        )


def private(folder: Path, account: str | None) -> None:
    """Make `folder` one that only its owner can enter; an existing one must already be that.

    The parent may be open to everybody, so a folder of that name may be somebody else's.
    """
    uid = pwd.getpwnam(account).pw_uid if account else os.geteuid()
    try:
        folder.mkdir(mode=PRIVATE, parents=True)
    except FileExistsError:
        pass
    else:
        os.chown(folder, uid, -1)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != uid or found.st_mode & 0o077:
        raise GroundError(
            f"{folder} must be a folder that only {account or 'you'} can enter, and it is not."
            " Kedge may have been started here by another user before: start it as that user, or"
            " move the folder away."
        )
