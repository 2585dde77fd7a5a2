"""A refund is taken back by a booking of its own, which names what it compensates for."""

import pytest

from canonical.json import loads_object
from checkpoints.models import Case, Run
from reconciliation.models import Action
from tests.engine.refund_desk.desks import Desk

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def booked(desk: Desk) -> Action:
    """A booking that happened."""
    run = desk.begin(desk.shop.ticket(desk.shop.sell()))
    desk.approve(run)
    return Action.objects.get(run=run, tool="book_refund")


def reverting(desk: Desk, booked: Action) -> Run:
    given = {"action_id": str(booked.id), "why": "It went to the wrong customer."}
    run = desk.started("revert_refund", given)
    desk.turn(run)
    return run


def purchase_of(booked: Action) -> str:
    return str(loads_object(bytes(booked.parameters))["purchase"])


def test_the_counter_booking_is_a_new_action_with_its_own_yes(desk: Desk, booked: Action) -> None:
    purchase = purchase_of(booked)
    run = reverting(desk, booked)
    asked = desk.asked(run)
    shown = loads_object(bytes(asked.diff))
    assert shown["before"]["Purchase"][0]["refunded"] == 4_000
    assert shown["after"]["Purchase"][0]["refunded"] == 0
    assert desk.shop.paid_back(purchase) == [4_000]
    desk.say(run)
    desk.turn(run)
    assert run.status == "succeeded"
    action = Action.objects.get(run=run)
    assert (action.compensates_id, action.outcome) == (booked.id, "happened")
    assert desk.shop.paid_back(purchase) == [4_000, -4_000]


def test_a_rejected_compensation_leaves_the_refund(desk: Desk, booked: Action) -> None:
    run = reverting(desk, booked)
    desk.say(run, "reject")
    desk.turn(run)
    assert run.status == "failed"
    assert desk.shop.paid_back(purchase_of(booked)) == [4_000]


def test_nothing_is_taken_back_twice(desk: Desk, booked: Action) -> None:
    first, second = reverting(desk, booked), reverting(desk, booked)
    desk.say(first)
    desk.turn(first)
    desk.say(second)
    desk.turn(second)
    assert (second.status, Case.objects.get(run=second).kind) == ("held", "world_changed")
    third = reverting(desk, booked)
    assert third.status == "held"
    assert "taken back already" in third.sentence
    assert desk.shop.paid_back(purchase_of(booked)) == [4_000, -4_000]


def test_what_the_books_do_not_have_is_not_taken_back(desk: Desk) -> None:
    nothing = {"action_id": "00000000-0000-4000-8000-000000000000", "why": "?"}
    run = desk.started("revert_refund", nothing)
    desk.turn(run)
    assert run.status == "held"
    assert "The books have no refund" in run.sentence
