"""`manage.py rules`: check a document of rules before it is used; say what a tenant's tools are."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from approvals.errors import ReasonMissingError
from approvals.people import reversibility, rulechecks
from approvals.rules import Problem, problems
from approvals.rules.classes import CLASSES
from canonical import json as canonical
from canonical.errors import CanonicalError
from tenants.actors import Actor
from tenants.models import Tenant

SHELL = Actor.machine("command line")


class Command(BaseCommand):
    help = (
        "Check rules (`check`), and keep the class of each tool of a tenant (`class`, `classes`)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        check = verbs.add_parser("check", help="check a document; exit 1 when it is refused")
        check.add_argument("file", type=Path, help="a JSON file, such as rules.json")
        check.add_argument("--tenant", default="", help="slug: can its people satisfy the rules?")
        check.add_argument("--json", action="store_true", help="one JSON object, for machines")
        say = verbs.add_parser("class", help="say how far what a tool does can be undone")
        say.add_argument("tool", help="the tool's name")
        say.add_argument("reversibility", choices=CLASSES)
        say.add_argument("--tenant", required=True, help="slug of the tenant")
        say.add_argument("--why", required=True, help="the reason, kept in the record")
        told = verbs.add_parser("classes", help="list what a tenant said of its tools")
        told.add_argument("--tenant", required=True, help="slug of the tenant")

    def handle(self, *args: object, **options: Any) -> None:
        verb = {"check": self._check, "class": self._class, "classes": self._classes}
        verb[options["verb"]](options)

    def _check(self, options: dict[str, Any]) -> None:
        wrong, risky = _judged(options["file"], options["tenant"])
        if options["json"]:
            told = {"problems": [vars(each) for each in wrong]}
            self.stdout.write(json.dumps(told | {"warnings": [vars(each) for each in risky]}))
        else:
            self._tell(wrong, risky)
        if wrong:
            raise SystemExit(1)

    def _tell(self, wrong: list[Problem], risky: list[Problem]) -> None:
        for problem in wrong:
            self.stdout.write(f"{problem}\n  {problem.do}")
        for problem in risky:
            self.stdout.write(f"Warning: {problem}\n  {problem.do}")
        if not wrong:
            self.stdout.write("These rules can be used.")

    def _class(self, options: dict[str, Any]) -> None:
        tenant = _tenant(options["tenant"])
        try:
            said = reversibility.set_class(
                tenant,
                options["tool"],
                options["reversibility"],
                actor=SHELL,
                why=options["why"],
            )
        except (ValueError, ReasonMissingError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{said.tool} is {said.reversibility} at {tenant.slug}")

    def _classes(self, options: dict[str, Any]) -> None:
        for said in reversibility.classes_of(_tenant(options["tenant"])):
            self.stdout.write(f"{said.tool}\t{said.reversibility}\t{said.set_by}\t{said.why}")
        self.stdout.write("Every other tool is irreversible.")


def _judged(file: Path, slug: str) -> tuple[list[Problem], list[Problem]]:
    """Problems and warnings. The people are asked only about a document that can be read."""
    tenant = _tenant(slug) if slug else None
    try:
        document = canonical.loads(file.read_bytes())
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}") from error
    except CanonicalError as error:
        do = "Mend the file: every byte of it must be strict JSON."
        return [Problem("", f"is not JSON as it is read here: {error}", do)], []
    found = problems(document)
    if found or tenant is None:
        return found, []
    return rulechecks.of_tenant(document, tenant)


def _tenant(slug: str) -> Tenant:
    tenant = Tenant.objects.filter(slug=slug).first()
    if tenant is None:
        raise CommandError(f"There is no tenant {slug!r}.")
    return tenant
