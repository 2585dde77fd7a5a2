"""`manage.py work`: one worker, until it is told to stop."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from execution import worker


class Command(BaseCommand):
    help = "Resume and advance due runs. SIGTERM drains: what is in flight is finished."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", default="worker", help="how the System page calls it")
        parser.add_argument("--burst", action="store_true", help="end when the queue is empty")

    def handle(self, *args: object, **options: object) -> None:
        worker.work(str(options["name"]), burst=bool(options["burst"]))
