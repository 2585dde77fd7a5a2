"""Five unknowns in a row close a door; an answer begins the row anew."""

from datetime import timedelta

import pytest
from pytest_django import Settings

from approvals import clock
from canonical.redaction import ours
from reconciliation.doors import noting, reading
from reconciliation.doors.models import Door
from tenants.models import AuditRow
from tests.engine.turns import Bench
from tests.people import make_tenant
from tests.reconciliation.doors.silence import door, shut, silent, unseen
from tests.reconciliation.ready import REFUSED, ready

pytestmark = pytest.mark.django_db


def test_five_unknowns_in_a_row_close_the_door(engine: Bench) -> None:
    silent(engine, 4)
    assert not door(engine).is_closed
    silent(engine, 1)
    shut_now = door(engine)
    assert (shut_now.why, shut_now.closed_by) == ("five unknown in a row", "worker")
    assert shut_now.next_probe_at is not None
    assert reading.sentence(shut_now).startswith("The door of fake.void is closed since ")
    assert reading.closed(engine.tenant) == [shut_now]
    assert AuditRow.objects.filter(verb="close_door", tenant=engine.tenant).count() == 1


def test_an_answer_begins_the_row_anew(engine: Bench) -> None:
    silent(engine, 4)
    it = ready(engine)
    it.answer(it.dispatch())
    assert door(engine).silent == []
    assert door(engine).answered_at is not None
    silent(engine, 4)
    assert not door(engine).is_closed


def test_a_refusal_is_an_answer_too(engine: Bench) -> None:
    silent(engine, 4)
    it = ready(engine)
    it.answer(it.dispatch(), REFUSED)
    assert door(engine).silent == []


def test_an_attempt_counts_once_however_often_it_is_looked_up_in_vain(engine: Bench) -> None:
    it = ready(engine)
    attempt = it.dispatch()
    for _ in range(9):
        noting.unknown(attempt, ours("gone"))
    assert door(engine).silent == [str(attempt.pk)]


def test_what_cannot_be_seen_counts_too_and_is_said_so(engine: Bench) -> None:
    assert shut(engine).why == "five calls in a row without an answer"


def test_a_question_that_is_answered_takes_back_questions_alone(engine: Bench) -> None:
    attempt = silent(engine, 1)[0].action.attempts.get()
    unseen(engine, 2)
    assert len(door(engine).silent) == 3
    noting.seen(door(engine))
    assert door(engine).silent == [str(attempt.pk)]


def test_another_tenant_and_another_tool_have_doors_of_their_own(engine: Bench) -> None:
    other = Bench(make_tenant("other"), engine.starter, engine.approver, engine.world)
    shut(engine)
    assert reading.of_tool(other.tenant.pk, "fake.void") is None
    assert reading.of_tool(engine.tenant.pk, "fake.look_up") is None


def test_a_tool_that_asks_to_be_left_alone_is_probed_later(
    engine: Bench, settings: Settings
) -> None:
    settings.KEDGE_DOOR_UNKNOWNS = 1
    it = ready(engine)
    noting.unknown(it.dispatch(), ours("503"), retry_after=300)
    probe_at = door(engine).next_probe_at
    assert probe_at is not None
    assert probe_at > clock.now() + timedelta(seconds=250)


def test_nobody_is_left_alone_for_ever(engine: Bench, settings: Settings) -> None:
    settings.KEDGE_DOOR_UNKNOWNS = 1
    it = ready(engine)
    noting.unknown(it.dispatch(), ours("503"), retry_after=10**9)
    probe_at = door(engine).next_probe_at
    assert probe_at is not None
    assert probe_at <= clock.now() + noting.LONGEST_WAIT


def test_the_row_that_is_kept_is_bounded(engine: Bench) -> None:
    first, second = unseen(engine, 2)
    noting.unseen(first, ours("gone"))
    Door.objects.update(silent=[f"look:{n}" for n in range(noting.MOST_KEPT)])
    noting.unseen(second, ours("gone"))
    assert len(door(engine).silent) == noting.MOST_KEPT


def test_a_door_that_bears_many_closes_at_as_many(engine: Bench, settings: Settings) -> None:
    """It kept a hundred, and one set at more never closed."""
    many = settings.KEDGE_DOOR_UNKNOWNS = noting.MOST_KEPT + 20
    first, second = unseen(engine, 2)
    Door.objects.update(silent=[f"look:{n}" for n in range(many - 2)])
    noting.unseen(first, ours("gone"))
    assert not door(engine).is_closed
    noting.unseen(second, ours("gone"))
    assert door(engine).is_closed
    assert len(door(engine).silent) == many
