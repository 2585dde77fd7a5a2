"""Who may take a step, as a person would say it."""

import pytest

from execution.pages.people import may, told
from tenants.access import grant
from tenants.models import User
from tests.people import ada, bob, cy, dee, make_tenant

pytestmark = pytest.mark.django_db


def test_the_viewer_comes_first_and_the_rest_by_name() -> None:
    one, two, three = ada(), dee(), cy()
    assert told([one, two, three], one) == "You, Dee and Cy may do this."
    assert told([one, two, three], bob()) == "Ada, Dee and Cy may do this."
    assert told([one, two], two) == "You and Ada may do this."


def test_one_alone_is_said_to_be_alone() -> None:
    assert told([ada()], ada()) == "Only you may do this."
    assert told([ada()], bob()) == "Only Ada may do this."


def test_many_are_counted() -> None:
    people = [User.objects.create_user(f"p{n}@example.org", name=f"P{n}") for n in range(7)]
    assert told(people, people[6]) == "You, P0, P1, P2, P3 and 2 others may do this."
    assert told(people[:6], ada()) == "P0, P1, P2, P3 and 2 others may do this."


def test_nobody_is_a_sentence_too() -> None:
    assert told([], ada()).startswith("Nobody may do this at the moment")


def test_only_those_who_hold_the_right_now_are_named() -> None:
    tenant = make_tenant()
    grant(tenant, dee(), "reconcile_actions")
    assert may(tenant, "reconcile_actions", ada()) == "Only Dee may do this."
    User.objects.update(is_active=False)
    assert may(tenant, "reconcile_actions", ada()).startswith("Nobody")
