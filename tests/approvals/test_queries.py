"""What pages read: only their tenants, bounded, in a constant number of queries."""

import pytest
from pytest_django import DjangoAssertNumQueries

from approvals import queries
from approvals.models import ApprovalRequest
from tests.approvals.questions import (
    TWO,
    approved_by,
    ask,
    asked,
    decide,
    eve,
    make_question,
    make_run,
)
from tests.people import ada, bob, dee, make_tenant

pytestmark = pytest.mark.django_db


def test_the_inbox_is_one_query_longest_waiting_first(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    acme, other = make_tenant(), make_tenant("other")
    first, elsewhere, second = asked(), ask(make_question(make_run(other))), asked()
    approved_by(asked(), dee(acme))
    with django_assert_num_queries(1):
        found = queries.inbox([acme.pk])
        assert [(r.id, r.tenant.slug, r.run.task_type) for r in found] == [
            (first.id, "acme", "demo"),
            (second.id, "acme", "demo"),
        ]
    both = queries.inbox([acme.pk, other.pk])
    assert [request.id for request in both] == [first.id, elsewhere.id, second.id]
    assert queries.inbox([]) == []


def test_the_inbox_is_read_in_pages() -> None:
    tenant = make_tenant()
    ids = [asked().id for _ in range(3)]
    page = queries.inbox([tenant.pk], limit=2)
    assert [request.id for request in page] == ids[:2]
    rest = queries.inbox([tenant.pk], limit=2, after=page[-1].id)
    assert [request.id for request in rest] == ids[2:]


def test_the_inbox_says_how_many_approved_so_far() -> None:
    tenant = make_tenant()
    decide(asked(requirement=TWO), dee(tenant))
    assert [request.yes for request in queries.inbox([tenant.pk])] == [1]  # type: ignore[attr-defined]


def test_counts_are_per_tenant() -> None:
    acme, other = make_tenant(), make_tenant("other")
    asked()
    asked()
    approved_by(asked(), dee(acme))
    assert queries.open_counts([acme.pk, other.pk]) == {acme.pk: 2}
    assert queries.unused_count(acme.pk) == 1
    assert queries.unused_count(other.pk) == 0


def test_the_requests_of_a_run_come_newest_first() -> None:
    run = make_run()
    first, second = ask(make_question(run)), ask(make_question(run))
    asked()
    assert queries.of_run(run.id) == [second, first]
    assert queries.of_run(run.id, limit=1) == [second]


def test_a_detail_says_who_decided_and_who_still_can() -> None:
    tenant = make_tenant()
    request = asked(requirement=TWO)
    people = ada(tenant), bob(tenant), dee(tenant), eve(tenant)
    decide(request, dee(), reason="Fine.")
    found = queries.detail(request.id, tenant_id=tenant.pk)
    assert [(d.user, d.verdict, d.reason) for d in found.decisions] == [(dee(), "approve", "Fine.")]
    assert (found.people.yes, found.requirement) == (1, TWO)
    assert (found.still_can, found.people.can_help_count) == ([eve()], 1)
    assert len(people) == 4


def test_a_detail_of_another_tenant_does_not_exist() -> None:
    request = asked()
    with pytest.raises(ApprovalRequest.DoesNotExist):
        queries.detail(request.id, tenant_id=make_tenant("other").pk)
