"""Opens a stored database under the code of today: a copy of it, and of the world it was made in."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString

import psycopg
from django.conf import settings
from django.core.management import call_command
from psycopg import sql
from psycopg.conninfo import make_conninfo

from config.backups import clients
from tests.crash.databases import switch_to
from tests.upgrades.shelf import Stored


@contextmanager
def opened(stored: Stored, folder: Path) -> Iterator[None]:
    """Restore it, let Django's connection lead there, and migrate; dropped afterwards."""
    home = str(settings.DATABASES["default"]["NAME"])
    name = f"{settings.TEST_DATABASE}_{os.environ.get('PYTEST_XDIST_WORKER', 'one')}_stored"
    stored.lay_out(folder)
    try:
        _anew(name)
        words = ("--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")
        clients.run("pg_restore", *words, str(stored.unpack(folder)), url=_address(name))
        switch_to(name)
        call_command("migrate", interactive=False, verbosity=0)
        yield
    finally:
        switch_to(home)
        _on_server("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)


def _anew(name: str) -> None:
    _on_server("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)
    _on_server("CREATE DATABASE {} TEMPLATE template0", name)


def _on_server(statement: LiteralString, name: str) -> None:
    with psycopg.connect(_address("postgres"), autocommit=True) as server:
        server.execute(sql.SQL(statement).format(sql.Identifier(name)))


def _address(name: str) -> str:
    return make_conninfo(os.environ["DATABASE_URL"], dbname=name)
