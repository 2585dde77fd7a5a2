"""`manage.py cancel`: ask a run to end at its next boundary."""

from argparse import ArgumentParser
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from checkpoints import runs
from checkpoints.errors import RecordError
from checkpoints.models import Run
from tenants.actors import Actor
from tenants.keys import hiding


class Command(BaseCommand):
    help = "Cancel a run at its next boundary; what it sent is reconciled first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=UUID, help="run id")
        parser.add_argument("--why", required=True, help="the reason, kept in the record")

    def handle(self, *args: object, **options: object) -> None:
        try:
            actor = Actor.machine("command line")
            why = hiding.text(str(options["why"]))
            run = runs.request_cancel(UUID(str(options["run"])), why=why, actor=actor)
        except (Run.DoesNotExist, RecordError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{run.id} will end at its next boundary; now it is {run.status}")
