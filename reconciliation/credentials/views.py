"""The credentials of a tenant: with what its tools act, whether that works, and for how long."""

from typing import Any, Final

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from checkpoints.registry import agents
from reconciliation.credentials import checking, keeping
from reconciliation.credentials.forms import CredentialForm
from reconciliation.credentials.models import VALID, Credential
from tenants import access
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_for, tenant_page

COUNTED_TO: Final = 10_000


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def credentials(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """GET lists them; POST notes one, by whoever manages the tenant."""
    if request.method != "POST":
        return _page(request, tenant, CredentialForm(tenant, initial=_initial(request, tenant)))
    tenant_for(request, tenant.slug, keeping.MANAGE)
    form = CredentialForm(tenant, request.POST)
    if not form.is_valid():
        return _page(request, tenant, form)
    tool, owner = form.cleaned_data["tool"], form.cleaned_data["owner"]
    keeping.note(tenant, tool, form.noted(), owner=owner, user=request.user)
    messages.success(
        request, _("Noted, and being checked now: its answer stands here in a moment.")
    )
    return redirect("reconciliation:credentials", tenant.slug)


@require_POST
@tenant_page("view_runs")
def check_now(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """Have one credential checked, by whoever operates runs or manages the tenant."""
    tool = request.POST.get("tool", "")
    checking.want(tenant, tool, user=request.user)
    said = _("The credential of %(tool)s is being checked: its answer stands here in a moment.")
    messages.success(request, said % {"tool": tool})
    return redirect("reconciliation:credentials", tenant.slug)


def _page(request: TenantRequest, tenant: Tenant, form: CredentialForm) -> HttpResponseBase:
    known = Credential.objects.filter(tenant=tenant).select_related("owner").order_by("tool")
    now = timezone.now()
    rows = [
        {
            "credential": each,
            "expired": each.ends_at is not None and each.ends_at <= now,
            "soon": keeping.expires_soon(each, now),
            "held": checking.held_for(tenant, each.tool)[: COUNTED_TO + 1].count(),
            "works": each.result == VALID and not (each.ends_at and each.ends_at <= now),
        }
        for each in known
    ]
    noted = {each.tool for each in known}
    context = {
        "rows": rows,
        "without": sorted(set(agents().TOOLS.by_name) - noted),
        "warn": sum(keeping.expires_soon(each, now) for each in known),
        "form": form,
        "managers": access.holders(tenant, keeping.MANAGE),
        "may_manage": request.access.may(tenant.pk, keeping.MANAGE),
        "may_check": any(request.access.may(tenant.pk, right) for right in checking.RIGHTS),
        "may_plan": request.access.may(tenant.pk, "operate_runs"),
        "counted_to": COUNTED_TO,
    }
    status = 422 if form.is_bound else 200
    return render(request, "reconciliation/credentials.html", context, status=status)


def _initial(request: TenantRequest, tenant: Tenant) -> dict[str, Any]:
    """What is known of the tool named in the address, to be changed."""
    tool = request.GET.get("tool", "")
    known = Credential.objects.filter(tenant=tenant, tool=tool).first()
    if known is None:
        return {"tool": tool, "owner": request.user.pk}
    names = ("tool", "acting_identity", "kept_at", "version", "expires_at")
    return {name: getattr(known, name) for name in names} | {"owner": known.owner_id}
