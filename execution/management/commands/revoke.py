"""`manage.py revoke`: take a run from a worker that renews its lease and does nothing."""

from argparse import ArgumentParser
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from checkpoints import revoking
from checkpoints.errors import RecordError
from checkpoints.models import Run
from tenants.actors import Actor
from tenants.keys import hiding


class Command(BaseCommand):
    help = "Take a run from its worker; it goes on from its last checkpoint with the next one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=UUID, help="run id")
        parser.add_argument("--why", required=True, help="the reason, kept in the record")

    def handle(self, *args: object, **options: object) -> None:
        try:
            why = hiding.text(str(options["why"]))
            actor = Actor.machine("command line")
            run = revoking.revoke(UUID(str(options["run"])), reason=why, actor=actor)
        except (Run.DoesNotExist, RecordError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{run.id} is taken from its worker; now it is {run.status}")
