"""One tenant per page: who is let in, who is refused, and who learns nothing."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.test import RequestFactory
from pytest_django import DjangoAssertNumQueries

from tenants.models import Tenant, User
from tenants.scope import TenantRequest, access_of, tenant_for, tenant_page
from tests.people import ada, bob, cy, make_tenant

pytestmark = pytest.mark.django_db


def request_of(user: User | AnonymousUser) -> HttpRequest:
    request = RequestFactory().get("/")
    request.user = user
    return request


@tenant_page("approve_actions")
def approvals(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponse:
    assert request.tenant == tenant
    assert request.access.may(tenant.pk, "approve_actions")
    return HttpResponse(f"{tenant.slug} {number}")


def test_the_page_gets_the_tenant_of_its_url() -> None:
    request = request_of(ada(make_tenant()))
    response = approvals(request, tenant="acme", number=7)
    assert isinstance(response, HttpResponse)
    assert response.content == b"acme 7"


def test_a_person_without_the_right_is_denied() -> None:
    with pytest.raises(PermissionDenied):
        approvals(request_of(bob(make_tenant())), tenant="acme", number=7)


@pytest.mark.parametrize("slug", ["acme", "no-such-tenant"])
def test_a_stranger_cannot_tell_a_tenant_from_none(
    slug: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_tenant("acme")
    stranger = cy()
    with django_assert_num_queries(1), pytest.raises(Http404) as refused:
        tenant_for(request_of(stranger), slug, "view_runs")
    assert "acme" not in str(refused.value)


def test_nobody_signed_in_finds_nothing() -> None:
    make_tenant("acme")
    with pytest.raises(Http404):
        tenant_for(request_of(AnonymousUser()), "acme", "view_runs")


def test_access_is_asked_once_per_request_and_again_for_another_person(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    acme = make_tenant()
    first, second = ada(acme), cy()
    request = request_of(first)
    with django_assert_num_queries(1):
        assert access_of(request) is access_of(request)
    request.user = second
    assert access_of(request).rights == {}
