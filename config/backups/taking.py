"""Takes a backup: of the whole cluster where the database lets us, else of the one database."""

import os
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import psycopg
from django.conf import settings

from config.backups import clients, clusters, facts, manifest, verifying, witness
from config.backups.facts import Facts
from config.backups.manifest import BASE, BASE_MANIFEST, DUMP, DUMP_FILE, Manifest
from config.embedded.folders import enough_space
from config.errors import BackupError, GroundError
from config.readiness import Say
from tenants import wholefiles
from tenants.signing import SigningKey

JOURNAL: Final = "journal"
MAY_REPLICATE: Final = (
    "SELECT rolsuper OR rolreplication FROM pg_roles WHERE rolname = current_user"
)
SIZE: Final = "SELECT sum(pg_database_size(oid))::bigint FROM pg_database WHERE datallowconn"
# What a server says that lets nobody copy it.
NO_REPLICATION: Final = ("no pg_hba.conf entry", "replication", "max_wal_senders")


def take(folder: Path, *, dump: bool, say: Say) -> Manifest:
    """Make a backup in `folder`, which must not exist or be empty; returns its manifest.

    Complete under its name or not there at all. `dump`: of the one database, also where the whole
    cluster could be copied. Raises BackupError, GroundError (no server, no space).
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BackupError(f"{folder} exists and is not empty. Name a new folder for each backup.")
    draft = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700, parents=True)
    try:
        with clusters.reached(say) as urls:
            made = _into(draft, urls, say, dump=dump)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    _sync(draft)
    if folder.exists():
        folder.rmdir()
    draft.rename(folder)
    wholefiles.sync(folder.parent)
    return made


def _into(draft: Path, urls: clusters.Urls, say: Say, *, dump: bool) -> Manifest:
    with _asking(urls.owner) as connection:
        room = connection.execute(SIZE).fetchone()
        enough_space(draft, int(room[0]) if room else 0)
    # Before the record is read: whatever the journal has by now, the record has too, because an
    # attempt is committed before its line.
    reached = witness.position()
    kind, record = _copied(draft, urls, say, dump=dump)
    say("Copying the journal, the signed heads and the receipts that wait")
    files = witness.copy(draft / JOURNAL)
    files.append(draft / (BASE_MANIFEST if kind == BASE else DUMP_FILE))
    made = Manifest(
        kind=kind,
        kedge=kedge_version(),
        at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        record=record.as_json(),
        journal=reached,
        signing_key=SigningKey.of(settings.KEDGE_SIGNING_KEY).public.text,
        files=manifest.digests_of(draft, files),
    )
    manifest.write(draft, made)
    return made


def _copied(draft: Path, urls: clusters.Urls, say: Say, *, dump: bool) -> tuple[str, Facts]:
    """Copy the record, as a base backup where that is asked for and allowed."""
    if not dump:
        refused = _refusal(urls.replicating)
        if not refused:
            try:
                return BASE, _base(draft, urls, say)
            except BackupError as error:
                if not any(word in str(error) for word in NO_REPLICATION):
                    raise
                refused = str(error)
        say(f"No copy of the whole cluster ({refused}); dumping the database instead")
    return DUMP, _dump(draft, urls.owner, say)


def _refusal(url: str) -> str:
    try:
        with _asking(url) as connection:
            row = connection.execute(MAY_REPLICATE).fetchone()
    except GroundError as error:
        return str(error)
    return "" if row and row[0] else "its database user lacks the right REPLICATION"


def _base(draft: Path, urls: clusters.Urls, say: Say) -> Facts:
    say("Copying the whole cluster with its write-ahead log (pg_basebackup)")
    record = facts.of(urls.owner)
    target = draft / BASE
    words = ("--checkpoint=fast", "--wal-method=stream", "--manifest-checksums=SHA256")
    try:
        clients.run(
            "pg_basebackup",
            "--pgdata",
            str(target),
            *words,
            "--progress",
            url=urls.replicating,
            say=say,
        )
    except BackupError:
        shutil.rmtree(target, ignore_errors=True)
        raise
    say("Verifying every file of the copy, and its log")
    verifying.verify(target)
    return record


def _dump(draft: Path, url: str, say: Say) -> Facts:
    say("Dumping the database (pg_dump)")
    with _asking(url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        # The dump reads what this transaction sees, so that its counts are those of the dump.
        ((snapshot,),) = connection.execute("SELECT pg_export_snapshot()").fetchall()
        record = facts.read(connection)
        words = ("--format=custom", f"--snapshot={snapshot}", f"--file={draft / DUMP_FILE}")
        clients.run("pg_dump", *words, url=url)
    say("Reading the dump back (pg_restore --list)")
    clients.run("pg_restore", "--list", f"--file={os.devnull}", str(draft / DUMP_FILE))
    return record


@contextmanager
def _asking(url: str) -> Iterator[psycopg.Connection[Any]]:
    try:
        with psycopg.connect(url) as connection:
            yield connection
    except psycopg.OperationalError as error:
        last = str(error).strip().splitlines()[-1]
        raise GroundError(f"The database does not answer: {last}") from error


def kedge_version() -> str:
    """The version of this Kedge."""
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())
    return str(project["project"]["version"])


def _sync(folder: Path) -> None:
    """Bring a finished draft to the disk; pg_basebackup has synced its own part."""
    for path in folder.rglob("*"):
        if path.is_file() and BASE not in path.relative_to(folder).parts[:1]:
            wholefiles.sync(path)
    wholefiles.sync(folder)
