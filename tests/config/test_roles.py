"""Web and worker may read and write rows, and the database refuses them everything else."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction
from psycopg import sql
from psycopg.conninfo import make_conninfo

from config import roles
from config.database import LIMITS
from tenants.actors import Actor
from tenants.audit import record
from tenants.keys import hiding
from tests.people import make_tenant

# Database users are the whole server's, so each test database has its own.
USER = "kedge_test_user" + "".join(
    os.environ.get(name, "") for name in ("KEDGE_TEST_SUFFIX", "PYTEST_XDIST_WORKER")
)


@pytest.fixture
def granted(transactional_db: None) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP ROLE IF EXISTS {USER}")
        cursor.execute(f"CREATE ROLE {USER} LOGIN")
    roles.grant(USER)
    roles.let_pass(USER)
    yield
    with connection.cursor() as cursor:
        cursor.execute(f"DROP OWNED BY {USER}")
        cursor.execute(f"DROP ROLE {USER}")


@contextmanager
def as_user() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {USER}")
        try:
            yield
        finally:
            cursor.execute("RESET ROLE")


def run(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.usefixtures("granted")
def test_rows_are_read_and_written() -> None:
    with as_user():
        record(make_tenant("acme"), Actor.machine("test"), "approve", hiding.text("action:1"))
        run("UPDATE tenants_tenant SET name = 'Acme & sons'")
        run("DELETE FROM django_session")
        run("SELECT * FROM django_migrations")


@pytest.mark.usefixtures("granted")
@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE tenants_auditrow CASCADE",
        "TRUNCATE checkpoints_checkpoint_any",
        "DROP TABLE checkpoints_run CASCADE",
        "ALTER TABLE checkpoints_checkpoint DISABLE TRIGGER ALL",
        "ALTER TABLE checkpoints_event DETACH PARTITION checkpoints_event_any",
        "CREATE TABLE mine ()",
        "CREATE TEMPORARY TABLE mine ()",
        "CREATE SCHEMA mine",
        "UPDATE tenants_auditrow SET verb = 'nothing'",
        "DELETE FROM checkpoints_checkpoint",
        "DELETE FROM checkpoints_event_any",
        "INSERT INTO django_migrations (app, name, applied) VALUES ('a', 'b', now())",
        "SET session_replication_role = replica",
        "INSERT INTO approvals_secondlook (id) VALUES (gen_random_uuid())",
    ],
)
def test_what_could_rewrite_the_record_is_not_permitted(statement: str) -> None:
    with as_user(), pytest.raises(ProgrammingError, match=r"permission denied|must be owner"):
        run(statement)


def test_a_second_look_is_workers_to_write_and_having_seen_it_is_peoples() -> None:
    assert "approvals_secondlook" in roles.WORKERS
    assert "approvals_seenremarks" in roles.PEOPLES


@pytest.mark.usefixtures("granted")
@pytest.mark.parametrize(
    "table", ["checkpoints_note", "checkpoints_claim", "checkpoints_outsidewait"]
)
def test_a_worker_notes_claims_and_waits_for_nobody(table: str) -> None:
    roles.grant(USER, "worker")
    with as_user(), pytest.raises(ProgrammingError, match="permission denied"):
        run(f"INSERT INTO {table} DEFAULT VALUES")
    roles.grant(USER, "web")
    with as_user(), pytest.raises(IntegrityError, match=r"null value|of another tenant"):
        run(f"INSERT INTO {table} DEFAULT VALUES")


@pytest.mark.usefixtures("granted")
def test_a_verdict_of_a_plan_ends_what_people_began() -> None:
    """The worker that carries it out settles the claim, and no more."""
    roles.grant(USER, "worker")
    with as_user():
        for table in roles.ENDED_BY_ALL:
            run(f"UPDATE {table} SET id = id WHERE false")
            with pytest.raises(ProgrammingError, match="permission denied"):
                run(f"DELETE FROM {table}")


@pytest.mark.usefixtures("granted")
def test_granting_again_changes_nothing() -> None:
    before = privileges()
    roles.grant(USER)
    assert privileges() == before
    assert before


@pytest.mark.usefixtures("granted")
def test_a_user_carries_the_limits_of_its_role() -> None:
    parameters = connection.get_connection_params()
    url = make_conninfo(
        **{name: parameters[name] for name in ("dbname", "host", "port") if name in parameters},
        user=parameters["user"],
    )
    with psycopg.connect(url, autocommit=True) as own:
        # Becoming the user stands in for signing in as it, which the server may not allow here.
        own.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(USER)))
        roles.limit(own, "worker")
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolconfig FROM pg_roles WHERE rolname = %s", [USER])
        (found,) = cursor.fetchone() or ([],)
    assert set(found) == {f"{name}={value}" for name, value in LIMITS["worker"].items()}


def privileges() -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, privilege_type FROM information_schema.role_table_grants"
            " WHERE grantee = %s ORDER BY 1, 2",
            [USER],
        )
        return list(cursor.fetchall())
