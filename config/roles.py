"""What the database users of web and worker may do: neither owns a table nor changes the schema."""

from collections.abc import Mapping
from typing import Any, LiteralString

import psycopg
from django.db import connection, transaction
from psycopg import sql

from config.database import LIMITS
from tenants.wall import STANDS

# What only migrations write, and a deployer's command.
READ_ONLY = [
    "django_migrations", "django_content_type", "auth_permission", "checkpoints_successor",
]  # fmt: skip
# What people say through pages, and who they are: the worker, which runs agents and tools, can read
# it and make none of it. So no yes of a person comes from where the agent runs.
PEOPLES = [
    "account_emailaddress", "account_emailconfirmation",
    "approvals_batch", "approvals_batchentry", "approvals_decision", "approvals_editdecision",
    "approvals_handover", "approvals_openedpart", "approvals_seenremarks", "approvals_takenback", "approvals_toolclass",
    "auth_group", "auth_group_permissions",
    "checkpoints_note", "checkpoints_override",
    "checkpoints_proposedverdict", "checkpoints_rungstep", "checkpoints_superseded",
    "django_session",
    "execution_alertrule",
    "execution_planorder",
    "execution_problemchange",
    "mfa_authenticator",
    "reconciliation_columnmap", "reconciliation_report",
    "reconciliation_reportdraft", "reconciliation_reportline",
    "releases_effectacceptance", "releases_moveorder", "releases_rollbackchoice", "releases_rollbackorder",
    "releases_usualpolicy",
    "socialaccount_socialaccount", "socialaccount_socialapp", "socialaccount_socialtoken",
    "tenants_personkey", "tenants_signinlink", "tenants_tenantgroupobjectpermission",
    "tenants_tenantuserobjectpermission", "tenants_user", "tenants_user_groups",
    "tenants_user_user_permissions",
]  # fmt: skip
# What people begin, and a verdict ends that a worker carries out for a plan, or a crossed gate stops.
ENDED_BY_ALL = ["checkpoints_claim", "checkpoints_outsidewait", "releases_release"]
# What only a worker brings in from outside: the web process can read it and make none of it up.
WORKERS = [
    "approvals_secondlook", "checkpoints_reuse", "checkpoints_shadowdryrun", "checkpoints_twin",
    "checkpoints_workercode", "releases_compared", "releases_look",
]  # fmt: skip
KEPT_FROM: Mapping[str, list[str]] = {"web": WORKERS, "worker": PEOPLES}
# A table whose trigger refuses a change refuses it by privilege too, so that nobody switches the
# trigger off for a moment. tgtype: 8 is DELETE, 16 is UPDATE.
REFUSED = """
    SELECT DISTINCT tgrelid::regclass::text, tgtype & 8 > 0, tgtype & 16 > 0
    FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
    WHERE proname LIKE '%refuse_change' AND tgqual IS NULL
"""
# The tables that the second wall closes, but for those through which just this user passes.
CLOSED = """
    SELECT closed.polrelid::regclass::text FROM pg_policy AS closed
     WHERE closed.polname = 'kedge_tenant' AND NOT EXISTS (
           SELECT 1 FROM pg_policy AS passing
            WHERE passing.polrelid = closed.polrelid AND passing.polname = 'kedge_worker'
              AND passing.polroles = ARRAY[%s::regrole::oid])
     ORDER BY 1
"""
STANDING = (
    "The second wall stands: the database shows the web process only the rows of the tenants of the"
    " person who asks."
)
MISSING = (
    "The second wall does not stand: the web process' database user may read the rows of every"
    " tenant. Give it a user of its own in DATABASE_URL_WEB, and run `manage.py roles`."
)


def grant(user: str, role: str = "web") -> None:
    """Give `user` what its role needs: rows to read and write, and nothing else. Idempotent.

    Needs the tables' owner. No TRUNCATE, no schema, no temporary tables; facts are only added, and
    what is people's (`PEOPLES`) not by the role "worker", what is workers' not by "web". A user of
    both ("shared") can do what either can.
    """
    with transaction.atomic():
        _run("REVOKE TEMPORARY, CREATE ON DATABASE {} FROM PUBLIC", _database_name())
        _run("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        _run("GRANT USAGE ON SCHEMA public TO {}", user)
        _run("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}", user)
        _run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {}", user)
        _run("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {}", user)
        read_only = [*READ_ONLY, *KEPT_FROM.get(role, [])]
        for table in set(read_only) & set(connection.introspection.table_names()):
            _run("REVOKE INSERT, UPDATE, DELETE ON {} FROM {}", table, user)
        for table in set(ENDED_BY_ALL) & set(connection.introspection.table_names()):
            if role == "worker":
                _run("REVOKE INSERT ON {} FROM {}", table, user)
        for table, delete, update in _rows(REFUSED):
            if delete:
                _run("REVOKE DELETE ON {} FROM {}", table, user)
            if update:
                _run("REVOKE UPDATE ON {} FROM {}", table, user)


def let_pass(user: str) -> None:
    """Let `user`, who works for all tenants, through the second wall. Idempotent; for the owner.

    Whoever passed before and is not named passes no more.
    """
    with transaction.atomic():
        # Only where something is missing: each policy locks its table for a moment.
        for (table,) in _rows(CLOSED, [f'"{user}"']):
            _run("DROP POLICY IF EXISTS kedge_worker ON {}", table)
            _run("CREATE POLICY kedge_worker ON {} TO {} USING (true)", table, user)


def told_of_wall(own: psycopg.Connection) -> str:
    """Whether the second wall stands for the user of this connection, in one sentence."""
    row = own.execute(STANDS).fetchone()
    return STANDING if row and row[0] else MISSING


def limit(own: psycopg.Connection, role: str) -> None:
    """Give the user of this connection the limits of its role; every user may set its own."""
    for name, value in LIMITS[role].items():
        own.execute(
            sql.SQL("ALTER ROLE CURRENT_USER SET {} = {}").format(
                sql.Identifier(name), sql.Literal(value)
            )
        )


def _rows(statement: LiteralString, values: list[str] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def _database_name() -> str:
    return str(connection.settings_dict["NAME"])


def _run(statement: LiteralString, *names: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(statement).format(*(sql.Identifier(name) for name in names)))
