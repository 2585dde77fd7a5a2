"""What a stored database is made on: servers of its own, which are gone afterwards."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import django

from tests.ground import open_folder
from tests.upgrades import past


@contextmanager
def prepared() -> Iterator[Path]:
    """Set Django up on servers that live in the past; yields a folder for everything else."""
    with open_folder() as folder:
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "KEDGE_VAR": str(folder),
            "KEDGE_AGENTS": "tests.upgrades.registry",
            "KEDGE_JOURNAL_DIR": str(folder / "journal"),
            "KEDGE_FAKE_WORLD": str(folder / "world"),
            "KEDGE_ROLE": "worker",
            "KEDGE_LOG_LEVEL": "WARNING",
            **past.OPENS_WITH,
        }
        with past.servers_there():
            django.setup()
        try:
            yield folder
        finally:
            import_module("tests.settings").GROUND.stop()
