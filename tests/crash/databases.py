"""The databases of one matrix run: a migrated template with its people, and a copy for each lane."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from django.core.management import call_command
from django.db import connection, connections
from psycopg import sql

from approvals.people import reversibility
from approvals.rules.classes import REVERSIBLE
from config.demo import classes
from tenants.actors import Actor
from tenants.models import Tenant, User
from tests.crash import faketools
from tests.people import ada, dee, eve, make_tenant

TENANT = "acme"


@dataclass(frozen=True)
class Cast:
    """The tenant, who starts runs and decides cases, who approves, and who is the second to decide."""

    tenant: Tenant
    starter: User
    approver: User
    colleague: User


def cast() -> Cast:
    """The people of this database, made when they are missing."""
    tenant = make_tenant(TENANT)
    machine = Actor.machine("crash")
    classes.make([tenant], actor=machine)
    known = {each.tool for each in reversibility.classes_of(tenant)}
    for tool in {each.name for each in faketools.UNHEARD} - known:
        reversibility.set_class(tenant, tool, REVERSIBLE, actor=machine, why="A file.")
    return Cast(tenant, ada(tenant), dee(tenant), eve(tenant))


def switch_to(name: str) -> None:
    """Let Django's connection lead to another database of the same server."""
    connections.close_all()
    connection.settings_dict["NAME"] = name


@contextmanager
def template(base: str) -> Iterator[str]:
    """A fresh migrated database with its cast, dropped afterwards. Yields its name."""
    name = f"{base}_template"
    home = str(connection.settings_dict["NAME"])
    _create(name)
    try:
        switch_to(name)
        call_command("migrate", verbosity=0)
        cast()
        connections.close_all()
        yield name
    finally:
        switch_to(home)
        _drop(name)


@contextmanager
def copies(of: str, base: str, count: int) -> Iterator[list[str]]:
    """`count` copies of a database, dropped afterwards."""
    names = [f"{base}_{number}" for number in range(count)]
    try:
        for name in names:
            _create(name, template=of)
            _forget_journal(name)
        yield names
    finally:
        for name in names:
            _drop(name)


def journal_of(name: str, folder: Path) -> Path:
    """Where whoever works on this database keeps its journal: a copy is another record."""
    return folder / f"journal-{name}"


def reader(name: str) -> psycopg.Connection:
    """A connection to look on, apart from Django's: it stays open while children are forked."""
    given = {**connection.get_connection_params(), "dbname": name}
    for own in ("cursor_factory", "context", "prepare_threshold"):
        given.pop(own, None)
    return psycopg.connect(**given, autocommit=True)


def _forget_journal(name: str) -> None:
    """A copy belongs to no journal yet. No verb can say so: triggers are off for once."""
    with reader(name) as copy:
        copy.execute("SET session_replication_role = replica")
        copy.execute("DELETE FROM reconciliation_journalmark")


def _create(name: str, *, template: str = "template0") -> None:
    _drop(name)
    with reader("postgres") as server:
        server.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )


def _drop(name: str) -> None:
    with reader("postgres") as server:
        server.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )
