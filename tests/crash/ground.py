"""What the matrix stands on: settings, its own agents, a port for mail; to be imported first."""

import logging
import os
from urllib.parse import urlsplit

import django
from django.conf import settings
from redis import Redis

from tests.ports import free_port

# Numbered like no database that anything else here uses; only bells that nobody hears go there.
REDIS_DATABASE = 15


def prepare() -> None:
    """Set Django up for the matrix. What the environment names already is used (tests.ground)."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    os.environ["KEDGE_AGENTS"] = "tests.crash.registry"
    os.environ["KEDGE_ROLE"] = "worker"
    os.environ["KEDGE_LOG_LEVEL"] = "WARNING"
    os.environ["KEDGE_CRASH_SMTP_PORT"] = str(free_port())
    django.setup()
    os.environ["REDIS_URL"] = settings.REDIS_URL = _database_of(settings.REDIS_URL)
    logging.raiseExceptions = False


def leave() -> None:
    """Stop the servers that were started for this, if any were."""
    started = getattr(settings, "GROUND", None)
    if started is not None:
        started.stop()


def forget_rings() -> None:
    """Take away the wake-ups that nobody answered."""
    with Redis.from_url(settings.REDIS_URL) as connection:
        for key in connection.scan_iter("rq:*", count=1000):
            connection.delete(key)


def _database_of(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme == "unix":  # the path is the socket
        return parts._replace(query=f"db={REDIS_DATABASE}").geturl()
    return parts._replace(path=f"/{REDIS_DATABASE}").geturl()
