"""Refuses, at start, a PostgreSQL or Redis on which the promises of the protocol do not hold."""

import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import psycopg
import redis
from django.conf import settings
from django.db import Error, connections

from checkpoints import wakeups
from config.errors import GroundError
from tenants import tables, wall

OLDEST_POSTGRES, NEWEST_POSTGRES = 15, 18
OLDEST_REDIS, OLDEST_VALKEY = 7, 8
# A commit that PostgreSQL acknowledged must survive everything short of a lost disk.
MUST_BE_ON = ("fsync", "full_page_writes", "synchronous_commit")
# Enough that a pooler which shares its connections cannot give each of us one that fits by chance.
PROBES = 3
PROBE = "kedge.ground"
ISOLATION, READ_COMMITTED = "default_transaction_isolation", "read committed"


def check_ground() -> None:
    """Raise GroundError with a sentence for every fault of the servers this process would use.

    An unreachable server is no fault here: it may be restarting, and `/readyz` says so.
    """
    faults = [*database_faults(connections["default"].get_connection_params()), *redis_faults()]
    # The owner is who brings the tables up to date.
    if not faults and settings.ROLE != "owner":
        faults = [*schema_faults()]
    if faults:
        raise GroundError(" ".join(faults))


def database_faults(parameters: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the database behind these psycopg parameters; nothing if unreachable."""
    try:
        with psycopg.connect(**parameters) as connection:
            connection.autocommit = True
            yield from _version_faults(connection)
            yield from _setting_faults(connection)
            yield from _pooler_faults(connection, parameters)
    except psycopg.OperationalError:
        return


def redis_faults() -> Iterator[str]:
    """What is wrong with the Redis of the settings; nothing if unreachable."""
    try:
        with wakeups.connection() as client:
            told: dict[str, Any] = client.info("server")
    except (redis.RedisError, OSError):
        return
    yield from redis_version_faults(told)


def redis_version_faults(told: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the versions in Redis' answer to INFO server."""
    # Valkey also names the Redis version it is compatible with, which says nothing about its own.
    name, oldest = ("Redis", OLDEST_REDIS)
    if "valkey_version" in told:
        name, oldest = ("Valkey", OLDEST_VALKEY)
    version = str(told.get(f"{name.lower()}_version", "0"))
    if int(version.split(".", maxsplit=1)[0]) < oldest:
        yield (
            f"REDIS_URL leads to {name} {version}, and Kedge needs Redis {OLDEST_REDIS} or Valkey"
            f" {OLDEST_VALKEY}, or newer. Name another in REDIS_URL, or unset it."
        )


def schema_faults() -> Iterator[str]:
    """Whether this code knows the tables; nothing if the database is unreachable.

    A worker waits for migrations that are missing (`execution.overtaken`), so that is no fault of it.
    """
    try:
        yield from _schema_faults()
    except Error:
        return
    finally:
        # No connection may be open when gunicorn or a worker forks.
        connections["default"].close()


def _schema_faults() -> Iterator[str]:
    found = tables.standing()
    is_worker = settings.ROLE == "worker"
    if found.is_ == tables.NEWER or (found.is_ == tables.OLDER and not is_worker):
        yield found.sentence
    elif found.is_ == tables.KNOWN and is_worker and wall.stands():
        yield "The database shows this worker no runs. Run `manage.py roles` as the tables' owner."


def _version_faults(connection: psycopg.Connection) -> Iterator[str]:
    major = connection.info.server_version // 10000
    if not OLDEST_POSTGRES <= major <= NEWEST_POSTGRES:
        yield (
            f"DATABASE_URL leads to PostgreSQL {major}, and Kedge is tried on {OLDEST_POSTGRES} to"
            f" {NEWEST_POSTGRES}. Name another in DATABASE_URL, or unset it."
        )


def _setting_faults(connection: psycopg.Connection) -> Iterator[str]:
    found: dict[str, str] = dict(
        connection.execute(
            "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)",
            [[*MUST_BE_ON, ISOLATION]],
        ).fetchall()
    )
    for name in MUST_BE_ON:
        if found[name] == "off":
            yield (
                f"PostgreSQL has {name} off, so an acknowledged commit may be lost and an effect be"
                f" sent twice. Set {name} = on for this database and its users."
            )
    if found[ISOLATION] != READ_COMMITTED:
        yield (
            f"PostgreSQL has {ISOLATION} = {found[ISOLATION]}; the guards of the protocol are made"
            f" for {READ_COMMITTED}. Reset it for this database and its users."
        )


def _pooler_faults(connection: psycopg.Connection, parameters: dict[str, Any]) -> Iterator[str]:
    """Finds a pooler that lends one server session to several clients, transaction by transaction.

    A session setting made here must stay here and be seen nowhere else, also while others hold
    transactions open, which makes such a pooler hand out its sessions anew.
    """
    mark = secrets.token_hex(8)
    connection.execute("SELECT set_config(%s, %s, false)", [PROBE, mark])
    with ExitStack() as others:
        for _ in range(PROBES):
            other = others.enter_context(psycopg.connect(**parameters))
            if _marked(other, mark) or not _marked(connection, mark):
                yield (
                    "DATABASE_URL leads through a pooler in transaction mode, which would drop the"
                    " locks that tell a live worker from a dead one. Put the pooler into session"
                    " mode, or name PostgreSQL itself in DATABASE_URL."
                )
                return


def _marked(connection: psycopg.Connection, mark: str) -> bool:
    row = connection.execute("SELECT current_setting(%s, true) = %s", [PROBE, mark]).fetchone()
    return bool(row and row[0])
