"""`manage.py restore DIR`: put a backup in the place of the record, and leave effects stopped."""

from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.backups import preparing, restoring
from config.backups.restoring import Allowed
from config.errors import BackupError, GroundError
from reconciliation.errors import JournalError

HELP = """\
Restore a backup. It is prepared beside what is here and put in its place at the end.

  restore DIR --preview                 what would be lost; changes nothing
  restore DIR                           where there is no record yet
  restore DIR --replace                 in the place of the record here, which is kept beside it

Stop web, workers and sweeper first. The journal here is never replaced by an older one: it is the
witness of what was sent. Effects are stopped afterwards; what the record lacks is found out, or put
before a person, and two people lift the stop. Keys are not in a backup: set KEDGE_KEYS,
KEDGE_SIGNING_KEY and KEDGE_SECRET_KEY as they were.
"""


class Command(BaseCommand):
    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> Any:
        shape = {"formatter_class": RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **{**options, **shape})

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("folder", type=Path, metavar="DIR", nargs="?", help="what `backup` made")
        # What a restore has done in a process of its own: see `preparing`.
        which.add_argument("--finish", metavar="AT", help=SUPPRESS)
        parser.add_argument("--preview", action="store_true", help="only say what would be lost")
        parser.add_argument("--replace", action="store_true", help="replace the record here")
        parser.add_argument(
            "--end-sessions", action="store_true", help="end what still uses the database"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["finish"]:
            preparing.finish(options["finish"])
            return
        allowed = Allowed(replacing=options["replace"], ending_sessions=options["end_sessions"])
        folder, only = options["folder"].absolute(), options["preview"]
        try:
            restoring.restore(folder, allowed, self._say, only_preview=only)
        except (BackupError, GroundError, JournalError, OSError) as error:
            raise CommandError(str(error)) from error

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()
