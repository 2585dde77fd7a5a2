"""The credentials of a tenant: with what its tools act, whether that works, and for how long."""

from typing import Any

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from checkpoints.registry import agents
from reconciliation.credentials import keeping
from reconciliation.credentials.forms import CredentialForm
from reconciliation.credentials.models import Credential
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_for, tenant_page


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
    messages.success(request, _("Noted. It is checked before the next run that uses it goes on."))
    return redirect("reconciliation:credentials", tenant.slug)


def _page(request: TenantRequest, tenant: Tenant, form: CredentialForm) -> HttpResponseBase:
    known = Credential.objects.filter(tenant=tenant).select_related("owner").order_by("tool")
    now = timezone.now()
    rows = [
        {
            "credential": each,
            "expired": each.expires_at is not None and each.expires_at <= now,
            "soon": keeping.expires_soon(each, now),
        }
        for each in known
    ]
    noted = {each.tool for each in known}
    context = {
        "rows": rows,
        "without": sorted(set(agents().TOOLS.by_name) - noted),
        "warn": sum(keeping.expires_soon(each, now) for each in known),
        "form": form,
        "may_manage": request.access.may(tenant.pk, keeping.MANAGE),
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
