"""What an operator does to one run: cancel it, revoke it. Stopping stands in `stop_views`."""

from uuid import UUID

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from checkpoints import revoking, runs, states
from checkpoints.errors import IllegalMoveError
from checkpoints.pages.forms import title_of
from execution.forecasts.cancelling import cancelling
from execution.pages.forms import ReasonForm
from execution.pages.revoking import forecast as revoked
from execution.pages.runhead import run_of
from execution.problems import stuck
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("operate_runs")
def cancel_run(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponseBase:
    """GET says what cancelling would do; POST asks for it, with a reason."""
    run = run_of(tenant, run_id)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        why = hiding.text(form.cleaned_data["reason"])
        runs.request_cancel(run.id, why=why, actor=Actor.person(request.user))
        messages.success(request, _("Asked to cancel. This page follows what becomes of it."))
        return redirect("run", tenant.slug, run.id)
    if run.finished_at is not None:
        raise IllegalMoveError(f"the run has ended already: {run.status}")
    context = {
        "run": run,
        "task": title_of(run.task_type),
        "form": form,
        "cancelling": cancelling(run),
        "section": "runs",
    }
    return render(request, "execution/cancel.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("operate_runs")
def revoke_run(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponseBase:
    """GET says what revoking would do; POST takes the run from its worker, with a reason."""
    run = run_of(tenant, run_id)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        why = hiding.text(form.cleaned_data["reason"])
        revoking.revoke(run.id, reason=why, actor=Actor.person(request.user))
        messages.success(request, _("Taken from its worker. The next free one goes on with it."))
        return redirect("run", tenant.slug, run.id)
    if run.status != states.RUNNING:
        raise IllegalMoveError(f"nobody works on this run now: it is {run.status}")
    context = {
        "run": run,
        "task": title_of(run.task_type),
        "form": form,
        "late": stuck.late(run),
        "forecast": revoked(run),
        "section": "runs",
    }
    return render(request, "execution/revoke.html", context, status=422 if form.is_bound else 200)
