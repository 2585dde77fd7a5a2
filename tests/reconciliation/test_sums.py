"""Sums of windows: what happened or may still happen counts, by the database's clock."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import F

from approvals.rules import Window
from reconciliation import sums
from reconciliation.models import Action
from tenants.database import execute
from tests.engine.turns import Bench
from tests.execution.runs import waiting

HOUR = Window("amount", 3600)


@pytest.fixture
def action(engine: Bench) -> Action:
    waiting(engine)
    action = Action.objects.select_related("tenant").get()
    change(action, magnitude={"amount": 5})
    return action


def change(action: Action, **columns: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        Action.objects.filter(pk=action.pk).update(**columns)
        cursor.execute("SET session_replication_role = DEFAULT")
    action.refresh_from_db()


def another(action: Action, **columns: Any) -> Action:
    """One more action of the tool at the tenant, by default one that happened just now."""
    other = Action.objects.get(pk=action.pk)
    other.pk, other.key, other.absorbed_seq = uuid4(), uuid4().bytes * 2, 1
    happened = {"stands": "settled", "outcome": "happened", "settled_at": F("proposed_at")}
    for name, value in {**happened, **columns}.items():
        setattr(other, name, value)
    if other.stands != "settled":
        other.absorbed_seq = None
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("DROP INDEX IF EXISTS one_unabsorbed_action_per_run")
        if other.settled_at is not None:
            other.settled_at = columns.get("settled_at", action.proposed_at)
        other.save(force_insert=True)
        cursor.execute("SET session_replication_role = DEFAULT")
    return other


def summed(action: Action, *windows: Window) -> dict[Window, int]:
    return sums.read(execute(*sums.asking(windows, action)))


def test_the_effect_itself_counts(action: Action) -> None:
    assert summed(action, HOUR, Window("effects", 60)) == {HOUR: 5, Window("effects", 60): 1}


def test_what_happened_in_the_window_counts_and_what_is_older_does_not(action: Action) -> None:
    another(action, magnitude={"amount": 70})
    another(
        action, magnitude={"amount": 900}, settled_at=action.proposed_at - timedelta(seconds=7000)
    )
    assert summed(action, HOUR, Window("amount", 86400)) == {
        HOUR: 75,
        Window("amount", 86400): 975,
    }


def test_what_may_still_happen_counts_however_old_it_is(action: Action) -> None:
    long_ago = action.proposed_at - timedelta(days=90)
    for stands, outcome in (("proposed", ""), ("dispatched", "unknown")):
        another(
            action,
            magnitude={"amount": 100},
            stands=stands,
            outcome=outcome,
            settled_at=None,
            proposed_at=long_ago,
        )
    assert summed(action, HOUR) == {HOUR: 205}


@pytest.mark.parametrize("outcome", ["did_not_happen", "refused"])
def test_what_did_not_happen_does_not_count(action: Action, outcome: str) -> None:
    another(action, magnitude={"amount": 70}, outcome=outcome)
    assert summed(action, HOUR) == {HOUR: 5}


def test_what_nobody_can_know_counts(action: Action) -> None:
    another(action, magnitude={"amount": 70}, outcome="written_off")
    assert summed(action, HOUR) == {HOUR: 75}


def test_another_tool_or_tenant_does_not_count(action: Action) -> None:
    another(action, magnitude={"amount": 70}, tool="other")
    assert summed(action, HOUR) == {HOUR: 5}


def test_a_negative_size_takes_nothing_off(action: Action) -> None:
    another(action, magnitude={"amount": -70})
    assert summed(action, HOUR) == {HOUR: 5}


@pytest.mark.parametrize("amount", ["70", 7.5, None, True])
def test_a_size_that_is_no_whole_number_makes_the_sum_unknown(action: Action, amount: Any) -> None:
    another(action, magnitude={"amount": amount})
    assert summed(action, HOUR, Window("effects", 60)) == {Window("effects", 60): 2}


def test_too_many_to_add_are_not_known(action: Action, monkeypatch: pytest.MonkeyPatch) -> None:
    another(action, magnitude={"amount": 70})
    monkeypatch.setattr(sums, "MOST_ACTIONS", 1)
    assert summed(action, HOUR) == {}
