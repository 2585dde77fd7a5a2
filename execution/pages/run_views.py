"""The pages of one run: its timeline, its checkpoints, its operator log."""

from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseStopPolling

from checkpoints.pages import history
from execution.forks import lineages
from execution.pages import log
from execution.pages.facts import facts, input_text
from execution.pages.forms import DifferenceForm, SeqForm
from execution.pages.runhead import head, live, panels, run_of, version_of
from execution.pages.timeline import timeline
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


@require_safe
@tenant_page("view_runs")
def show_run(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponseBase:
    """One run: why it is here, what happened, what it is."""
    run = run_of(tenant, run_id)
    before = SeqForm(request.GET).before()
    context = {
        **head(request, run, here="run"),
        "timeline": timeline(run, before=before),
        "before": before,
        "facts": facts(run),
        "panels": panels(run),
        "lineage": lineages.of(run),
        "input": input_text(run) if request.access.may(tenant.pk, "read_payloads") else None,
    }
    return render(request, "execution/run.html", context)


@require_safe
@tenant_page("view_runs")
def run_standing(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponseBase:
    """Where the run stands now; says `run-changed` when more than its age differs."""
    run = run_of(tenant, run_id)
    context = live(request, run)
    page = render(request, "execution/_standing.html", context).content
    over = context["standing"].over
    answer = HttpResponseStopPolling(page) if over else HttpResponse(page)
    if request.GET.get("seen") != version_of(run):
        answer["HX-Trigger"] = "run-changed"
    return answer


@require_safe
@tenant_page("view_runs")
def run_timeline(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponseBase:
    """The newest stretch of the timeline alone."""
    run = run_of(tenant, run_id)
    context = {"run": run, "timeline": timeline(run)}
    return render(request, "execution/_timeline.html", context)


@require_safe
@tenant_page("view_runs")
def list_checkpoints(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponseBase:
    """The checkpoints of a run, newest first, and two of them to be compared."""
    run = run_of(tenant, run_id)
    steps, more = history.steps(run, before=SeqForm(request.GET).before())
    context = {
        **head(request, run, here="run_checkpoints"),
        "steps": steps,
        "older": steps[-1].seq if more else None,
        "form": DifferenceForm.for_run(run, steps),
    }
    return render(request, "execution/checkpoints.html", context)


@require_safe
@tenant_page("view_runs")
def show_checkpoint(
    request: TenantRequest, tenant: Tenant, run_id: UUID, seq: int
) -> HttpResponseBase:
    """One checkpoint, verified; its state only for those who may read payloads."""
    run = run_of(tenant, run_id)
    context = {
        **head(request, run, here="run_checkpoints"),
        "shown": history.one(run, seq),
        "may_read": request.access.may(tenant.pk, "read_payloads"),
    }
    return render(request, "execution/checkpoint.html", context)


@require_safe
@tenant_page("read_payloads")
def show_difference(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponseBase:
    """What differs between the states of two checkpoints, and which node changed it."""
    run = run_of(tenant, run_id)
    form = DifferenceForm(request.GET, head=run.head)
    valid = form.is_valid()
    context = {
        **head(request, run, here="run_checkpoints"),
        "form": form,
        "difference": history.difference(run, *form.pair()) if valid else None,
    }
    return render(request, "execution/difference.html", context, status=200 if valid else 422)


@require_safe
@tenant_page("view_runs")
def show_log(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponseBase:
    """Who did what to this run: its events, and its audit rows for those who may read them."""
    run = run_of(tenant, run_id)
    context = {
        **head(request, run, here="run_log"),
        "events": log.events(run, before=SeqForm(request.GET).before()),
        "may_audit": request.access.may(tenant.pk, "audit"),
    }
    if context["may_audit"]:
        context["audit"] = log.audit(run)
    return render(request, "execution/run_log.html", context)
