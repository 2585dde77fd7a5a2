"""The books of the demo's shops: one database each, in the embedded PostgreSQL, not Kedge's own."""

from pathlib import Path

import psycopg
from django.conf import settings
from psycopg import sql

from agents.tools.sql.tool import OUTCOMES
from config.demo.desk.cases import CASES
from config.demo.desk.places import PREFIX, TENANTS
from config.embedded import postgres
from config.embedded.places import BOOKKEEPER

TABLES = Path(__file__).with_name("books.sql")
# What the desk's tools may do there, and no more: nothing that stands is changed or taken away.
RIGHTS = f"""
GRANT SELECT, INSERT ON entry, refund, kedge_outcomes TO {BOOKKEEPER};
GRANT SELECT ON purchase TO {BOOKKEEPER};
GRANT UPDATE (refunded) ON purchase TO {BOOKKEEPER};
GRANT UPDATE (reverted_by) ON refund TO {BOOKKEEPER};
GRANT UPDATE (receipt) ON kedge_outcomes TO {BOOKKEEPER};
"""
PURCHASE = """
INSERT INTO purchase (id, customer, currency, paid) VALUES (%s, %s, 'EUR', %s)
ON CONFLICT DO NOTHING
"""


def make() -> None:
    """Make what is missing; twice is once."""
    with postgres.superuser(settings.PLACES) as server:
        if not _has(server, "SELECT 1 FROM pg_roles WHERE rolname = %s", BOOKKEEPER):
            server.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(BOOKKEEPER)))
        for slug in TENANTS:
            name = f"{PREFIX}{slug}"
            if not _has(server, "SELECT 1 FROM pg_database WHERE datname = %s", name):
                server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    for slug in TENANTS:
        with postgres.superuser(settings.PLACES, f"{PREFIX}{slug}") as shop:
            for script in (TABLES, OUTCOMES):
                shop.execute(script.read_text(encoding="utf-8"))
            shop.execute(RIGHTS)
            for case in CASES:
                if case.shop == slug:
                    shop.execute(PURCHASE, [case.purchase, case.customer, case.paid])


def _has(server: psycopg.Connection, query: str, name: str) -> bool:
    return server.execute(query, [name]).fetchone() is not None
