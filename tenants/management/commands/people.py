"""Makes tenants and people from the shell: `manage.py people add-tenant …`, `add …`, `take …`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tenants.actors import Actor
from tenants.errors import PeopleError
from tenants.models import Tenant, User
from tenants.people import add_person, add_tenant, give_role, take_role
from tenants.roles import ROLES

SHELL = Actor.machine("manage.py people")


class Command(BaseCommand):
    """Prints what was made; a generated password is printed once and kept nowhere."""

    help = "Make tenants and people, give people roles at tenants, and take roles away."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        tenant = verbs.add_parser("add-tenant", help="make a tenant")
        tenant.add_argument("slug", help="its name in URLs, such as acme")
        tenant.add_argument("name", help="its name on pages")
        person = verbs.add_parser("add", help="make a person, or give one a further role")
        person.add_argument("email", help="the name to sign in with")
        person.add_argument("--name", default="", help="the name on pages")
        person.add_argument("--tenant", required=True, help="slug of the tenant")
        person.add_argument("--role", required=True, choices=list(ROLES))
        taken = verbs.add_parser("take", help="take a role's rights away from a person")
        taken.add_argument("email")
        taken.add_argument("--tenant", required=True, help="slug of the tenant")
        taken.add_argument("--role", required=True, choices=list(ROLES))

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["verb"] == "add-tenant":
                self._add_tenant(options["slug"], options["name"])
            elif options["verb"] == "take":
                self._take(options["email"], options["tenant"], options["role"])
            else:
                self._add(options["email"], options["name"], options["tenant"], options["role"])
        except PeopleError as error:
            raise CommandError(str(error)) from None

    def _add_tenant(self, slug: str, name: str) -> None:
        tenant = add_tenant(slug, name, actor=SHELL)
        self.stdout.write(f"Tenant {tenant.slug}: {tenant.name}")

    def _add(self, email: str, name: str, slug: str, role: str) -> None:
        tenant = Tenant.objects.filter(slug=slug).first()
        if tenant is None:
            raise CommandError(
                f"There is no tenant {slug!r}. Make it first: manage.py people add-tenant {slug} NAME"
            )
        user, password = add_person(email, name, actor=SHELL)
        give_role(tenant, user, role, actor=SHELL)
        self.stdout.write(f"{user.email} is {role} of {tenant.slug}")
        if password is not None:
            self.stdout.write(f"Password, shown only now: {password}")

    def _take(self, email: str, slug: str, role: str) -> None:
        tenant = Tenant.objects.filter(slug=slug).first()
        user = User.objects.filter(email=email.strip().lower()).first()
        if tenant is None or user is None:
            raise CommandError(f"There is no tenant {slug!r} with a person {email!r}.")
        take_role(tenant, user, role, actor=SHELL)
        self.stdout.write(f"{user.email} has no right of a role {role} at {tenant.slug} any more")
