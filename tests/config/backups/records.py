"""Records to back up and restore: copies of the test database, with a run of their own making."""

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import connections
from django.test import override_settings
from psycopg import sql
from psycopg.conninfo import make_conninfo

from config.backups import clients, clusters, preparing
from config.embedded import folders, postgres
from config.embedded.places import Places, places
from reconciliation.journal.local import LocalRoom
from tests import ground

# A row like another one: what a record has more after a backup.
MORE = """
CREATE TEMPORARY TABLE more ON COMMIT DROP AS SELECT * FROM checkpoints_run LIMIT 1;
UPDATE more SET id = '{id}', effect_scope = '{id}', business_key = '{id}', created_at = now();
INSERT INTO checkpoints_run SELECT * FROM more;
"""
OF_TENANT = """
SELECT tenant.id, tenant.slug FROM checkpoints_run AS run
  JOIN tenants_tenant AS tenant ON tenant.id = run.tenant_id WHERE run.id = %s
"""
RUNS = "SELECT business_key FROM checkpoints_run"
GRANTED = "SELECT rolname FROM pg_roles WHERE rolname LIKE 'kedge\\_test\\_%'"
# An exception of an earlier test may still hold its thread's connection, until it is collected; a
# database in use is not copied.
LET_GO = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s"
STOPS = "SELECT why FROM checkpoints_stop WHERE lock = 'effects' AND lifted_at IS NULL"


def test_database() -> str:
    """The address of the test database of this session."""
    given = connections["default"].settings_dict
    named = {"host": given["HOST"], "port": given["PORT"], "user": given["USER"]}
    secret = {"password": given["PASSWORD"]} if given["PASSWORD"] else {}
    return make_conninfo(
        "", dbname=given["NAME"], **{k: str(v) for k, v in (named | secret).items() if v}
    )


def dumped(to: Path) -> Path:
    """The test database as it is now, as a file that opens where none of the tests' roles are."""
    name = f"{connections['default'].settings_dict['NAME']}_dumped"
    with database(name) as copy:
        with psycopg.connect(copy, autocommit=True) as own:
            roles = own.execute(GRANTED).fetchall()
            for (role,) in roles:
                own.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(role)))
        clients.run("pg_dump", "--format=custom", f"--file={to}", url=copy)
    return to


@contextmanager
def embedded(dump: Path) -> Iterator[Places]:
    """An installation of its own with the embedded PostgreSQL, stopped, and the record of a dump."""
    with ground.open_folder() as folder:
        here = places(folder / "var", chosen=True, account=ground.ACCOUNT)
        folders.prepare(here)
        with clusters.running(here, lambda _: None) as urls:
            postgres.make_database(here)
            preparing.load(dump, urls.owner, lambda _: None)
        with override_settings(
            EMBEDDED=["DATABASE_URL"],
            PLACES=here,
            VAR_DIR=here.var,
            KEDGE_JOURNAL_URL="",
            KEDGE_JOURNAL_DIR=here.var / "journal",
        ):
            yield here


@contextmanager
def database(name: str) -> Iterator[str]:
    """A copy of the test database beside it, named by DATABASE_URL; all of that name are dropped."""
    connections.close_all()
    template = connections["default"].settings_dict["NAME"]
    with psycopg.connect(_server(), autocommit=True) as server:
        _drop(server, name)
        server.execute(LET_GO, [template])
        copy = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        server.execute(copy.format(sql.Identifier(name), sql.Identifier(template)))
        given = connections["default"].settings_dict
        at = f"{given['HOST']}:{given['PORT']}" if given["PORT"] else given["HOST"]
        host = f"/{name}?host={given['HOST']}" if str(given["HOST"]).startswith("/") else ""
        address = f"postgresql://{given['USER']}@{host or f'{at}/{name}'}"
        urls = dict.fromkeys(("owner", "web", "worker"), address)
        try:
            with override_settings(EMBEDDED=[], DATABASE_URLS=urls):
                yield address
        finally:
            _drop(server, name)


def add_run(url: str) -> str:
    """One run more in a record, and a line of its effect in the journal; returns its business key."""
    key = str(uuid.uuid4())
    with psycopg.connect(url) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(MORE.format(id=key).encode())
        tenant, slug = connection.execute(OF_TENANT, [key]).fetchall()[0]
    fields = {"tool": "fake.void", "target": "world/a", "action": key, "attempt": key}
    of = {"run": key, "tenant": tenant, "slug": slug, "key": "", "at": time.time()}
    LocalRoom(Path(settings.KEDGE_JOURNAL_DIR)).add({**fields, **of})
    return key


def asked(url: str, statement: str) -> list[str]:
    """The first column of what a record answers."""
    with psycopg.connect(url) as connection:
        return [str(row[0]) for row in connection.execute(statement.encode()).fetchall()]


def _server() -> str:
    return make_conninfo(test_database(), dbname="postgres")


def _drop(server: psycopg.Connection, name: str) -> None:
    like = "SELECT datname FROM pg_database WHERE datname = %s OR datname LIKE %s"
    for (found,) in server.execute(like, [name, f"{name}\\_%"]).fetchall():
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(found)))
