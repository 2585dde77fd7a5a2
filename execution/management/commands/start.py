"""`manage.py start`: start a run, or find the one its business key already has."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from checkpoints import runs
from checkpoints.asked import Request
from checkpoints.errors import RecordError
from tenants.actors import Actor
from tenants.models import Tenant, User


class Command(BaseCommand):
    help = "Start a run. The same business key with the same input is the same run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tenant", help="slug of the tenant")
        parser.add_argument("task_type", help="such as repository_report")
        parser.add_argument("business_key", help="what makes this work the same work")
        parser.add_argument("--input", default="{}", help="a JSON object, or @FILE")
        parser.add_argument("--as", dest="person", default="", help="e-mail of who starts it")
        parser.add_argument("--on-behalf-of", default="", help="for whom, if for somebody else")
        parser.add_argument(
            "--not-critical", action="store_true", help="a new combo may be tried on it first"
        )

    def handle(self, *args: object, **options: Any) -> None:
        try:
            tenant = Tenant.objects.get(slug=options["tenant"])
        except Tenant.DoesNotExist:
            known = ", ".join(Tenant.objects.values_list("slug", flat=True)) or "none"
            raise CommandError(f"no tenant {options['tenant']!r}; there are: {known}") from None
        given = options["input"]
        content = Path(given[1:]).read_bytes() if given.startswith("@") else given
        request = Request(
            options["task_type"],
            options["business_key"],
            content,
            channel="command line",
            on_behalf_of=options["on_behalf_of"],
            critical=not options["not_critical"],
        )
        try:
            run, created = runs.start(tenant, request, actor=_actor(options["person"]))
        except RecordError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{run.id} {'started' if created else 'exists: ' + run.status}")


def _actor(email: str) -> Actor:
    if not email:
        return Actor.machine("command line")
    person = User.objects.filter(email=email.lower(), is_active=True).first()
    if person is None:
        raise CommandError(f"no active person {email!r}; `manage.py people add` makes one")
    return Actor.person(person)
