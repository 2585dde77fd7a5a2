"""What an operator does to runs: cancel one, stop all effects of a tenant, lift the stop."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseStopPolling

from checkpoints import runs, stops
from checkpoints.errors import IllegalMoveError
from checkpoints.pages.forms import title_of
from execution.pages import stopping
from execution.pages.cancelling import forecast
from execution.pages.forms import ReasonForm, StopForm
from execution.pages.people import may
from execution.pages.runhead import run_of
from tenants.actors import Actor
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_for, tenant_page

STOPPED = {
    "effects": gettext_lazy(
        "Effects are stopped. Nothing more is sent; this page says what was out."
    ),
    "new_runs": gettext_lazy("New runs are stopped. What runs goes on."),
}


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("operate_runs")
def cancel_run(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponseBase:
    """GET says what cancelling would do; POST asks for it, with a reason."""
    run = run_of(tenant, run_id)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        why = form.cleaned_data["reason"]
        runs.request_cancel(run.id, why=why, actor=Actor.person(request.user))
        messages.success(request, _("Asked to cancel. This page follows what becomes of it."))
        return redirect("run", tenant.slug, run.id)
    if run.finished_at is not None:
        raise IllegalMoveError(f"the run has ended already: {run.status}")
    context = {
        "run": run,
        "task": title_of(run.task_type),
        "form": form,
        "forecast": forecast(run),
        "section": "runs",
    }
    return render(request, "execution/cancel.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def stop(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """GET says what is out and what stands; POST stops effects or new runs of this tenant."""
    form = StopForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        tenant_for(request, tenant.slug, "operate_runs")
        if form.is_valid():
            given = form.cleaned_data
            actor = Actor.person(request.user)
            stops.stop(tenant, given["lock"], why=given["reason"], actor=actor)
            messages.success(request, str(STOPPED[given["lock"]]))
            return redirect("stop", tenant.slug)
    return _stop_page(request, form)


@require_safe
@tenant_page("view_runs")
def stop_calls(request: TenantRequest, tenant: Tenant, stop_id: int) -> HttpResponseBase:
    """What became of the calls a stop did not catch; asks no more when all are known."""
    each = stopping.in_force(tenant, stop_id)
    page = render(request, "execution/_caught.html", {"each": each}).content
    return HttpResponse(page) if each.still_out else HttpResponseStopPolling(page)


@require_POST
@tenant_page("operate_runs")
def lift_stop(request: TenantRequest, tenant: Tenant, stop_id: int) -> HttpResponseBase:
    """Lift a stop of this tenant, with a reason. A stop of everything is no page's to lift."""
    standing = stopping.own_stop(tenant, stop_id)
    form = ReasonForm(request.POST, prefix=f"lift-{stop_id}")
    if not form.is_valid():
        return _stop_page(request, StopForm(), lifting={stop_id: form})
    why = form.cleaned_data["reason"]
    stops.lift(standing.pk, why=why, actor=Actor.person(request.user))
    messages.success(request, _("The stop is lifted. What waited for it goes on."))
    return redirect("stop", tenant.slug)


def _stop_page(
    request: TenantRequest, form: StopForm, lifting: dict[int, ReasonForm] | None = None
) -> HttpResponseBase:
    tenant, given = request.tenant, lifting or {}
    standing = [
        (each, given.get(each.stop.pk) or ReasonForm(prefix=f"lift-{each.stop.pk}"))
        for each in stopping.standing(tenant)
    ]
    context = {
        "form": form,
        "standing": standing,
        "locks": {each.stop.lock for each, _form in standing},
        "scene": stopping.scene(tenant),
        "counted_to": stopping.COUNTED_TO,
        "may_operate": request.access.may(tenant.pk, "operate_runs"),
        "who": may(tenant, "operate_runs", request.user),
    }
    wrong = form.is_bound or bool(given)
    return render(request, "execution/stop.html", context, status=422 if wrong else 200)
