"""`manage.py mailsink`: take the demo's mail on this machine and keep it under the data folder."""

import asyncio
import signal
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agents.mailsink import listening


class Command(BaseCommand):
    help = "Take mail on 127.0.0.1 and keep it in var/mail; nothing is sent on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=settings.KEDGE_SMTP_PORT, help="0: any")
        parser.add_argument("--folder", type=Path, default=Path(settings.VAR_DIR) / "mail")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            asyncio.run(self._serve(options["folder"], options["port"]))
        except OSError as error:
            raise CommandError(
                f"The mail sink cannot listen on port {options['port']}: {error.strerror}. "
                "Set KEDGE_SMTP_PORT to a free one."
            ) from error

    async def _serve(self, folder: Path, port: int) -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for signum in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(signum, ended.set)
        async with listening(folder, host="127.0.0.1", port=port) as taken:
            self.stdout.write(f"Mail for 127.0.0.1:{taken} is kept in {folder}.")
            self.stdout.flush()
            await ended.wait()
