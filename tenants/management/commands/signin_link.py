"""Prints a one-use sign-in link for a demo installation: `manage.py signin_link EMAIL`."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from tenants.actors import Actor
from tenants.models import User
from tenants.signin.links import LIFETIME, make_link


class Command(BaseCommand):
    """The URL alone goes to standard output, so that scripts can use it."""

    help = "Print a sign-in link: good once, for ten minutes, on this machine only."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--base", help="where the pages are, such as http://127.0.0.1:8700")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.KEDGE_DEMO:
            raise CommandError("Sign-in links work on demo installations only: set KEDGE_DEMO=1.")
        user = User.objects.filter(email=options["email"].lower(), is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active person with the e-mail {options['email']}.")
        token = make_link(user, actor=Actor.machine("manage.py signin_link"))
        base = options["base"] or f"http://127.0.0.1:{settings.PORT}"
        self.stdout.write(base.rstrip("/") + reverse("sign_in_link", args=[token]))
        minutes = int(LIFETIME.total_seconds() // 60)
        self.stderr.write(f"Good once, for {minutes} minutes, on this machine only.")
