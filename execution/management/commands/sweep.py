"""`manage.py sweep`: the sweeper, until it is told to stop."""

import os
import signal
import threading
from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from execution import lookers, sweeper

LOOKS_MAY_TAKE = 60


class Command(BaseCommand):
    help = "Take leases from dead workers and re-create every wake-up that was lost."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="one round, then print what it did")

    def handle(self, *args: object, **options: object) -> None:
        if options["once"]:
            for duty, count in sweeper.sweep().items():
                self.stdout.write(f"{duty}: {count}")
            lookers.wait(LOOKS_MAY_TAKE)
            return
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        sweeper.run_forever(f"sweeper-{os.getpid()}", stop.is_set)
