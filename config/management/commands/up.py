"""`manage.py up`: start all of Kedge on this machine and stay in front until Ctrl-C."""

import time
from typing import Any

from django.core.management.base import BaseCommand

from config.up import up


class Command(BaseCommand):
    """Says every long step as it begins, with the seconds since the start."""

    help = "Start servers, web process, workers and sweeper; Ctrl-C stops all of it."

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until asked to end."""
        began = time.monotonic()

        def say(sentence: str) -> None:
            self.stdout.write(f"{time.monotonic() - began:6.1f} s  {sentence}")
            self.stdout.flush()

        up(say)
