"""`manage.py backup DIR`: a verified copy of the record, with a manifest that says what it is."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.backups import taking
from config.backups.manifest import Manifest
from config.errors import BackupError, GroundError
from reconciliation.errors import JournalError

HELP = """\
Back up the record into a new folder, while everything runs.

  backup /backups/2026-05-01            the whole cluster (pg_basebackup, verified), with its log
  backup --dump /backups/2026-05-01     the one database (pg_dump); also taken where the database
                                        user lacks the right REPLICATION

Beside it: the journal, the signed heads, receipts that wait, and manifest.json. Keys are never in a
backup: keep KEDGE_KEYS, KEDGE_SIGNING_KEY and KEDGE_SECRET_KEY elsewhere. What is encrypted in the
record can be read with the keys that this command names.
"""


class Command(BaseCommand):
    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> Any:
        shape = {"formatter_class": RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **{**options, **shape})

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder", type=Path, metavar="DIR", help="a new folder, or an empty one"
        )
        parser.add_argument("--dump", action="store_true", help="dump the database alone")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            made = taking.take(options["folder"].absolute(), dump=options["dump"], say=self._say)
        except (BackupError, GroundError, JournalError, OSError) as error:
            raise CommandError(str(error)) from error
        for line in _told(made, options["folder"]):
            self._say(line)

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()


def _told(made: Manifest, folder: Path) -> list[str]:
    counts = ", ".join(f"{count} {kind}" for kind, count in made.record["counts"].items())
    keys = made.record["keys_needed"]
    needed = ", ".join(f"{key!r} of KEDGE_KEYS" for key in keys) or "none: nothing is encrypted"
    return [
        f"Backed up into {folder} ({made.kind}): {counts}; journal up to line {made.journal.seq}.",
        f"Keys needed to read it, not in it: {needed}.",
    ]
