"""A second PostgreSQL database beside ours, made anew once per process: the books of a shop."""

import os
from functools import cache

import psycopg
from django.conf import settings
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from agents.tools.sql.tool import OUTCOMES
from tests.ground import ROOT

BOOKS = ROOT / "tests/servers/ledger.sql"


@cache
def ledger() -> str:
    """The address of the books, with the table of outcomes in them, as their owner."""
    cluster = os.environ["DATABASE_URL"]
    name = f"{settings.TEST_DATABASE}_{os.environ.get('PYTEST_XDIST_WORKER', 'books')}_books"
    with psycopg.connect(make_conninfo(cluster, dbname="postgres"), autocommit=True) as connection:
        book = sql.Identifier(name)
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(book))
        connection.execute(sql.SQL("CREATE DATABASE {}").format(book))
    address = make_conninfo(cluster, dbname=name)
    with psycopg.connect(address, autocommit=True) as connection:
        for script in (BOOKS, OUTCOMES):
            connection.execute(script.read_text(encoding="utf-8"))
    return address


def through(port: int) -> str:
    """The same address at the other end of a wire that listens on `port`."""
    return make_conninfo(
        ledger(), host="127.0.0.1", port=port, sslmode="disable", gssencmode="disable"
    )


def door() -> int | str:
    """Where the server listens: a port of this machine, or the path of its socket."""
    given = conninfo_to_dict(ledger())
    host, port = str(given.get("host", "")), given.get("port", 5432)
    return f"{host}/.s.PGSQL.{port}" if host.startswith("/") else int(str(port))
