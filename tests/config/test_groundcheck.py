"""Kedge does not start on a PostgreSQL or Redis that breaks its promises."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection
from psycopg import sql

from config import groundcheck
from config.embedded import folders, postgres
from config.embedded.places import places
from config.errors import GroundError
from tests import ground
from tests.config.pooler import pooler

WEB = ["-m", "gunicorn", "-c", "python:config.gunicorn", "--check-config"]
pytestmark = pytest.mark.django_db(transaction=True)


def parameters(**other: Any) -> dict[str, Any]:
    return {**connection.get_connection_params(), **other}


@pytest.fixture
def careless_server() -> Iterator[dict[str, Any]]:
    """A PostgreSQL that may lose what it acknowledged."""
    with ground.open_folder() as folder:
        here = places(folder, chosen=True, account=ground.ACCOUNT)
        folders.prepare(here)
        command = postgres.prepare(here, say=lambda _: None)
        careless = ["-c", "fsync=off", "-c", "full_page_writes=off"]
        server = ground.start(here, "postgres", [*command, *careless], "INT")
        postgres.wait_until_ready(here, running=lambda: server.poll() is None, say=print)
        yield {"conninfo": here.database_url("postgres", "postgres")}
        ground.stop([server])


def test_the_ground_of_the_tests_is_sound() -> None:
    groundcheck.check_ground()


def test_a_server_that_does_not_sync_is_refused(careless_server: dict[str, Any]) -> None:
    faults = list(groundcheck.database_faults(careless_server))
    assert [fault.split()[2] for fault in faults] == ["fsync", "full_page_writes"]


def test_commits_that_do_not_wait_are_refused() -> None:
    asked = parameters(options="-c synchronous_commit=off")
    (fault,) = groundcheck.database_faults(asked)
    assert "synchronous_commit off" in fault


@pytest.mark.parametrize("program", [["manage.py", "work"], ["manage.py", "sweep"], WEB])
def test_worker_sweeper_and_web_do_not_start_on_bad_ground(program: list[str]) -> None:
    given = urlsplit(os.environ["DATABASE_URL"])
    careless = f"{given.query}&options=-c%20synchronous_commit%3Doff"
    name = f"/{connection.settings_dict['NAME']}"
    done = subprocess.run(
        [sys.executable, *program],
        cwd=ground.ROOT,
        env={
            **os.environ,
            "DATABASE_URL": given._replace(path=name, query=careless).geturl(),
            "DJANGO_SETTINGS_MODULE": "config.settings",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode != 0
    assert "PostgreSQL has synchronous_commit off" in done.stderr


def test_code_that_is_newer_than_the_tables_is_refused() -> None:
    assert not list(groundcheck.schema_faults())
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH gone AS (DELETE FROM django_migrations WHERE app = 'checkpoints' RETURNING *)"
            " SELECT app, name, applied FROM gone"
        )
        gone = cursor.fetchall()
    try:
        assert "manage.py migrate" in next(iter(groundcheck.schema_faults()))
    finally:
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, %s)", gone
            )


@pytest.mark.parametrize("other", ["repeatable read", "serializable"])
def test_another_isolation_is_refused(other: str) -> None:
    name = sql.Identifier(str(connection.settings_dict["NAME"]))
    change = sql.SQL("ALTER DATABASE {} SET default_transaction_isolation = {}")
    with connection.cursor() as cursor:
        cursor.execute(change.format(name, sql.Literal(other)))
    try:
        with pytest.raises(GroundError, match=other):
            groundcheck.check_ground()
    finally:
        with connection.cursor() as cursor:
            cursor.execute(
                sql.SQL("ALTER DATABASE {} RESET default_transaction_isolation").format(name)
            )


@pytest.mark.parametrize("sessions", [1, 2, 5])
def test_a_pooler_in_transaction_mode_is_refused(sessions: int) -> None:
    # Deaf to sslmode, options and the like: the pooler has made its sessions already.
    with pooler(parameters(), sessions) as port:
        through = {"host": "127.0.0.1", "port": port, "sslmode": "disable", "user": "any"}
        faults = list(groundcheck.database_faults({**through, "gssencmode": "disable"}))
    assert ["pooler in transaction mode" in fault for fault in faults] == [True]


def test_an_unreachable_server_is_not_a_fault() -> None:
    nobody = {"host": "/nowhere", "dbname": "kedge", "connect_timeout": 1}
    assert not list(groundcheck.database_faults(nobody))


@pytest.mark.parametrize(
    ("told", "named"),
    [
        ({"redis_version": "6.2.14"}, ["Redis 6.2.14"]),
        ({"redis_version": "7.2.4", "valkey_version": "7.2.5"}, ["Valkey 7.2.5"]),
        ({"redis_version": "7.0.0"}, []),
        ({"redis_version": "7.2.4", "valkey_version": "8.0.1"}, []),
    ],
)
def test_an_old_redis_or_valkey_is_refused(told: dict[str, str], named: list[str]) -> None:
    faults = groundcheck.redis_version_faults(told)
    leads = [fault.split(" and ")[0].removeprefix("REDIS_URL leads to ") for fault in faults]
    assert [lead.rstrip(",") for lead in leads] == named
