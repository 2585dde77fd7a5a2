"""Waiting for somebody outside: intervals that begin and end once, by people."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.db.models.functions import Now

from checkpoints.desk import working
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, OutsideWait
from tenants.keys import hiding
from tenants.models import User
from tests.checkpoints.records import refused
from tests.people import make_tenant

pytestmark = pytest.mark.django_db


def wait(case: Case, user: User) -> OutsideWait:
    return working.wait_outside(case.pk, party="the bank", why="They look it up.", user=user)


def test_a_case_waits_for_one_party_at_a_time(case: Case, first: User, second: User) -> None:
    wait(case, first)
    with pytest.raises(IllegalMoveError, match="waits for the bank already"):
        wait(case, second)
    ended = working.wait_no_more(case.pk, user=second)
    ended.refresh_from_db()
    assert (ended.begun_by, ended.ended_by) == (first, second)
    assert ended.ended_at is not None
    with pytest.raises(IllegalMoveError, match="nobody outside"):
        working.wait_no_more(case.pk, user=first)
    wait(case, first)


@pytest.mark.parametrize(("party", "why"), [("", "They look."), ("the bank", " ")])
def test_it_says_for_whom_and_why(case: Case, first: User, party: str, why: str) -> None:
    with pytest.raises(IllegalMoveError, match="for whom"):
        working.wait_outside(case.pk, party=hiding.text(party), why=hiding.text(why), user=first)


def test_the_database_refuses_what_would_bend_an_interval(case: Case, first: User) -> None:
    wait(case, first)
    with refused("an_outside_wait_ends_once"):
        OutsideWait.objects.update(begun_at=F("begun_at") - timedelta(hours=1))
    with refused("an_ended_outside_wait_says_by_whom"):
        OutsideWait.objects.update(ended_at=Now())
    with refused("an_outside_wait_ends_after_it_began"):
        OutsideWait.objects.update(ended_at=Now() - timedelta(hours=1), ended_by=first)
    with refused("a_case_waits_outside_once_at_a_time"):
        OutsideWait.objects.create(
            tenant=case.tenant, case=case, party="b", why="c", begun_by=first
        )
    with refused("of another tenant than its case"):
        OutsideWait.objects.create(
            tenant=make_tenant("other"), case=case, party="b", why="c", begun_by=first
        )
    working.wait_no_more(case.pk, user=first)
    with refused("an_outside_wait_ends_once"):
        OutsideWait.objects.update(ended_at=None, ended_by=None)
    with refused("DELETE of checkpoints_outsidewait refused"):
        OutsideWait.objects.all().delete()
