"""The evidence of a run: what the file will hold, and the file."""

from uuid import UUID

from django.db.models import Count
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from approvals.models import Decision
from execution.pages.runhead import head, run_of
from reconciliation.evidence import counted, offers
from reconciliation.evidence.snapshots import About
from reconciliation.evidence.views import download
from reconciliation.models import Action
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def run_evidence(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponseBase:
    """GET tells what the evidence holds and writes nothing; POST is the audited download."""
    run = run_of(tenant, run_id)
    if request.method == "POST":
        return download(request, About.run(run))
    effects = Action.objects.filter(run=run).aggregate(
        effects=Count("pk", distinct=True), attempts=Count("attempts", distinct=True)
    )
    context = {
        **head(request, run, here="run_evidence"),
        **effects,
        "decisions": Decision.objects.filter(request__run=run).count(),
        "numbers": counted.of(run),
        "offer": offers.to(request),
    }
    return render(request, "execution/evidence.html", context)
