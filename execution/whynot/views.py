"""Why a run is not running, as a page, as a panel of the run, and each question by itself."""

from uuid import UUID

from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from execution.pages.runhead import head, run_of
from execution.problems import stuck
from execution.whynot import answers, asking
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


@require_safe
@tenant_page("view_runs")
def why_not(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponseBase:
    """All nine answers; as a panel when the page of the run asks."""
    run = run_of(tenant, run_id)
    late = stuck.late(run)
    checks = asking.ask_all(run)
    told = answers.told(checks, is_late=late is not None and late.is_stuck)
    context = {"run": run, "late": late, "checks": checks, "told": told}
    if request.headers.get("HX-Request"):
        return render(request, "execution/_why_not.html", context)
    return render(request, "execution/why_not.html", {**context, **head(request, run, here="")})


@require_safe
@tenant_page("view_runs")
def why_not_one(
    request: TenantRequest, tenant: Tenant, run_id: UUID, question: str
) -> HttpResponseBase:
    """One of the nine, asked again."""
    run = run_of(tenant, run_id)
    if question not in asking.QUESTIONS:
        raise Http404(_("There is no such question."))
    context = {"run": run, "check": asking.ask(run, question)}
    return render(request, "execution/_why_not_one.html", context)
