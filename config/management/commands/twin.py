"""`manage.py twin`: the demo's twin, a stock RQ worker, asked for whatever Kedge sends.

It also brings the one run on whose mail ends in doubt (config.demo.unknown says why and as whom).
"""

import signal
import subprocess
import sys
import threading
import time
from datetime import datetime

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from redis import Redis

from config.demo import unknown
from config.demo.twin import asking
from config.embedded import processes

LOOK_EVERY_SECONDS = 0.3


class Command(BaseCommand):
    help = "Do with plain RQ retries what Kedge does, to compare (KEDGE_DEMO=1 only)."

    def handle(self, *args: object, **options: object) -> None:
        if not settings.KEDGE_DEMO:
            raise CommandError("This is no demo installation: set KEDGE_DEMO=1.")
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        with subprocess.Popen(processes.tied(worker()), cwd=settings.BASE_DIR) as started:
            try:
                _mirror(started, stop)
            finally:
                started.terminate()


def worker() -> list[str]:
    """RQ's own command, as its manual shows it."""
    options = ["--url", settings.REDIS_URL, "--serializer", "json", "--quiet"]
    return [sys.executable, "-m", "rq.cli", "worker", asking.QUEUE, *options]


def _mirror(started: subprocess.Popen[bytes], stop: threading.Event) -> None:
    since: datetime | None = None
    driving = True
    with Redis.from_url(settings.REDIS_URL) as redis:
        while not stop.is_set():
            if started.poll() is not None:
                raise CommandError("The twin's worker has ended.")
            since = asking.ask_for_new(redis, since)
            driving = driving and unknown.drive()
            time.sleep(LOOK_EVERY_SECONDS)
