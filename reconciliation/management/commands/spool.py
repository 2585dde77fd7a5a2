"""`manage.py spool`: the folders of spooled receipts; bring in one whose machine is gone."""

from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from canonical.display import visible
from reconciliation import spoolplaces
from reconciliation.errors import SpoolError
from reconciliation.models import SpoolPlace
from tenants.actors import Actor
from tenants.moments import moment

SHELL = Actor.machine("manage.py spool")
MOST = 1_000


class Command(BaseCommand):
    """Never sends anything: a receipt is a fact, whoever brings it."""

    help = (
        "List the folders of spooled receipts, bring one in whose machine is gone (bring-in), or"
        " say that it is lost (give-up). Exit 1 when a receipt cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        verbs.add_parser("list", help="all folders, with when each was last looked after")
        brought = verbs.add_parser("bring-in", help="record the receipts of a folder")
        brought.add_argument(
            "folder", type=Path, help="the spool, or the journal's folder above it"
        )
        lost = verbs.add_parser("give-up", help="say that a folder is lost for good")
        lost.add_argument("place", type=UUID, help="its id, as the System page and list show it")
        lost.add_argument("--reason", required=True, help="why, for the audit trail")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["verb"] == "list":
                self._list()
            elif options["verb"] == "bring-in":
                self._bring_in(options["folder"])
            else:
                spoolplaces.give_up(options["place"], actor=SHELL, reason=options["reason"])
                self.stdout.write("Given up. What it may have held is found out by reconciling.")
        except (SpoolError, OSError) as error:
            raise CommandError(f"{error}.") from None

    def _list(self) -> None:
        for place in SpoolPlace.objects.order_by("seen_at")[:MOST]:
            where = visible(f"{place.folder} of {place.machine}")
            self.stdout.write(f"{place.pk}  last seen {moment(place.seen_at)}  {where}")

    def _bring_in(self, folder: Path) -> None:
        done = spoolplaces.bring_in(folder, actor=SHELL)
        self.stdout.write(f"{done.receipts} receipts of {visible(str(folder))} are in the record.")
        if done.unreadable:
            raise CommandError(
                f"{done.unreadable} files cannot be read, or are of another installation; they were"
                " left where they are"
            )
