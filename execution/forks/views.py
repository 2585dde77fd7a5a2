"""Forking a run: GET says what would happen, POST does it, with a reason."""

from uuid import UUID

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from checkpoints.errors import ForkMovedError, ForkRefusedError
from checkpoints.models import Case, Run
from execution.forks import comparing, making, pages
from execution.forks.forms import ChoiceForm, ForkForm
from execution.pages.runhead import run_of
from tenants.actors import Actor
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

TOO_LATE = 409
NOT_ACCEPTED = 422


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("operate_runs")
def fork_run(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponseBase:
    """What a fork would be and do; POST makes it. What moved in between is refused and shown."""
    run = run_of(tenant, run_id)
    if request.method != "POST":
        return render(request, "execution/fork.html", pages.page(run, _choice(request, run)))
    form = ForkForm(request.POST)
    if not form.is_valid():
        return _again(request, run, form, NOT_ACCEPTED)
    try:
        wanted = form.wanted(pages.combos_of(run))
        made, _created = making.fork(run, wanted, actor=Actor.person(request.user))
    except ForkMovedError as moved:
        messages.warning(request, str(moved))
        return _again(request, run, form, TOO_LATE)
    except ForkRefusedError as refusal:
        messages.error(request, str(refusal))
        return _again(request, run, form, TOO_LATE)
    messages.success(request, _("Forked. This is the new run; the other stays as it is."))
    return redirect("run", tenant.slug, made.pk)


def _choice(request: TenantRequest, run: Run) -> ChoiceForm:
    return ChoiceForm(request.POST if request.method == "POST" else request.GET, run=run)


def _again(request: TenantRequest, run: Run, form: ForkForm, status: int) -> HttpResponseBase:
    """The page as it is now, with what was written."""
    query = request.POST.copy()
    query["chosen"] = "on"
    context = pages.page(run, ChoiceForm(query, run=run))
    fresh = context["form"]
    if fresh is not None:
        fresh.initial["reason"] = request.POST.get("reason", "")
        if status == NOT_ACCEPTED:
            context["wrong"] = form.errors.get("reason")
    return render(request, "execution/fork.html", context, status=status)


@require_safe
@tenant_page("read_payloads")
def two_proposals(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponseBase:
    """Two effects under one key: what is proposed now beside what was proposed before."""
    case = Case.objects.select_related("run", "tenant").get(pk=case_id, tenant=tenant)
    context = {"case": case, "compared": comparing.of(case), "section": "needs"}
    return render(request, "execution/two_proposals.html", context)
