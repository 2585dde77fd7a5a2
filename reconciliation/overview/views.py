"""The page of all effects: reads only; taking their recipients along is audited itself."""

from urllib.parse import urlencode

from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from checkpoints.registry import agents
from reconciliation.overview import listing, revealing
from reconciliation.overview.filtering import FilterForm, Wanted
from reconciliation.overview.revealing import TooManyError
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

RECONCILE, OPERATE = "reconcile_actions", "operate_runs"
READ = "read_payloads"


@require_safe
@tenant_page("view_runs")
def actions(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """All effects of a tenant, newest first, as the filter in the address says."""
    return _page(request, tenant, request.GET)


@require_POST
@tenant_page(READ)
def export_recipients(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """Whom they reached, as a file; more than fit are refused, none is left out."""
    try:
        content = revealing.recipients(tenant, _form(request.GET).wanted(), user=request.user)
    except TooManyError:
        return _page(request, tenant, request.GET, too_many=True)
    name = f"recipients-{tenant.slug}-{timezone.now():%Y%m%d-%H%M%S}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers=headers)


def _page(
    request: TenantRequest, tenant: Tenant, query: QueryDict, *, too_many: bool = False
) -> HttpResponse:
    form = _form(query)
    wanted = form.wanted()
    found = listing.found(tenant, wanted)
    operates = request.access.may(tenant.pk, OPERATE)
    context = {
        "form": form,
        "wanted": wanted,
        "found": found,
        "counted_to": listing.COUNTED_TO,
        "looked_at": listing.LOOKED_AT,
        "too_many": too_many,
        "kept": _address(wanted, before=None),
        "plan_query": _plan_query(wanted),
        "older": _address(wanted, before=found.rows[-1].action.pk) if found.more else "",
        "may_plan": operates or request.access.may(tenant.pk, RECONCILE),
        "may_operate": operates,
        "may_read": request.access.may(tenant.pk, READ),
    }
    status = 422 if too_many else 200
    return render(request, "reconciliation/actions.html", context, status=status)


def _form(query: QueryDict) -> FilterForm:
    return FilterForm(sorted(agents().TOOLS.by_name), query)


def _plan_query(wanted: Wanted) -> str:
    """The address of a plan for all that match; "" without a filter: that is never a plan."""
    if not wanted.chooses:
        return ""
    return _address(wanted, before=None) + "&from=effects"


def _address(wanted: Wanted, *, before: object) -> str:
    told = {**vars(wanted), "before": before}
    return "?" + urlencode({name: str(value) for name, value in told.items() if value})
