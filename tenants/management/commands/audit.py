"""`manage.py audit`: prove the audit chains, list their signed heads, export one, show the key."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from canonical.display import visible
from tenants import chain
from tenants.management import believing
from tenants.models import Tenant
from tenants.trail import heads
from tenants.trail.chainfile import BadChainFile, lines, verify_lines
from tenants.trail.rows import instant
from tenants.trail.verifying import Report


class Command(BaseCommand):
    help = (
        "Prove the audit chains (verify), also from an exported file without the database; list"
        " signed heads (heads); export a chain (export); show the public key (key). Exit 1 on damage."
    )
    # With --file the database is not asked for anything.
    requires_system_checks: Any = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        verify = verbs.add_parser("verify", help="re-read chains and say all that is wrong")
        which = verify.add_mutually_exclusive_group(required=True)
        which.add_argument("--tenant", help="slug of one tenant")
        which.add_argument("--installation", action="store_true", help="sign-ins and people")
        which.add_argument("--all", action="store_true", help="every chain")
        which.add_argument("--file", type=Path, help="an exported chain; needs no database")
        believing.add_argument(verify)
        verify.add_argument("--json", action="store_true", help="one JSON object, for machines")
        for name, told in (("heads", "list signed heads"), ("export", "write a chain to a file")):
            command = verbs.add_parser(name, help=told)
            command.add_argument("--tenant", help="slug; without it, the installation's chain")
            if name == "export":
                command.add_argument("-o", "--output", type=Path, help="file (standard output)")
        verbs.add_parser("key", help="show the public key, to be kept elsewhere")

    def handle(self, *args: object, **options: Any) -> None:
        verbs = {"verify": self._verify, "heads": self._heads, "export": self._export}
        verbs.get(options["verb"], self._key)(options)

    def _verify(self, options: dict[str, Any]) -> None:
        reports = dict(self._reports(options))
        if options["json"]:
            told = {name: _as_json(report) for name, report in reports.items()}
            self.stdout.write(json.dumps(told))
        else:
            for name, report in reports.items():
                self._say(name, report)
        if any(not report.intact for report in reports.values()):
            raise SystemExit(1)

    def _reports(self, options: dict[str, Any]) -> Iterator[tuple[str, Report]]:
        if options["file"]:
            with options["file"].open(encoding="utf-8") as file:
                try:
                    whose, report = verify_lines(file, believing.believed(options))
                except (BadChainFile, UnicodeDecodeError) as error:
                    raise CommandError(str(error)) from None
            yield whose.get("slug") or "installation", report
            return
        if options["installation"] or options["all"]:
            yield "installation", chain.verify_chain(None, believing.believed(options))
        found = Tenant.objects.order_by("slug")
        for tenant in found if options["all"] else filter(None, [_tenant(options["tenant"])]):
            yield tenant.slug, chain.verify_chain(tenant, believing.believed(options))

    def _say(self, name: str, report: Report) -> None:
        for problem in report.problems:
            where = f"position {problem.position}: " if problem.position is not None else ""
            # Names in it may be forged: a terminal must not obey them.
            self.stdout.write(visible(f"{name}: {where}{problem.sentence}"))
        state = "intact" if report.intact else "DAMAGED"
        after = report.end.position - report.signed_to
        self.stdout.write(
            f"{name}: {state}; {report.links} rows linked, signed to position {report.signed_to}"
            f" ({after} after it), {report.heads} signed heads"
        )

    def _heads(self, options: dict[str, Any]) -> None:
        for head in heads.of(_tenant(options["tenant"])):
            self.stdout.write(json.dumps(head, sort_keys=True))

    def _export(self, options: dict[str, Any]) -> None:
        tenant = _tenant(options["tenant"])
        whose = {
            "installation": heads.installation_id(),
            "tenant": tenant.pk if tenant else None,
            "slug": tenant.slug if tenant else "",
            "at": instant(timezone.now()),
        }
        with _output(options["output"]) as file:
            file.writelines(lines(whose, heads.of(tenant), chain.links_of(tenant)))

    def _key(self, options: dict[str, Any]) -> None:
        key = heads.signing_key().public
        self.stdout.write(f"{key.text}  (called {key.id})")


def _tenant(slug: str | None) -> Tenant | None:
    if slug is None:
        return None
    tenant = Tenant.objects.filter(slug=slug).first()
    if tenant is None:
        raise CommandError(f"There is no tenant {slug!r}.")
    return tenant


@contextmanager
def _output(path: Path | None) -> Iterator[IO[str]]:
    if path is None:
        yield sys.stdout
        return
    with path.open("w", encoding="utf-8") as file:
        yield file


def _as_json(report: Report) -> dict[str, Any]:
    return {
        "intact": report.intact,
        "rows": report.links,
        "signed_to": report.signed_to,
        "heads": report.heads,
        "problems": [
            {"position": each.position, "row": each.audit_id, "sentence": each.sentence}
            for each in report.problems
        ],
    }
