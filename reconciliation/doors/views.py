"""The doors of a tenant: which are closed, since when and why; a person opens and closes them."""

from django.conf import settings
from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from reconciliation.doors import lines, moving
from reconciliation.doors.forms import CLOSE, DoorForm
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_for, tenant_page


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def doors(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """GET lists them; POST opens or closes one, by whoever operates runs here."""
    if request.method != "POST":
        return _page(request, tenant, None)
    tenant_for(request, tenant.slug, moving.OPERATE)
    form = DoorForm(request.POST)
    if not form.is_valid():
        return _page(request, tenant, form)
    given = form.cleaned_data
    if given["move"] == CLOSE:
        moving.close_by_hand(tenant, given["tool"], why=given["reason"], user=request.user)
        said = _("The door of %(tool)s is closed: nothing more is sent to it.")
    else:
        moving.open_by_hand(tenant, given["tool"], why=given["reason"], user=request.user)
        said = _("The door of %(tool)s is open: what waited goes on, a little at a time.")
    messages.success(request, said % {"tool": given["tool"]})
    return redirect("reconciliation:doors", tenant.slug)


def _page(request: TenantRequest, tenant: Tenant, wrong: DoorForm | None) -> HttpResponseBase:
    tools = lines.open_tools(tenant)
    is_closing = wrong is not None and wrong.data.get("move") == CLOSE
    context = {
        "lines": lines.closed([tenant.pk]),
        "lately": lines.lately(tenant),
        "closing": DoorForm.to_close(tools, request.POST if is_closing else None),
        "may_close": bool(tools),
        "wrong": wrong if wrong is not None and not is_closing else None,
        "may_operate": request.access.may(tenant.pk, moving.OPERATE),
        "counted_to": lines.COUNTED_TO,
        "unknowns": settings.KEDGE_DOOR_UNKNOWNS,
        "probe_seconds": settings.KEDGE_DOOR_PROBE_SECONDS,
        "per_minute": settings.KEDGE_DOOR_RUNS_PER_MINUTE,
    }
    return render(request, "reconciliation/doors.html", context, status=422 if wrong else 200)
