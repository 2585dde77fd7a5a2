"""An answer can be kept when the database is away: its key was opened before anything was sent."""

import psycopg
import pytest
from django.db import OperationalError, connection
from pytest_django import DjangoAssertNumQueries

from canonical import json as canonical
from checkpoints.models import Run
from reconciliation import sensitive, spool
from reconciliation.models import Action, Receipt
from reconciliation.tools import Call, Sent
from tenants.keys import vaults
from tests.engine.turns import Bench
from tests.secrecy import registry

pytestmark = pytest.mark.django_db(transaction=True)


class Cutting(registry.Careless):
    """Its answer comes when the worker's connection to PostgreSQL is cut."""

    def perform(self, call: Call) -> Sent:
        answer = super().perform(call)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            [pid] = cursor.fetchone()
        at = connection.get_connection_params()
        where = {
            name: at[name] for name in ("dbname", "user", "password", "host", "port") if name in at
        }
        with psycopg.connect(**where, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        return answer


def test_rule_16_keeping_an_answer_asks_the_database_nothing(
    careless: Bench, run: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    careless.turn()
    action = Action.objects.get(run=run)
    with vaults.bound(run.tenant_id):
        sensitive.make_ready(action)
        sensitive.parameters(action)  # as for the call
        with django_assert_num_queries(0):
            kept = sensitive.kept(action, Sent(canonical.dumps({"session": "told"}), "00"))
    assert isinstance(kept, Sent)
    assert b"told" not in kept.receipt


def test_rule_16_an_answer_that_the_database_missed_is_spooled_encrypted(
    careless: Bench, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = registry.TOOLS["careless"]
    cutting = Cutting(known.name, known.capabilities)
    monkeypatch.setitem(registry.TOOLS.by_name, "careless", cutting)
    careless.turn()
    careless.decide(run)
    with pytest.raises(OperationalError):
        careless.turn()
    connection.close()
    assert len(registry.sent()) == 1
    assert not Receipt.objects.exists()
    assert spool.bring_in() == 1
    kept = bytes(Receipt.objects.get().content)
    assert b"session" in kept
    assert registry.PASSWORD[::-1].encode() not in kept
