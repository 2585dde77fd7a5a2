"""Makes a restored record ready beside the one in use: its schema, its users' rights, effects stopped."""

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

from config.backups import clients, facts
from config.backups.clusters import Urls
from config.backups.manifest import BASE, Manifest
from config.errors import BackupError
from config.readiness import Say
from reconciliation import stopping
from tenants.actors import Actor

# Named users stand in it, who may not be there; `manage.py roles` makes it anew.
LEFT_OUT: Final = (" POLICY ", " kedge_worker ")
SHELL: Final = Actor.machine("manage.py restore")
WHY: Final = "restored from the backup of {at}: the world may have more than the record"


def load(dump: Path, url: str, say: Say) -> None:
    """Bring a dump into an empty database, whole or not at all."""
    say("Restoring the dump (pg_restore)")
    with tempfile.NamedTemporaryFile("w+", suffix=".list") as wanted:
        clients.run("pg_restore", "--list", f"--file={wanted.name}", str(dump))
        # Opened by its name: the program has written a file of its own there.
        listed = Path(wanted.name).read_text().splitlines(keepends=True)
        kept = [line for line in listed if not all(word in line for word in LEFT_OUT)]
        Path(wanted.name).write_text("".join(kept))
        words = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-acl")
        clients.run("pg_restore", *words, f"--use-list={wanted.name}", str(dump), url=url)


def make_ready(urls: Urls, made: Manifest, say: Say) -> None:
    """Compare with the manifest, bring the tables up to date, stop effects. Raises BackupError."""
    _refuse_if_short(urls.owner, made)
    say("Bringing the tables up to date, and stopping effects; two people lift that")
    # In a process of its own, whose settings name this database and no other.
    done = subprocess.run(
        [sys.executable, str(settings.BASE_DIR / "manage.py"), "restore", "--finish", made.at],
        env={**os.environ, **urls.environment()},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = " ".join((done.stderr or done.stdout).split())[-400:]
        raise BackupError(f"The restored record could not be made ready: {said}")


def finish(at: str) -> None:
    """In the database of this process' settings: tables of now, users' rights, effects stopped."""
    call_command("migrate", interactive=False, verbosity=0)
    call_command("roles", stdout=io.StringIO())
    stopping.stop(None, "effects", why=WHY.format(at=at), actor=SHELL)


def refuse_newer_schema(made: Manifest) -> None:
    """Raises BackupError for a record that only a newer Kedge understands."""
    known = set(MigrationLoader(None).disk_migrations)
    strange = [
        f"{app}.{name}" for app, name in made.record["schema"].items() if (app, name) not in known
    ]
    if strange:
        raise BackupError(
            f"The backup was made by Kedge {made.kedge}, and this Kedge does not know its tables"
            f" ({', '.join(strange)}). Restore with that version or a newer one."
        )


def _refuse_if_short(url: str, made: Manifest) -> None:
    """A dump has exactly what its manifest counted; a base backup goes on to its end."""
    try:
        found = facts.of(url)
    except psycopg.Error as error:
        raise BackupError(f"The restored record cannot be read: {error}") from error
    wanted = made.record
    if found.installation != wanted["installation"]:
        raise BackupError("The restored record is of another installation than its manifest says.")
    for kind, count in wanted["counts"].items():
        has = found.counts[kind]
        if has < count or (made.kind != BASE and has != count):
            raise BackupError(
                f"The restored record has {has} {kind}, and its manifest says {count}."
            )
