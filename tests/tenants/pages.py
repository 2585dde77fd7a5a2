"""A site of one tenant page, to ask what happens at its door."""

from django.http import HttpResponse
from django.urls import include, path

from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


def home(request: TenantRequest) -> HttpResponse:
    return HttpResponse("home")


@tenant_page("approve_actions")
def decision(request: TenantRequest, tenant: Tenant) -> HttpResponse:
    return HttpResponse(f"decided at {tenant.slug}")


urlpatterns = [
    path("", home),
    path("t/<slug:tenant>/decision/", decision),
    path("", include("tenants.urls")),
]
