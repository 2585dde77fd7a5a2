"""The problems of a tenant, one problem, and what a person does about it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from checkpoints import claims
from checkpoints.models import Combo
from execution.pages import people
from execution.pages.places import place
from execution.problems import changing, detail, models, overview, stuck, wording
from execution.problems.forms import ChangeForm, ClaimForm, PlaceForm, SnoozeForm
from execution.problems.models import Problem
from tenants import clock
from tenants.keys import hiding
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

STATES = ("open", models.SNOOZED, models.RESOLVED)


@require_safe
@tenant_page("view_runs")
def list_problems(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """Every problem in one state, worst first, and how many are in the others."""
    asked = request.GET.get("show", "open")
    show = asked if asked in STATES else "open"
    found = overview.overview(tenant, overview.standings(tenant), show=show)
    context = {"overview": found, "show": show, "states": STATES, "section": "home"}
    return render(request, "execution/problems.html", context)


@require_safe
@tenant_page("view_runs")
def show_problem(request: TenantRequest, tenant: Tenant, fingerprint: str) -> HttpResponseBase:
    """One problem: how much, where, who is at it, which runs, who did what."""
    return _page(request, tenant, fingerprint)


@require_POST
@tenant_page("operate_runs")
def snooze_problem(request: TenantRequest, tenant: Tenant, fingerprint: str) -> HttpResponseBase:
    """Put it off until a time or a rate."""
    form = SnoozeForm(request.POST)
    if not form.is_valid():
        return _page(request, tenant, fingerprint, snoozing=form)
    problem = changing.kept(overview.find(tenant, fingerprint).problem)
    why = hiding.text(form.cleaned_data["reason"])
    changing.snooze(problem, form.snooze(clock.now()), reason=why, user=request.user)
    messages.success(request, _("Put off. It stays counted, and comes back by itself."))
    return redirect("problem", tenant.slug, fingerprint)


@require_POST
@tenant_page("operate_runs")
def change_problem(request: TenantRequest, tenant: Tenant, fingerprint: str) -> HttpResponseBase:
    """Wake it, call it resolved in one combo, or take that back."""
    form = ChangeForm(request.POST)
    if not form.is_valid():
        return _page(request, tenant, fingerprint, changing_to=form)
    problem = changing.kept(overview.find(tenant, fingerprint).problem)
    why = hiding.text(form.cleaned_data["reason"])
    what = form.cleaned_data["what"]
    if what == models.WOKEN:
        changing.wake(problem, reason=why, user=request.user)
    else:
        combo = Combo.objects.get(pk=form.cleaned_data["combo"])
        change = changing.resolve if what == models.RESOLVED else changing.reopen
        change(problem, combo, reason=why, user=request.user)
    messages.success(request, _("Done. It comes back by itself when it recurs."))
    return redirect("problem", tenant.slug, fingerprint)


@require_POST
@tenant_page("operate_runs")
def claim_problem(request: TenantRequest, tenant: Tenant, fingerprint: str) -> HttpResponseBase:
    """Be at it, stay at it (the heartbeat of an open page), let go, take over, hand over."""
    subject = changing.claimed(overview.find(tenant, fingerprint).problem)
    form = ClaimForm(request.POST, tenant=tenant, but=request.user)
    if not form.is_valid():
        return HttpResponse(status=422)
    what, colleague = form.cleaned_data["what"], form.cleaned_data["colleague"]
    if what == "keep":
        return HttpResponse(status=204 if claims.keep(subject, user=request.user) else 409)
    if what == "hand_over":
        claims.hand_over(subject, user=request.user, colleague=colleague)
    else:
        CLAIMS[what](subject, user=request.user)
    return redirect("problem", tenant.slug, fingerprint)


CLAIMS: dict[str, Callable[..., object]] = {
    "claim": claims.claim,
    "release": claims.release,
    "take_over": claims.take_over,
}


def _page(
    request: TenantRequest,
    tenant: Tenant,
    fingerprint: str,
    *,
    snoozing: SnoozeForm | None = None,
    changing_to: ChangeForm | None = None,
) -> HttpResponse:
    standing = overview.find(tenant, fingerprint)
    line = overview.line(tenant, standing)
    runs, older = detail.members(standing.problem, before=PlaceForm(request.GET).before())
    context: dict[str, Any] = {
        "line": line,
        "problem": standing.problem,
        "pill": wording.pill(standing.problem),
        "sizes": wording.magnitudes(standing.all),
        "is_stuck": standing.problem.kind == stuck.STUCK,
        "combos": detail.in_combos(tenant, standing),
        "runs": runs,
        "older": older,
        "said": detail.said(standing.problem),
        "claimed": detail.claimed(standing.problem),
        "snoozing": snoozing or SnoozeForm(),
        "changing": changing_to or ChangeForm(initial={"what": models.WOKEN}),
        "claiming": ClaimForm(tenant=tenant, but=request.user),
        "may": request.access.may(tenant.pk, changing.RIGHT),
        "who": people.may(tenant, changing.RIGHT, request.user),
        "plan": _plan(request, standing.problem),
        "section": "home",
    }
    refused = snoozing is not None or changing_to is not None
    return render(request, "execution/problem.html", context, status=422 if refused else 200)


def _plan(request: TenantRequest, problem: Problem) -> str:
    """Where a plan is made of all that counts to it; "" without plans, or without the right."""
    url = place("new_plan", request.tenant)
    return f"{url}?from=problem&key={problem.fingerprint}" if url else ""
