"""What the harness stands on: the addresses of its own servers, before Django is set up."""

import io
import logging
import os

import django
from django.core.management import call_command

from config.embedded.postgres import WEB, WORKER
from tests.chaos.servers import Servers

# Short, so that a stopped worker outlives its lease in seconds; what is real about it stays.
LEASE_SECONDS = 4
# Chaos ends some runs many times in a row: nobody is to take them for poison.
ATTEMPTS = 200


def prepare(servers: Servers, *, mutant: str = "") -> None:
    """Name everything in the environment, set Django up, make tables and grants."""
    os.environ.update(environment(servers, mutant=mutant))
    django.setup()
    # Servers are stopped under its threads; that is no news.
    logging.getLogger("django").setLevel(logging.CRITICAL)
    call_command("migrate", verbosity=0)
    call_command("roles", stdout=io.StringIO())


def environment(servers: Servers, *, mutant: str = "") -> dict[str, str]:
    """What the harness and every process of the crew find in their environment."""
    folder = servers.folder
    return {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": servers.postgres.url(),
        "DATABASE_URL_WEB": servers.postgres.url(WEB),
        "DATABASE_URL_WORKER": servers.postgres.url(WORKER),
        "REDIS_URL": servers.valkey.url(),
        "KEDGE_VAR": str(folder / "var"),
        "KEDGE_DEMO": "0",
        "KEDGE_ENV": "development",
        "KEDGE_LOG_LEVEL": "WARNING",
        "KEDGE_ROLE": "owner",
        "KEDGE_AGENTS": "tests.chaos.registry",
        "KEDGE_CHAOS_MUTANT": mutant,
        "KEDGE_CRASH_SMTP_PORT": str(servers.mail.port),
        "KEDGE_FAKE_WORLD": str(folder / "world"),
        "KEDGE_REMOTES": str(folder / "remotes"),
        "KEDGE_JOURNAL_DIR": str(folder / "journal"),
        "KEDGE_PLUGS": str(folder / "plugs"),
        "KEDGE_LEASE_SECONDS": str(LEASE_SECONDS),
        "KEDGE_MOST_ATTEMPTS": str(ATTEMPTS),
        # Doors close as in production, and are tried more often than once a minute.
        "KEDGE_DOOR_UNKNOWNS": "5",
        "KEDGE_DOOR_PROBE_SECONDS": "1",
        "KEDGE_DOOR_RUNS_PER_MINUTE": "6000",
        "KEDGE_TURN_SECONDS": "5",
        "KEDGE_REFUND_DESK": "1",
        "KEDGE_TOOL_PRIVATE_HOSTS": "127.0.0.1",
    }
