"""Ages against targets: pauses add up, and what stands still does not grow old."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from pytest_django import Settings

from checkpoints import states
from checkpoints.desk import ages
from checkpoints.models import Case, OutsideWait, Run
from tenants import clock
from tenants.models import Tenant, User
from tests.reconciliation.deskwork import held

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


def aged(case: Case) -> Any:
    return ages.aged(Case.objects.all()).get(pk=case.pk)


def minutes(span: timedelta) -> int:
    return round(span / MINUTE)


@pytest.fixture
def now() -> datetime:
    return clock.now()


def opened(case: Case, at: datetime) -> None:
    Case.objects.filter(pk=case.pk).update(opened_at=at)


def waited(case: Case, user: User, since: datetime, until: datetime | None) -> None:
    by = {"ended_at": until, "ended_by": user} if until else {}
    OutsideWait.objects.create(
        tenant=case.tenant, case=case, party="the bank", why="They look.", begun_by=user,
        begun_at=since, **by,
    )  # fmt: skip


def test_a_case_ages_from_when_it_was_opened(case: Case, now: datetime) -> None:
    opened(case, now - 90 * MINUTE)
    age = ages.of(aged(case), now=now)
    assert (minutes(age.spent), age.target, age.stopped) == (90, timedelta(hours=4), False)
    assert not age.is_overdue


def test_pauses_add_up(case: Case, now: datetime, first: User) -> None:
    opened(case, now - 100 * MINUTE)
    waited(case, first, now - 90 * MINUTE, now - 70 * MINUTE)
    waited(case, first, now - 60 * MINUTE, now - 55 * MINUTE)
    assert minutes(ages.of(aged(case), now=now).spent) == 75


def test_while_outside_is_waited_for_it_stands_still(
    case: Case, now: datetime, first: User
) -> None:
    opened(case, now - 100 * MINUTE)
    waited(case, first, now - 40 * MINUTE, None)
    age = ages.of(aged(case), now=now)
    assert (minutes(age.spent), age.stopped) == (60, True)


def test_past_its_target_it_is_overdue_by_so_much(
    case: Case, now: datetime, settings: Settings
) -> None:
    settings.KEDGE_CASE_TARGETS = {"crash_loop": 1800}
    opened(case, now - 42 * MINUTE)
    age = ages.of(aged(case), now=now)
    assert age.is_overdue
    assert minutes(age.over) == 12


def test_the_pauses_of_one_case_are_not_anothers(
    tenant: Tenant, case: Case, now: datetime, first: User
) -> None:
    other = held(tenant, "crash_loop")
    for each in (case, other):
        opened(each, now - 100 * MINUTE)
    waited(case, first, now - 90 * MINUTE, now - 70 * MINUTE)
    assert minutes(ages.of(aged(other), now=now).spent) == 100


def test_a_closed_case_is_as_old_as_it_was(case: Case, now: datetime, first: User) -> None:
    opened(case, now - 100 * MINUTE)
    Run.objects.update(status="queued", reason="woken")
    Case.objects.update(decided_at=now - 60 * MINUTE, closed_at=now - 50 * MINUTE)
    assert minutes(ages.of(aged(case), now=now).spent) == 50


def test_every_kind_has_a_target() -> None:
    assert set(ages.TARGETS) == set(states.CASE_KINDS)


def test_what_is_due_first_comes_first(tenant: Tenant, case: Case, now: datetime) -> None:
    urgent = held(tenant, "outcome_unknown")
    opened(case, now - 120 * MINUTE)
    opened(urgent, now - 30 * MINUTE)
    assert list(ages.aged(Case.objects.all()).order_by("due_at")) == [urgent, case]
