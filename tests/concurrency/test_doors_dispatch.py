"""Nothing is dispatched through a closed door, whoever was first."""

from functools import partial

import pytest
from pytest_django import Settings

from canonical.redaction import ours
from checkpoints.models import Run
from reconciliation.doors import moving, noting
from reconciliation.doors.models import Door
from reconciliation.errors import NotDispatchedError
from reconciliation.models import Attempt
from tenants import access
from tests.approvals.racing import beside, run_locked
from tests.engine.turns import Bench
from tests.reconciliation.doors.silence import door, silent
from tests.reconciliation.ready import HAPPENED, Ready, ready

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def five_in_a_row(settings: Settings) -> None:
    settings.KEDGE_DOOR_UNKNOWNS = 5


def refused(it: Ready, seen: str) -> None:
    with pytest.raises(NotDispatchedError) as caught:
        it.dispatch(seen)
    assert caught.value.code == "door_closed"


def test_nothing_is_dispatched_through_a_closed_door(engine: Bench) -> None:
    it = ready(engine)
    seen = it.hash()
    silent(engine, 5)
    refused(it, seen)
    assert it.request.state == "approved"
    assert not it.action.attempts.exists()
    assert Run.objects.get(pk=it.run.pk).effect_in_flight is None


def test_a_door_waits_for_the_dispatch_under_way(engine: Bench) -> None:
    """Whoever closes it takes the lock of the scope alone; so no attempt is younger than a closed door."""
    access.grant(engine.tenant, engine.starter, "operate_runs")
    it = ready(engine)
    seen = it.hash()
    close = partial(moving.close_by_hand, engine.tenant, "fake.void", why="x", user=engine.starter)
    with beside() as side:
        with run_locked(it.run.id):
            dispatching = side.start_and_block(partial(it.dispatch, seen))
            closing = side.start_and_block(close, blocked=2)
        attempt = dispatching.result()
        made = closing.result()
    assert made.closed_at is not None
    assert attempt.dispatched_at < made.closed_at


def test_the_fifth_unknown_and_a_dispatch_that_cross_have_one_result(engine: Bench) -> None:
    silent(engine, 4)
    fifth = ready(engine)
    attempt = fifth.dispatch()
    it = ready(engine)
    seen = it.hash()
    with beside() as side:
        with run_locked(it.run.id):
            dispatching = side.start_and_block(partial(it.dispatch, seen))
            counting = side.start_and_block(
                partial(noting.unknown, attempt, ours("gone")), blocked=2
            )
        sent = dispatching.result()
        counting.result()
    closed_at = door(engine).closed_at
    assert closed_at is not None
    assert Attempt.objects.get(pk=sent.pk).dispatched_at < closed_at


def test_the_one_effect_let_through_is_sent_and_no_other(engine: Bench) -> None:
    it, other = ready(engine), ready(engine)
    seen, others = it.hash(), other.hash()
    silent(engine, 5)
    Door.objects.update(let_through=it.action.pk)
    refused(other, others)
    assert it.dispatch(seen).number == 1


def test_another_tool_and_another_tenant_are_not_kept_out(engine: Bench) -> None:
    it = ready(engine, "fake.look_up")
    seen = it.hash()
    silent(engine, 5)
    assert it.dispatch(seen).number == 1


def test_an_answer_and_an_unknown_that_cross_both_count(engine: Bench) -> None:
    silent(engine, 2)
    answered, unknown = ready(engine), ready(engine)
    first, second = answered.dispatch(), unknown.dispatch()
    with beside() as side:
        hearing = side.start(partial(answered.answer, first, HAPPENED))
        counting = side.start(partial(noting.unknown, second, ours("gone")))
        hearing.result()
        counting.result()
    assert len(door(engine).silent) <= 1
