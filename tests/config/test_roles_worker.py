"""Where agents and tools run, no person's answer, session or right can be made (AISVS 9.2.9)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from django.db import OperationalError, ProgrammingError, connection, transaction

from approvals import decisions
from approvals.decisions import Given
from approvals.models import ApprovalRequest, Decision
from config import roles
from execution import sweeper
from tenants.actors import Actor
from tests.engine.conftest import engine
from tests.engine.faketools import effects
from tests.engine.turns import Bench
from tests.opening import open_all

__all__ = ["engine"]
pytestmark = pytest.mark.django_db(transaction=True)

WORKER = "kedge_test_worker" + "".join(
    os.environ.get(name, "") for name in ("KEDGE_TEST_SUFFIX", "PYTEST_XDIST_WORKER")
)


@pytest.fixture
def granted(transactional_db: None) -> Iterator[None]:
    take_away(WORKER)
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {WORKER} LOGIN")
    roles.grant(WORKER, "worker")
    roles.let_pass(WORKER)
    yield
    take_away(WORKER)


def take_away(role: str) -> None:
    """Drop a role and all it was granted; who locks the same tables in another order is let go first."""
    for _ in range(5):
        # PostgreSQL may end a deadlock with this one.
        with suppress(OperationalError), connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
            if cursor.fetchone():
                cursor.execute(f"DROP OWNED BY {role}")
                cursor.execute(f"DROP ROLE {role}")
            return
    raise AssertionError(f"{role} cannot be dropped")


@contextmanager
def as_worker() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {WORKER}")
        try:
            yield
        finally:
            cursor.execute("RESET ROLE")


def test_a_worker_does_all_of_a_run_and_cannot_say_yes_for_anybody(
    granted: None, engine: Bench
) -> None:
    run = engine.start(tool="fake.void", what="a")
    with as_worker():
        engine.turn()
    asked = ApprovalRequest.objects.get(run=run)
    open_all(asked.pk, engine.approver)
    with as_worker():
        with pytest.raises(ProgrammingError, match="permission denied"):
            decisions.decide(
                asked.pk,
                Given("approve", "", asked.action_hash),
                actor=Actor.person(engine.approver),
                user=engine.approver,
            )
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            Decision.objects.create(
                request=asked,
                user=engine.approver,
                verdict="approve",
                posted_hash=asked.action_hash,
            )
    assert not Decision.objects.exists()
    engine.decide(run)
    with as_worker():
        sweeper.sweep()
        engine.turn()
    run.refresh_from_db()
    assert (run.status, len(effects())) == ("succeeded", 1)


@pytest.mark.parametrize("table", roles.PEOPLES)
def test_nothing_that_is_peoples_is_the_workers_to_write(granted: None, table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT has_table_privilege(%s, %s, 'SELECT'),"
            " has_table_privilege(%s, %s, 'INSERT, UPDATE, DELETE, TRUNCATE')",
            [WORKER, table, WORKER, table],
        )
        assert cursor.fetchone() == (True, False)
