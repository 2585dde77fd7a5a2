"""Further PostgreSQL databases beside ours, made anew once per process: the books of shops."""

import os
from functools import cache
from pathlib import Path
from typing import LiteralString

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
    return made("books", BOOKS)


@cache
def made(what: str, script: Path) -> str:
    """The address of a database of this process, made anew by a script, with a table of outcomes."""
    address = _address(what)
    drop(what)
    _on_server("CREATE DATABASE {}", what)
    with psycopg.connect(address, autocommit=True) as connection:
        for each in (script, OUTCOMES):
            connection.execute(each.read_text(encoding="utf-8"))
    return address


def drop(what: str) -> None:
    """Take such a database away."""
    _on_server("DROP DATABASE IF EXISTS {} WITH (FORCE)", what)


def _address(what: str) -> str:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "one")
    name = f"{settings.TEST_DATABASE}_{worker}_{what}"
    return make_conninfo(os.environ["DATABASE_URL"], dbname=name)


def _on_server(statement: LiteralString, what: str) -> None:
    name = str(conninfo_to_dict(_address(what))["dbname"])
    server = make_conninfo(os.environ["DATABASE_URL"], dbname="postgres")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL(statement).format(sql.Identifier(name)))


def through(port: int, address: str = "") -> str:
    """The same address at the other end of a wire that listens on `port`."""
    return make_conninfo(
        address or ledger(), host="127.0.0.1", port=port, sslmode="disable", gssencmode="disable"
    )


def door() -> int | str:
    """Where the server listens: a port of this machine, or the path of its socket."""
    given = conninfo_to_dict(ledger())
    host, port = str(given.get("host", "")), given.get("port", 5432)
    return f"{host}/.s.PGSQL.{port}" if host.startswith("/") else int(str(port))
