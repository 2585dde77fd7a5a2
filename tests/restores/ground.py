"""What the stories stand on: settings, one Valkey, and a record that was migrated once."""

import io
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connection, connections

from config.embedded import folders
from config.embedded.places import places
from config.embedded.postgres import WEB, WORKER
from tests.chaos import servers
from tests.chaos.servers import DATABASE, IMMEDIATE, Postgres, Valkey
from tests.ground import ACCOUNT
from tests.restores import clusters
from tests.restores.outside import Outside

LEASE_SECONDS = 4


@contextmanager
def doorbell(folder: Path) -> Iterator[Valkey]:
    """A Valkey for all that is told."""
    here = places(folder / "valkey", chosen=True, account=ACCOUNT)
    folders.prepare(here)
    valkey = servers._valkey(here)
    valkey.start()
    try:
        yield valkey
    finally:
        if valkey.runs:
            valkey.stop(IMMEDIATE)


@contextmanager
def recorded(folder: Path, valkey: Valkey, dumped: Path | None) -> Iterator[Postgres]:
    """The PostgreSQL of a fresh record, migrated or loaded from a dump of one.

    Each voyage has its own: a record knows the journal that it was written with.
    """
    original = clusters.fresh(folder / "original")
    nowhere = Outside(folder / "nowhere")
    try:
        os.environ.update(environment(original, valkey, nowhere, number=0))
        os.environ["KEDGE_ROLE"] = "owner"
        django.setup()
        switch_to(original, nowhere)
        here = original.here
        settings.DATABASE_URLS = {
            "owner": here.database_url(clusters.SUPERUSER),
            "web": here.database_url(WEB),
            "worker": here.database_url(WORKER),
        }
        logging.getLogger("django").setLevel(logging.CRITICAL)
        if dumped is not None:
            clusters.load(dumped, original)
        else:
            call_command("migrate", verbosity=0)
        call_command("roles", stdout=io.StringIO())
        yield original
    finally:
        connections.close_all()
        if original.runs:
            original.stop(IMMEDIATE)


def environment(
    server: Postgres, valkey: Valkey, outside: Outside, *, number: int, mutant: str = ""
) -> Mapping[str, str]:
    """What every process of one installation finds in its environment; `number` is of its Redis."""
    return {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": server.here.database_url(clusters.SUPERUSER),
        "DATABASE_URL_WEB": server.here.database_url(WEB),
        "DATABASE_URL_WORKER": server.here.database_url(WORKER),
        "REDIS_URL": f"redis://127.0.0.1:{valkey.port}/{number}",
        "KEDGE_VAR": str(valkey.log.parent.parent),
        "KEDGE_JOURNAL_DIR": str(outside.journal),
        "KEDGE_JOURNAL_URL": outside.store,
        "KEDGE_FAKE_WORLD": str(outside.world),
        "KEDGE_AGENTS": "tests.restores.registry",
        "KEDGE_ENV": "development",
        "KEDGE_DEMO": "0",
        "KEDGE_REFUND_DESK": "0",
        "KEDGE_LOG_LEVEL": "WARNING",
        "KEDGE_LEASE_SECONDS": str(LEASE_SECONDS),
        "KEDGE_TURN_SECONDS": "1",
        # A tool is asked again soon: the stories wait for it.
        "KEDGE_ASK_AGAIN_SECONDS": "1",
        "KEDGE_SAMPLES_PER_MINUTE": "600",
        "KEDGE_RESTORES_MUTANT": mutant,
    }


def switch_to(server: Postgres, outside: Outside) -> None:
    """Let this process' own connection lead to another record, and its journal be that one's."""
    connections.close_all()
    connection.settings_dict.update(
        HOST=str(server.here.sockets), PORT=str(server.port), NAME=DATABASE
    )
    settings.KEDGE_JOURNAL_DIR, settings.KEDGE_JOURNAL_URL = outside.journal, outside.store
