"""What a page asks about its second look, and the one thing a person says to it: seen."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from approvals import queries
from approvals.errors import ApprovalError
from approvals.looking import panel, seen
from approvals.models import ApprovalRequest, SecondLook
from approvals.pages import parts as pages
from approvals.pages import refusals
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

FINAL_NEWS = 286  # htmx swaps what it gets, and asks no more


@require_safe
@tenant_page("view_runs")
def show(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """The panel alone: what its page asks for until a look is there, and who has no script reads."""
    asked = queries.light().get(pk=request_id, tenant=tenant)
    return _panel(request, asked)


@require_POST
@tenant_page("approve_actions")
def see(request: TenantRequest, tenant: Tenant, request_id: UUID, look_id: UUID) -> HttpResponse:
    """This person has seen the remarks. It decides nothing."""
    detail = queries.detail(request_id, tenant_id=tenant.pk, light=True)
    if not pages.reads(request):  # nobody has seen what is not shown to them
        raise Denied(tenant.pk, "read_payloads")
    get_object_or_404(SecondLook, pk=look_id, request=detail.request)
    try:
        seen.see(request_id, look_id, actor=Actor.person(request.user), user=request.user)
    except ApprovalError as error:
        return refusals.answer(request, detail, error, written="")
    if pages.is_fragment(request):
        return _panel(request, detail.request)
    return redirect(reverse("approvals:request", args=[tenant.slug, request_id]) + "#second-look")


def _panel(request: TenantRequest, asked: ApprovalRequest) -> HttpResponse:
    found = panel.of(asked, request.user, reads=pages.reads(request))
    status = FINAL_NEWS if found is None or not found.polls else 200
    context = {"asked": asked, "second_look": found}
    return render(request, "approvals/_second_look.html", context, status=status)
