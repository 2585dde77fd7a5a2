"""What must be nowhere is found in rows and in the world, whoever put it there."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from checkpoints.models import Run
from reconciliation.models import Action
from tests.acceptance import counting
from tests.engine import faketools
from tests.engine.turns import Bench

ALLOWED_NO_MORE = {
    "nobody said yes": "DELETE FROM approvals_decision WHERE request_id IN "
    "(SELECT id FROM approvals_approvalrequest WHERE run_id = %s)",
    "the starter said yes": "UPDATE approvals_decision SET user_id = (SELECT started_by_id FROM "
    "checkpoints_run WHERE id = %s)",
    "somebody said no too": "UPDATE approvals_decision SET verdict = 'reject', reason = 'no' WHERE "
    "request_id IN (SELECT id FROM approvals_approvalrequest WHERE run_id = %s)",
    "the approval was never used": "UPDATE approvals_approval SET state = 'unused', used_at = NULL, "
    "used_by_attempt = NULL WHERE request_id IN "
    "(SELECT id FROM approvals_approvalrequest WHERE run_id = %s)",
    "another attempt used it": "UPDATE approvals_approval SET used_by_attempt = gen_random_uuid() "
    "WHERE request_id IN (SELECT id FROM approvals_approvalrequest WHERE run_id = %s)",
    "it was of another hash": "UPDATE reconciliation_attempt SET action_hash = repeat('0', 64) "
    "WHERE action_id IN (SELECT id FROM reconciliation_action WHERE run_id = %s)",
    "it had run out": "UPDATE reconciliation_attempt SET dispatched_at = dispatched_at + interval "
    "'2 days' WHERE action_id IN (SELECT id FROM reconciliation_action WHERE run_id = %s)",
    "it was sent before it was given": "UPDATE reconciliation_attempt SET dispatched_at = "
    "dispatched_at - interval '1 day' WHERE action_id IN "
    "(SELECT id FROM reconciliation_action WHERE run_id = %s)",
}
UNEXPLAINED = {
    "it waits for nobody": "UPDATE checkpoints_run SET status = 'waiting', reason = 'for_approval', "
    "stop_reason = '', finished_at = NULL WHERE id = %s",
    "it waits without an end": "UPDATE checkpoints_run SET status = 'waiting', reason = 'for_look_up', "
    "stop_reason = '', finished_at = NULL, due_at = NULL WHERE id = %s",
    "it is held without a case": "UPDATE checkpoints_run SET status = 'held', reason = "
    "'outcome_unknown', stop_reason = '', finished_at = NULL WHERE id = %s",
    "it is never due": "UPDATE checkpoints_run SET status = 'queued', reason = 'woken', "
    "stop_reason = '', finished_at = NULL, due_at = NULL WHERE id = %s",
    "it waits for no stop": "UPDATE checkpoints_run SET status = 'waiting', reason = 'for_stop', "
    "stop_reason = '', finished_at = NULL WHERE id = %s",
    "it waits at no door": "UPDATE checkpoints_run SET status = 'waiting', reason = 'for_door', "
    "stop_reason = '', finished_at = NULL WHERE id = %s",
    "its effect is unsettled": "UPDATE reconciliation_action SET stands = 'dispatched', outcome = "
    "'unknown', settled_at = NULL, absorbed_seq = NULL WHERE run_id = %s",
    "its attempt is open": "UPDATE reconciliation_attempt SET outcome = '', settled_at = NULL WHERE "
    "action_id IN (SELECT id FROM reconciliation_action WHERE run_id = %s)",
}


@pytest.fixture
def done(engine: Bench) -> Run:
    """A run that wrote one thing with a yes and ended."""
    run = engine.start(tool="fake.void", what="a", steps=1)
    engine.turn()
    engine.decide(run)
    engine.turn()
    run.refresh_from_db()
    assert run.status == "succeeded"
    return run


@contextmanager
def _behind_the_triggers() -> Iterator[None]:
    """What the database would refuse, as somebody could write who is stronger than it."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        yield
        cursor.execute("SET LOCAL session_replication_role = origin")


def _write(statement: str, run: Run) -> None:
    with _behind_the_triggers(), connection.cursor() as cursor:
        cursor.execute(statement, [run.pk])
        assert cursor.rowcount == 1


def _arrived() -> Counter[str]:
    return Counter(effect["key"] for effect in faketools.effects())


def test_a_run_that_went_well_counts_nowhere(done: Run) -> None:
    arrived = _arrived()
    assert sum(arrived.values()) == 1
    assert counting.unapproved() == counting.unapproved([done.pk]) == []
    assert counting.unexplained() == counting.contradicted(arrived) == []
    assert counting.unapproved_arrivals(arrived) == []
    assert counting.duplicates(arrived) == 0


@pytest.mark.parametrize("why", ALLOWED_NO_MORE)
def test_an_intent_without_its_approval_is_counted(done: Run, why: str) -> None:
    _write(ALLOWED_NO_MORE[why], done)
    (said,) = counting.unapproved()
    assert str(done.pk) in said
    assert counting.unapproved([]) == []


@pytest.mark.parametrize("why", UNEXPLAINED)
def test_what_nobody_is_at_is_counted(done: Run, why: str) -> None:
    with transaction.atomic():
        _write(UNEXPLAINED[why], done)
        (said,) = counting.unexplained()
        assert str(done.pk) in said
        assert counting.unexplained([]) == []
        transaction.set_rollback(True)


def test_a_run_that_waits_as_designed_is_explained(engine: Bench) -> None:
    asked = engine.start(tool="fake.void", what="a")
    engine.turn()
    fresh = engine.start()
    assert {Run.objects.get(pk=each.pk).status for each in (asked, fresh)} == {"waiting", "queued"}
    assert counting.unexplained() == []


def test_a_held_run_with_its_case_is_explained(engine: Bench) -> None:
    run = engine.start(tool="fake.nothing", what="a")
    engine.turn()
    engine.decide(run)
    engine.fault("drop_answer")
    engine.turn()
    run.refresh_from_db()
    assert (run.status, run.reason) == ("held", "outcome_unknown")
    assert counting.unexplained() == []


def test_the_outside_world_is_asked_and_not_the_ledger(done: Run) -> None:
    key = bytes(Action.objects.get(run=done).key).hex()
    assert counting.duplicates(Counter({key: 3, "": 5})) == 2
    assert len(counting.unapproved_arrivals(Counter({key: 1, "ab" * 32: 1, "": 1}))) == 2
    (said,) = counting.contradicted(Counter())
    assert "happened of fake.void, and 0 are there" in said
