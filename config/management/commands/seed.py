"""`manage.py seed`: make the demo's tenants, people, repositories and runs; twice is once."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agents.errors import SeedingFailed
from checkpoints.errors import RecordError
from config.demo.seed import seed


class Command(BaseCommand):
    help = "Make the demo's tenants, people, repositories and runs (KEDGE_DEMO=1 only)."

    def handle(self, *args: object, **options: object) -> None:
        if not settings.KEDGE_DEMO:
            raise CommandError("This is no demo installation: set KEDGE_DEMO=1.")
        try:
            changed = seed(self._say)
        except (SeedingFailed, RecordError) as error:
            raise CommandError(str(error)) from error
        if not changed:
            self._say("The demo is there already: nothing was changed")

    def _say(self, sentence: str) -> None:
        self.stdout.write(f"          {sentence}")
        self.stdout.flush()
