"""Restores a dump into the PostgreSQL that DATABASE_URL names: a database beside it, renamed at the end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

import psycopg
from psycopg import sql

from config.backups import clusters, facts, preparing
from config.backups.clusters import Urls
from config.backups.manifest import DUMP_FILE, Manifest
from config.errors import BackupError
from config.readiness import Say

Before = Callable[[], None]
MAINTENANCE: Final = ("postgres", "template1")
TRIES: Final = 20
END: Final = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
 WHERE datname = %s AND pid <> pg_backend_pid()
"""


def put(folder: Path, made: Manifest, ending: bool, before: Before, say: Say) -> str:  # noqa: FBT001 - one of several facts
    """Restore into a database of another name, then exchange names; says where the old one is.

    `ending`: sessions of the old one are ended; `before` is done last before the exchange. Raises
    BackupError; then the database is as it was.
    """
    urls = clusters.named()
    name = unquote(urlsplit(urls.owner).path.lstrip("/"))
    side = f"{name}_restoring"
    with _maintenance(urls.owner) as server:
        _make(server, side)
        try:
            beside = _at(urls, side)
            preparing.load(folder / DUMP_FILE, beside.owner, say)
            preparing.make_ready(beside, made, say)
            before()
            return _exchange(
                server, name, side, was_empty=facts.is_empty(urls.owner), ending=ending
            )
        finally:
            _drop(server, side)


def _exchange(
    server: psycopg.Connection[Any], name: str, side: str, *, was_empty: bool, ending: bool
) -> str:
    old = f"{name}_before_{datetime.now(UTC):%Y%m%dt%H%M%Sz}"
    for tried in range(1, TRIES + 1):
        if ending or was_empty:
            server.execute(END, [name])
        server.execute(END, [side])
        try:
            with server.transaction():
                _rename(server, name, old)
                _rename(server, side, name)
            break
        except psycopg.errors.ObjectInUse as error:
            if tried == TRIES or not ending:
                raise BackupError(
                    "Somebody began to use the database meanwhile; nothing was changed. Stop web,"
                    " workers and sweeper, then restore again."
                ) from error
    if was_empty:
        _drop(server, old)
        return ""
    return f"The old database is kept as {old}; drop it when nobody needs it. "


@contextmanager
def _maintenance(url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection to another database of the same server: the one in use cannot be renamed."""
    for name in MAINTENANCE:
        try:
            server = psycopg.connect(_named(url, name), autocommit=True)
        except psycopg.OperationalError:
            continue
        with server:
            yield server
        return
    raise BackupError(
        "Neither the database postgres nor template1 lets the user of DATABASE_URL in, and one of"
        " them is needed to exchange databases. Grant it CONNECT there."
    )


def _make(server: psycopg.Connection[Any], name: str) -> None:
    _drop(server, name)
    try:
        make = sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'")
        server.execute(make.format(sql.Identifier(name)))
    except psycopg.errors.InsufficientPrivilege as error:
        raise BackupError(
            "The user of DATABASE_URL may not make a database, and a backup is restored into one of"
            " its own first. Give it CREATEDB for the while: ALTER ROLE … CREATEDB."
        ) from error


def _drop(server: psycopg.Connection[Any], name: str) -> None:
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
    server.execute(drop.format(sql.Identifier(name)))


def _rename(server: psycopg.Connection[Any], name: str, to: str) -> None:
    rename = sql.SQL("ALTER DATABASE {} RENAME TO {}")
    server.execute(rename.format(sql.Identifier(name), sql.Identifier(to)))


def _at(urls: Urls, name: str) -> Urls:
    return replace(
        urls,
        owner=_named(urls.owner, name),
        web=_named(urls.web, name),
        worker=_named(urls.worker, name),
    )


def _named(url: str, name: str) -> str:
    return urlsplit(url)._replace(path=f"/{quote(name)}").geturl()
