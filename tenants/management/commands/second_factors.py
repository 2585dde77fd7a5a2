"""Takes the second factors of a person away who lost them: `manage.py second_factors EMAIL`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tenants.actors import Actor
from tenants.models import User
from tenants.signin import factors


class Command(BaseCommand):
    """Says how many there were; the person signs in by password then and adds new ones."""

    help = "Take the authenticator app, passkeys and recovery codes of a person away."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].strip().lower()
        user = User.objects.filter(email=email, kind=User.Kind.PERSON).first()
        if user is None:
            raise CommandError(f"There is no person with the e-mail {options['email']}.")
        gone = factors.take_away(user, actor=Actor.machine("manage.py second_factors"))
        self.stdout.write(f"{user.email}: {gone} taken away. The password alone signs in now.")
