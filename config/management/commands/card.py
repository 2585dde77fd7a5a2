"""`manage.py card`: show the card of the running demo, with a fresh sign-in link."""

from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from django.db.utils import ProgrammingError

from config.demo import card

NO_OPERATOR = "The demo's operator is not there; `manage.py signin_link EMAIL` signs others in."
NOT_RUNNING = "The demo does not run here. Start it with `make up`."


class Command(BaseCommand):
    help = "Show how to sign in to the demo, and three things to try (KEDGE_DEMO=1 only)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--wait", type=float, default=card.LONGEST_WAIT_SECONDS, help="seconds, at most"
        )

    def handle(self, *args: object, wait: float, **options: object) -> None:
        if not settings.KEDGE_DEMO:
            raise CommandError("This is no demo installation: set KEDGE_DEMO=1.")
        try:
            card.wait(lambda sentence: self._say(f"{'':10}{sentence}"), seconds=wait)
            self._say(card.text())
        except LookupError:
            # `up` shows the card: a person who was switched off is no reason to stop.
            self._say(NO_OPERATOR)
        except (OperationalError, ProgrammingError) as error:
            raise CommandError(NOT_RUNNING) from error

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
