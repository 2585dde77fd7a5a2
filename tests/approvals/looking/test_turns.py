"""Turns: put in line by the question, claimed once, few a minute for each tenant."""

import pytest

from approvals.looking import turns
from approvals.models import SecondLookTurn
from tests.approvals.looking.lookers import LOOKED_AT, asked, turn_of
from tests.approvals.questions import ONE, approved_by, expire_in
from tests.people import dee, make_tenant

pytestmark = pytest.mark.django_db
LONG_AGO = "2020-01-01T00Z"


def claimed(room: int = 50, a_minute: int = 50) -> list[turns.Turn]:
    return turns.claim(room=room, a_minute=a_minute)


def test_a_question_waits_for_a_look_only_if_its_rules_want_one() -> None:
    asked(ONE)
    assert not SecondLookTurn.objects.exists()
    wanted = asked(LOOKED_AT)
    assert [each.request_id for each in claimed()] == [wanted.pk]


def test_a_turn_is_claimed_once_until_its_claim_runs_out() -> None:
    request = asked()
    first = turn_of(request)
    assert claimed() == []
    SecondLookTurn.objects.update(claimed_until=LONG_AGO)
    second = turn_of(request)
    assert (first.tries, second.tries) == (1, 2)
    assert not turns.again_in(first, seconds=1, error="late", counts=True)
    assert turns.again_in(second, seconds=1, error="in time", counts=True)


def test_a_tenant_has_its_pace_and_takes_nobody_elses() -> None:
    acme, other = make_tenant(), make_tenant("other")
    for _ in range(5):
        asked(tenant=acme)
    late = asked(tenant=other)
    found = claimed(a_minute=2)
    assert len(found) == 3
    assert late.pk in {each.request_id for each in found}
    assert claimed(a_minute=2) == []
    SecondLookTurn.objects.filter(tenant=acme).update(begun_at=LONG_AGO)
    assert len(claimed(a_minute=2)) == 2


def test_no_more_are_claimed_than_there_is_room_for_longest_due_first() -> None:
    waiting = [asked() for _ in range(3)]
    SecondLookTurn.objects.filter(request=waiting[2]).update(due_at=LONG_AGO)
    assert [each.request_id for each in claimed(room=1)] == [waiting[2].pk]


def test_what_is_closed_or_over_leaves_the_line() -> None:
    closed, over, waits = asked(), asked(), asked()
    requirement = closed.requirement
    assert requirement["second_look"] == "acknowledge"
    approved_by(closed, dee(closed.tenant))
    expire_in(over, seconds=-1)
    assert [each.request_id for each in claimed()] == [waits.pk]
    assert set(SecondLookTurn.objects.filter(due_at=None).values_list("request_id", flat=True)) == {
        closed.pk, over.pk,
    }  # fmt: skip


def test_nobody_asked_is_no_try() -> None:
    request = asked()
    assert turns.again_in(turn_of(request), seconds=0, error="stopped", counts=False)
    assert SecondLookTurn.objects.get().tries == 0
    assert turns.again_in(turn_of(request), seconds=0, error="gone", counts=True)
    row = SecondLookTurn.objects.get()
    assert (row.tries, row.error, row.claim, row.claimed_until) == (1, "gone", None, None)
