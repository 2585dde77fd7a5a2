"""Rules 4, 6, 11, 13 and 14: the last check before an effect, under every lock it needs."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models.functions import Now

from approvals import clock, decisions, requests
from approvals.models import Approval
from checkpoints import runs
from checkpoints.models import Run
from reconciliation.errors import NotDispatchedError
from reconciliation.ledger import dispatches
from reconciliation.models import Attempt
from tenants.access import grant
from tenants.actors import Actor
from tenants.models import AuditRow
from tests.approvals.questions import expire_in
from tests.approvals.racing import beside, run_locked, until
from tests.engine.turns import Bench
from tests.people import bob
from tests.reconciliation.ready import Ready, ready

pytestmark = pytest.mark.django_db(transaction=True)

MACHINE = Actor.machine("test")
STALE = pytest.mark.parametrize(
    "shown", [{"fence": 0}, {"holder": uuid4()}, {"head": 0}], ids=["fence", "holder", "head"]
)


@pytest.fixture
def it(engine: Bench) -> Ready:
    return ready(engine)


def nothing_was_sent(it: Ready) -> None:
    assert not Attempt.objects.exists()
    assert Approval.objects.get().state in ("unused", "expired", "withdrawn")
    assert (it.run.effect_in_flight, it.stored().stands) == (None, "proposed")
    assert not AuditRow.objects.filter(verb="intends").exists()


def refusal_while_waiting(it: Ready, meanwhile: Callable[[], object]) -> str:
    """Why a dispatch was refused whose last check waited for the run while this happened."""
    seen = it.hash()
    with beside() as side:
        with run_locked(it.run.id):
            dispatching = side.start_and_block(partial(it.dispatch, seen))
            meanwhile()
        with pytest.raises(NotDispatchedError) as refused:
            dispatching.result()
    return refused.value.code


def test_an_intent_uses_the_approval_and_marks_the_run(it: Ready) -> None:
    attempt = it.dispatch()
    approval = Approval.objects.get()
    assert (approval.state, approval.used_by_attempt) == ("used", attempt.id)
    assert (it.run.effect_in_flight, it.stored().stands) == (it.action.id, "dispatched")
    assert AuditRow.objects.get(verb="intends").detail["attempt"] == str(attempt.id)


def test_rule_4_a_takeover_while_a_dispatch_waited_refuses_it(it: Ready) -> None:
    def take_over() -> None:
        runs.lapse(it.run.id, fence=it.lease.fence, why="silent", actor=MACHINE)

    assert refusal_while_waiting(it, take_over) == "lease_lost"
    nothing_was_sent(it)


def test_rule_4_a_lease_that_ran_out_while_a_dispatch_waited_refuses_it(it: Ready) -> None:
    """Nobody changes the row, so a condition judged before the wait would still hold."""
    Run.objects.update(lease_until=Now() + timedelta(seconds=0.5))
    ends = Run.objects.get().lease_until
    assert ends is not None
    code = refusal_while_waiting(it, lambda: until(lambda: clock.now() > ends))
    assert code == "lease_lost"
    nothing_was_sent(it)


def test_rule_4_an_approval_that_ran_out_while_a_dispatch_waited_refuses_it(it: Ready) -> None:
    expire_in(it.request, seconds=0.5)
    ends = it.request.expires_at
    code = refusal_while_waiting(it, lambda: until(lambda: clock.now() > ends))
    assert code == "expired"
    nothing_was_sent(it)


def test_rule_4_an_approval_withdrawn_while_a_dispatch_waited_refuses_it(it: Ready) -> None:
    code = refusal_while_waiting(
        it, partial(requests.withdraw, it.action.id, actor=MACHINE, reason="No.")
    )
    assert code == "withdrawn"
    nothing_was_sent(it)


def test_rule_11_a_cancel_while_a_dispatch_waited_refuses_it(it: Ready) -> None:
    code = refusal_while_waiting(
        it, partial(runs.request_cancel, it.run.id, why="wrong", actor=MACHINE)
    )
    assert code == "cancelled"
    nothing_was_sent(it)


@STALE
def test_rule_13_a_stale_owner_sends_nothing(it: Ready, shown: dict[str, Any]) -> None:
    with pytest.raises(NotDispatchedError) as refused:
        it.dispatch(**shown)
    assert refused.value.code == "lease_lost"
    nothing_was_sent(it)


@STALE
def test_rule_13_a_stale_owner_is_told_of_its_lease_and_nothing_else_is_judged(
    it: Ready, shown: dict[str, Any]
) -> None:
    expire_in(it.request, seconds=-1)
    with pytest.raises(NotDispatchedError) as refused:
        it.dispatch(**shown)
    assert refused.value.code == "lease_lost"
    nothing_was_sent(it)


@STALE
def test_rule_13_the_statement_of_the_intent_names_the_lease_itself(
    it: Ready, shown: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were it not looked at before, nothing would be sent either."""
    monkeypatch.setattr(dispatches, "_refuse_unless_ours", lambda *_: None)
    with pytest.raises(NotDispatchedError) as refused:
        it.dispatch(**shown)
    assert refused.value.code == "lease_lost"
    nothing_was_sent(it)


def test_rule_4_no_lock_in_time_means_no_effect(it: Ready) -> None:
    seen = it.hash()

    def impatient() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '50ms'")
        it.dispatch(seen)

    with beside() as side, run_locked(it.run.id):
        dispatching = side.start(impatient)
        with pytest.raises(OperationalError, match="lock timeout"):
            dispatching.result()
    nothing_was_sent(it)


def test_rule_6_of_two_dispatches_at_once_one_uses_the_approval(it: Ready) -> None:
    seen, start = it.hash(), Barrier(2)

    def race() -> str:
        start.wait()
        try:
            it.dispatch(seen)
        except NotDispatchedError as error:
            return error.code
        return "sent"

    with beside() as side:
        told = [future.result() for future in [side.start(race) for _ in range(2)]]
    assert sorted(told) == ["sent", "unproven"]
    assert Attempt.objects.get().number == 1


def test_rule_6_a_further_attempt_needs_the_one_before_proven_without_effect(it: Ready) -> None:
    first = it.dispatch()
    with pytest.raises(NotDispatchedError) as refused:
        it.dispatch()
    assert refused.value.code == "unproven"
    it.end(first)
    second = it.dispatch()
    assert (second.number, second.approval_id) == (2, first.approval_id)
    assert Approval.objects.get().used_by_attempt == first.id


def test_rule_6_a_further_attempt_needs_the_same_hash(it: Ready, engine: Bench) -> None:
    it.end(it.dispatch())
    (engine.world / "version").write_text("2")
    with pytest.raises(NotDispatchedError) as refused:
        it.dispatch()
    assert refused.value.code == "hash_differs"
    assert Attempt.objects.count() == 1


def test_rule_6_a_further_attempt_needs_a_yes_that_still_holds(it: Ready, engine: Bench) -> None:
    it.end(it.dispatch())
    expire_in(it.request, seconds=-1)
    with pytest.raises(NotDispatchedError) as refused:
        it.dispatch()
    assert refused.value.code == "expired"
    assert Attempt.objects.count() == 1


def test_rule_6_a_further_attempt_needs_approvers_who_still_may(it: Ready, engine: Bench) -> None:
    it.end(it.dispatch())
    # The rules find somebody still.
    grant(engine.tenant, bob(engine.tenant), "approve_actions", "read_payloads", "view_runs")
    engine.approver.is_active = False
    engine.approver.save(update_fields=["is_active"])
    with pytest.raises(NotDispatchedError) as refused:
        it.dispatch()
    assert refused.value.code == "too_few_approvers"


def test_rule_14_a_dispatch_inside_a_transaction_is_refused(it: Ready) -> None:
    """Its intent could roll back after the effect."""
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        it.dispatch()
    nothing_was_sent(it)


def test_an_approval_withdrawn_after_the_dispatch_comes_too_late(it: Ready) -> None:
    it.dispatch()
    with pytest.raises(Exception, match="used"):
        decisions.withdraw_approval(it.request.id, actor=MACHINE, reason="No.")
    assert Approval.objects.get().state == "used"
