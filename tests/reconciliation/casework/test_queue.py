"""The filters by work: each has the cases it says, and what passes its target first comes first."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from checkpoints.desk import working
from checkpoints.models import Case, Claim
from reconciliation import verdicts
from reconciliation.casework import queue
from reconciliation.verdicts import Given
from tenants.models import Tenant, User
from tests.people import ada, eve, make_tenant
from tests.reconciliation.deskwork import held

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant()


@pytest.fixture
def first(tenant: Tenant) -> User:
    return ada(tenant)


def found(tenant: Tenant, user: User, work: str) -> list[Case]:
    return queue.page(tenant, user, work, after=None, limit=50)


def test_each_filter_has_what_it_says(tenant: Tenant, first: User) -> None:
    mine, theirs, free, waits, decided = (held(tenant, "crash_loop") for _ in range(5))
    second = eve(tenant)
    working.claim(mine.pk, user=first)
    working.claim(theirs.pk, user=second)
    working.wait_outside(waits.pk, party="the bank", why="They look.", user=first)
    verdicts.give(decided.pk, Given("try_again", "Mended."), user=first)
    Case.objects.filter(pk=free.pk).update(opened_at=Now() - timedelta(days=1))
    assert found(tenant, first, queue.MINE) == [mine]
    assert found(tenant, first, queue.UNCLAIMED) == [free, waits]
    assert found(tenant, first, queue.OVERDUE) == [free]
    assert found(tenant, first, queue.OUTSIDE) == [waits]
    assert found(tenant, first, queue.UNPROVEN) == [decided]
    assert queue.counts(tenant, first) == {
        "mine": 1,
        "unclaimed": 2,
        "overdue": 1,
        "outside": 1,
        "unproven": 1,
    }


def test_a_claim_that_ran_out_leaves_the_case_to_anybody(tenant: Tenant, first: User) -> None:
    case = held(tenant, "crash_loop")
    working.claim(case.pk, user=first)
    assert found(tenant, first, queue.UNCLAIMED) == []
    Claim.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert found(tenant, first, queue.UNCLAIMED) == [case]
    assert found(tenant, first, queue.MINE) == []


def test_another_tenants_cases_are_in_none(tenant: Tenant, first: User) -> None:
    other = make_tenant("other")
    held(other, "crash_loop")
    assert not any(queue.counts(tenant, first).values())


def test_they_come_by_what_passes_its_target_first_and_page_by_page(
    tenant: Tenant, first: User
) -> None:
    slow, urgent, old = (
        held(tenant, kind) for kind in ("unmigratable", "contradicted", "crash_loop")
    )
    Case.objects.filter(pk=old.pk).update(opened_at=Now() - timedelta(days=1))
    assert found(tenant, first, queue.UNCLAIMED) == [old, urgent, slow]
    rest = queue.page(tenant, first, queue.UNCLAIMED, after=old.pk, limit=1)
    assert rest == [urgent]
    assert queue.page(tenant, first, queue.UNCLAIMED, after=urgent.pk, limit=5) == [slow]


def test_a_row_says_who_is_at_it_how_old_it_is_and_for_whom_it_waits(
    tenant: Tenant, first: User
) -> None:
    case = held(tenant, "crash_loop")
    working.claim(case.pk, user=first)
    working.wait_outside(case.pk, party="the bank", why="They look.", user=first)
    row = queue.worked(tenant, [case])[case.pk]
    assert row.claim is not None
    assert row.claim.holder == first
    assert row.age.stopped
    assert row.outside is not None
    assert row.outside.party == "the bank"
    assert queue.worked(tenant, []) == {}


def test_the_queries_of_a_page_do_not_grow_with_it(
    tenant: Tenant, first: User, django_assert_num_queries: object
) -> None:
    cases = [held(tenant, "crash_loop") for _ in range(4)]
    for some in (cases[:1], cases):
        with django_assert_num_queries(3):  # type: ignore[operator]
            queue.worked(tenant, some)
