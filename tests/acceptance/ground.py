"""What acceptance stands on: settings with the agents of an installation, and a fresh database."""

import logging
import os
import shutil
import tempfile
from pathlib import Path

import django
from django.conf import settings

TENANT = "acme"


def prepare() -> None:
    """Set Django up. What the environment names already is used (tests.ground)."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    os.environ["KEDGE_ROLE"] = "worker"
    os.environ["KEDGE_LOG_LEVEL"] = "WARNING"
    django.setup()
    settings.FIXTURE_SURROUNDINGS = "tests.acceptance.surroundings"
    # One for the one database: to a journal that is not its own a record would not send a thing.
    settings.KEDGE_JOURNAL_DIR = Path(tempfile.mkdtemp(prefix="kedge-acceptance-journal-"))
    logging.raiseExceptions = False


def leave() -> None:
    """Take the journal away, and stop the servers that were started for this, if any were."""
    shutil.rmtree(settings.KEDGE_JOURNAL_DIR, ignore_errors=True)
    started = getattr(settings, "GROUND", None)
    if started is not None:
        started.stop()
