"""`manage.py record`: is the record where it was written, and what it lacks; settle a lost effect."""

import json
from typing import Any, Final

from django.core.exceptions import ObjectDoesNotExist
from django.core.management.base import BaseCommand, CommandError, CommandParser

from canonical.display import visible
from reconciliation.behind import comparing, settling
from reconciliation.behind.lifting import kept_by
from reconciliation.behind.models import BECAME, OPEN, Divergence, MissingLine
from reconciliation.errors import WorldError
from reconciliation.journal import belonging
from tenants.management import passwords
from tenants.moments import moment

MOST: Final = 1_000


class Command(BaseCommand):
    """Never sends anything, and lifts nothing: that is done by two people, see `manage.py stop`."""

    help = (
        "Compare the record with its PostgreSQL and its journal, and list what it lacks. Exit 1"
        " while they are apart. `record settle LINE` says what became of an effect whose run is lost."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="say it as JSON")
        verbs = parser.add_subparsers(dest="verb")
        settle = verbs.add_parser("settle", help="say what became of one missing line")
        settle.add_argument("line", type=int, help="its number, as this command lists it")
        settle.add_argument("--became", required=True, choices=settling.BY_PERSON)
        settle.add_argument("--why", required=True, help="what you saw, and where")
        settle.add_argument("--as", dest="person", required=True, help="e-mail of who says so")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verb"] == "settle":
            self._settle(options)
            return
        try:
            comparing.compare(whole=True)
        except WorldError as error:
            raise CommandError(f"{error}.") from None
        told = report()
        if options["json"]:
            self.stdout.write(json.dumps(told, indent=2))
        else:
            self.stdout.write("\n".join(lines(told)))
        if told["apart"]:
            raise SystemExit(1)

    def _settle(self, options: dict[str, Any]) -> None:
        person = passwords.person(options["person"], instead="settle it on the page Record")
        try:
            line = settling.settle(
                options["line"], became=options["became"], reason=options["why"], user=person
            )
        except (WorldError, ObjectDoesNotExist) as error:
            raise CommandError(f"{error}.") from None
        self.stdout.write(f"Line {line.pk} is settled: {line.became}. Nothing was sent.")


def report() -> dict[str, Any]:
    """Where the record is, what is apart, and every line it lacks, at most `MOST`."""
    seen = belonging.look()
    open_now = Divergence.objects.filter(ended_at=None).first()
    found = MissingLine.objects.select_related("tenant").order_by("pk")
    return {
        "installation": seen.installation,
        "stored": {"system": seen.stored[0], "timeline": seen.stored[1]},
        "live": {"system": seen.live[0], "timeline": seen.live[1]},
        "apart": open_now.codes if open_now else [],
        "stop": open_now.stop_id if open_now else None,
        "keeps": kept_by(open_now.stop_id) if open_now else "",
        "counts": {became or "open": found.filter(became=became).count() for became in BECAME},
        "lines": [_line(each) for each in found.order_by("became", "pk")[:MOST]],
    }


def lines(told: dict[str, Any]) -> list[str]:
    """The same for people."""
    said = [
        f"installation {told['installation']}",
        f"written on {told['stored']}, it is on {told['live']}",
        f"apart: {', '.join(told['apart'])} (stop {told['stop']})" if told["apart"] else "together",
    ]
    if told["keeps"]:
        said.append(f"not to be lifted yet: {told['keeps']}")
    for each in told["lines"]:
        target = visible(each["target"])
        said.append(
            f"{each['line']}  {each['became'] or 'open'}  {each['tenant']}  {each['tool']} {target}"
            f"  {each['at']}  lacks the {each['lacks']}  {each['found']}"
        )
    return said


def _line(line: MissingLine) -> dict[str, Any]:
    return {
        "line": line.pk,
        "tenant": line.tenant.slug if line.tenant else str(line.line.get("slug", "")),
        "run": str(line.run_id),
        "action": str(line.action_id),
        "attempt": str(line.attempt_id),
        "tool": line.tool,
        "target": line.target,
        "at": moment(line.sent_at),
        "lacks": line.lacks,
        "found": line.found,
        "became": line.became,
        "open": line.became == OPEN,
        "reason": line.reason,
    }
