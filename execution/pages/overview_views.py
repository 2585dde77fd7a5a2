"""The pages that overlook: all tenants, one tenant, what a text finds."""

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.pages import runlist
from checkpoints.pages.runlist import RunFilter
from checkpoints.pages.showing import ORDER, rows
from execution.pages import figures, finding, home
from execution.pages.places import INBOX, place
from execution.problems import overview
from reconciliation.credentials import warning as credentials
from reconciliation.doors import lines as doors
from tenants.models import Tenant
from tenants.scope import TenantRequest, access_of, tenant_page

MOST_TENANTS = 200


@require_safe
def across(request: HttpRequest) -> HttpResponseBase:
    """All tenants of this person, counts only; straight to the tenant when there is one."""
    access = access_of(request)
    if len(access.slugs) == 1:
        return redirect("home", next(iter(access.slugs.values())))
    tenants = list(Tenant.objects.filter(pk__in=list(access.slugs)).order_by("name")[:MOST_TENANTS])
    context = {"lines": home.across(tenants, access), "counted_to": runlist.COUNTED_TO}
    return render(request, "execution/across.html", context)


@require_safe
@tenant_page("view_runs")
def tenant_home(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """One tenant: what needs a person, which problems stand, how its runs are doing."""
    problems = overview.standings(tenant)
    counted = runlist.tallies(tenant, RunFilter(window="all"))
    context = {
        "needs": home.needs(tenant, problems),
        "overview": overview.overview(tenant, problems, most=home.MOST_PROBLEMS),
        "doors": doors.closed([tenant.pk]),
        "ending": credentials.ending([tenant.pk]),
        "counted_to": doors.COUNTED_TO,
        "recoveries": home.recoveries(tenant),
        "figures": figures.figures(tenant),
        "looked_at": figures.LOOKED_AT,
        "filters": [_filter(tenant, status, counted[status]) for status in ORDER],
        "any_runs": any(counted.values()),
        "inbox": place(INBOX, tenant),
        "may_start": request.access.may(tenant.pk, "operate_runs"),
    }
    return render(request, "execution/home.html", context)


@require_safe
@tenant_page("view_runs")
def search(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """What a text finds at this tenant; straight there when it is one thing exactly."""
    text = request.GET.get("q", "")
    if "\0" in text:
        raise Http404(_("No id, key or target contains that."))
    found = finding.find(tenant, text)
    hit = finding.only_hit(tenant, found)
    if hit:
        return redirect(hit)
    context = {
        "text": text.strip(),
        "rows": rows(found.runs),
        "actions": found.actions,
        "looked_at": finding.LOOKED_AT,
        "found": found,
    }
    return render(request, "execution/search.html", context)


def _filter(tenant: Tenant, status: str, tally: int) -> dict[str, object]:
    url = f"{place('runs', tenant)}?status={status}&window=all"
    return {"status": status, "tally": tally, "counted_to": runlist.COUNTED_TO, "url": url}
