"""What the database users of web and worker may do: neither owns a table nor changes the schema."""

from typing import LiteralString

import psycopg
from django.db import connection, transaction
from psycopg import sql

from config.database import LIMITS

# What only migrations write.
READ_ONLY = ["django_migrations", "django_content_type", "auth_permission"]
# A table whose trigger refuses a change refuses it by privilege too, so that nobody switches the
# trigger off for a moment. tgtype: 8 is DELETE, 16 is UPDATE.
REFUSED = """
    SELECT DISTINCT tgrelid::regclass::text, tgtype & 8 > 0, tgtype & 16 > 0
    FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
    WHERE proname LIKE '%refuse_change' AND tgqual IS NULL
"""


def grant(user: str) -> None:
    """Give `user` what web and worker need: rows to read and write, and nothing else. Idempotent.

    Needs the tables' owner. No TRUNCATE, no schema, no temporary tables; facts are only added.
    """
    with transaction.atomic():
        _run("REVOKE TEMPORARY, CREATE ON DATABASE {} FROM PUBLIC", _database_name())
        _run("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        _run("GRANT USAGE ON SCHEMA public TO {}", user)
        _run("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}", user)
        _run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {}", user)
        _run("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {}", user)
        for table in set(READ_ONLY) & set(connection.introspection.table_names()):
            _run("REVOKE INSERT, UPDATE, DELETE ON {} FROM {}", table, user)
        for table, delete, update in _refused():
            if delete:
                _run("REVOKE DELETE ON {} FROM {}", table, user)
            if update:
                _run("REVOKE UPDATE ON {} FROM {}", table, user)


def limit(own: psycopg.Connection, role: str) -> None:
    """Give the user of this connection the limits of its role; every user may set its own."""
    for name, value in LIMITS[role].items():
        own.execute(
            sql.SQL("ALTER ROLE CURRENT_USER SET {} = {}").format(
                sql.Identifier(name), sql.Literal(value)
            )
        )


def _refused() -> list[tuple[str, bool, bool]]:
    with connection.cursor() as cursor:
        cursor.execute(REFUSED)
        return list(cursor.fetchall())


def _database_name() -> str:
    return str(connection.settings_dict["NAME"])


def _run(statement: LiteralString, *names: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(statement).format(*(sql.Identifier(name) for name in names)))
