"""Puts a backup in the place of the record: prepared beside it, switched at the end, effects stopped."""

import ctypes
import os
import pwd
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from django.conf import settings

from config.backups import clusters, databases, manifest, preparing, previewing, verifying, witness
from config.backups.manifest import BASE, DUMP_FILE, Manifest
from config.backups.taking import JOURNAL
from config.embedded import postgres, processes
from config.embedded.folders import enough_space
from config.embedded.places import Places, beside
from config.errors import BackupError
from config.readiness import Say

SIDE: Final = "restoring"
EXCHANGE: Final = 2  # renameat2(2)
HERE: Final = -100  # AT_FDCWD


@dataclass(frozen=True)
class Allowed:
    """What the operator has said yes to beforehand."""

    replacing: bool = False
    ending_sessions: bool = False


def restore(folder: Path, allowed: Allowed, say: Say, *, only_preview: bool = False) -> None:
    """Restore a backup. What is here is shown first, and replaced only where that is allowed.

    Raises BackupError or GroundError; then the record here is as it was.
    """
    made = manifest.read(folder)
    _verify(folder, made, say)
    preparing.refuse_newer_schema(made)
    with _nobody_else():
        here = previewing.look(made, say)
        for line in previewing.told(made, here):
            say(line)
        if only_preview:
            return
        _refuse_unless(allowed, here, made)
        if clusters.is_embedded():
            kept = _into_cluster(folder, made, say)
        else:
            kept = databases.put(folder, made, allowed.ending_sessions, _journal(folder, say), say)
    say(
        f"Restored. {kept}Effects are stopped: start Kedge, look at what the record lacks, lift it."
    )


def _journal(folder: Path, say: Say) -> databases.Before:
    """Before anything can start on the restored record, the journal says all that is known."""

    def put_back() -> None:
        for line in witness.put_back(folder / JOURNAL):
            say(line)

    return put_back


def _verify(folder: Path, made: Manifest, say: Say) -> None:
    say("Verifying the backup")
    manifest.check_files(folder, made)
    if made.kind == BASE:
        verifying.verify(folder / BASE)


@contextmanager
def _nobody_else() -> Iterator[None]:
    """An embedded installation is restored while it is stopped, and nobody starts it meanwhile."""
    if not clusters.is_embedded():
        yield
        return
    lock = clusters.free_instance()
    if lock is None:
        raise BackupError(
            "Kedge runs from this folder. Stop it first (Ctrl-C where it was started), then restore:"
            " a record is not exchanged under running workers."
        )
    with lock:
        _refuse_if_working(settings.PLACES)
        yield


def _refuse_if_working(here: Places) -> None:
    """An orphan of a killed instance may work on in the folder: it would write into what replaces it."""
    if still := processes.working_in(here.data):
        raise BackupError(
            f"PostgreSQL works in {here.data} (process {still[0]}). Stop Kedge; if none runs, end it"
            f" with `kill -INT {still[0]}`, then restore."
        )


def _refuse_unless(allowed: Allowed, here: previewing.Here, made: Manifest) -> None:
    if made.kind == BASE and not clusters.is_embedded():
        raise BackupError(
            "This is the copy of a whole cluster, and the PostgreSQL of DATABASE_URL is not ours to"
            " exchange. Restore its folder `base` with that server's own tools, then start Kedge: it"
            " stops effects by itself. Or take backups with --dump, which this command restores."
        )
    if not here.is_empty and not allowed.replacing:
        raise BackupError(
            "Nothing was changed: there is a record here, and it would be replaced (see above). Say"
            " --replace if that is what you want; the old one is kept beside it."
        )
    if here.sessions and not (clusters.is_embedded() or allowed.ending_sessions):
        raise BackupError(
            f"Nothing was changed: {len(here.sessions)} sessions use this database"
            f" ({', '.join(sorted(set(here.sessions)))}). Stop web, workers and sweeper first; say"
            " --end-sessions to end what is left."
        )


def _into_cluster(folder: Path, made: Manifest, say: Say) -> str:
    """Prepare a cluster beside the one of this installation, then exchange the two."""
    here, side = settings.PLACES, beside(settings.PLACES, SIDE)
    _throw_away(side)
    try:
        _fill(side, here, folder, made, say)
        _journal(folder, say)()
        return _exchange(here, side)
    finally:
        _throw_away(side)


def _fill(side: Places, here: Places, folder: Path, made: Manifest, say: Say) -> None:
    side.ground.mkdir(mode=0o755)
    side.ground.chmod(0o755)
    if (here.ground / "programs").exists():
        (side.ground / "programs").symlink_to(here.ground / "programs")
    if made.kind == BASE:
        _lay_down(folder / BASE, side, say)
    with clusters.running(side, say) as urls:
        if made.kind != BASE:
            postgres.make_database(side)
            preparing.load(folder / DUMP_FILE, urls.owner, say)
        preparing.make_ready(urls, made, say)


def _lay_down(base: Path, side: Places, say: Say) -> None:
    say("Copying the cluster of the backup beside the one here")
    size = sum(path.stat().st_size for path in base.rglob("*") if path.is_file())
    enough_space(side.ground, size)
    shutil.copytree(base, side.data, symlinks=True)
    if side.account:
        entry = pwd.getpwnam(side.account)
        for path in (side.data, *side.data.rglob("*")):
            os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)
    side.data.chmod(0o700)


def _exchange(here: Places, side: Places) -> str:
    """Put the prepared cluster in place in one step; says where the old one went."""
    if not here.data.exists():
        side.data.rename(here.data)
        return ""
    _refuse_if_working(here)
    _swap(here.data, side.data)
    old = here.data.with_name(f"postgres.before-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    side.data.rename(old)
    return f"The old cluster is kept in {old}; delete it when nobody needs it. "


def _swap(one: Path, other: Path) -> None:
    """Exchange two folders: at no moment is there none."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(HERE, os.fsencode(one), HERE, os.fsencode(other), EXCHANGE) != 0:
        number = ctypes.get_errno()
        raise BackupError(
            f"The prepared cluster could not be put in place ({os.strerror(number)}); the record"
            f" here is as it was. {one.parent} must be on a file system that can exchange folders."
        )


def _throw_away(side: Places) -> None:
    shutil.rmtree(side.ground, ignore_errors=True)
    shutil.rmtree(side.sockets, ignore_errors=True)
