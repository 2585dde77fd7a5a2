"""The ladder of a release as a page: each tool with its rung, the evidence of it, and the next step."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from checkpoints.models import RungStep
from execution.pages.people import may
from releases.beginning import RIGHT
from releases.errors import ReleaseRefusedError
from releases.ladder import climbing, forms, telling
from releases.ladder.climbing import Rung
from releases.models import Release
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

STEPS = 50


@require_safe
@tenant_page("view_runs")
def show_ladder(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Where each tool of the candidate stands, what the next rung needs, and the steps so far."""
    return _page(request, _release(tenant, number))


@require_POST
@tenant_page(RIGHT)
def step_on_ladder(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Take one tool a rung up, on what the page showed, or down."""
    release = _release(tenant, number)
    form = forms.StepForm(request.POST)
    if not form.is_valid():
        return _page(request, release, wrong=_("Say which rung, and why now."))
    try:
        made = climbing.step(release.pk, form.wanted(), user=request.user)
    except ReleaseRefusedError as refusal:
        said = capfirst(str(refusal) or str(refusal.__doc__))
        return _page(request, release, wrong=said, typed=form)
    said = _("%(tool)s stands at “%(rung)s” now.")
    messages.success(request, said % {"tool": made.tool, "rung": telling.RUNGS[made.after]})
    return redirect("release_ladder", tenant.slug, number)


def _release(tenant: Tenant, number: int) -> Release:
    related = Release.objects.select_related("tenant", "candidate", "stable")
    return related.get(tenant=tenant, number=number)


def _page(
    request: TenantRequest, release: Release, *, wrong: str = "", typed: Any = None
) -> HttpResponse:
    steps = RungStep.objects.filter(tenant=release.tenant_id, combo=release.candidate_id)
    mine = request.access.may(release.tenant_id, RIGHT)
    context = {
        "release": release,
        "wrong": wrong,
        "rungs": [
            _shown(place, rung, typed) for place, rung in enumerate(climbing.ladder(release))
        ],
        "steps": [
            (step, telling.RUNGS[step.after])
            for step in steps.select_related("made_by").order_by("-id")[:STEPS]
        ],
        "means": [(telling.RUNGS[rung], said) for rung, said in telling.MEANS.items()],
        "may": mine,
        "who": may(release.tenant, RIGHT, request.user),
        "section": "releases",
    }
    return render(request, "releases/ladder.html", context, status=422 if wrong else 200)


def _shown(place: int, rung: Rung, typed: Any) -> dict[str, Any]:
    up = forms.up(place) if rung.may_climb else None
    down = forms.down(place, rung.below) if rung.below else None
    if typed is not None and typed.cleaned_data["tool"] == rung.tool:
        form = up if up is not None and typed.cleaned_data["to"] == rung.up else down
        if form is not None:
            form.initial = {**form.initial, "why": typed.cleaned_data["why"]}
    return {
        "rung": rung,
        "stands": telling.RUNGS[rung.stands],
        "means": telling.MEANS[rung.stands],
        "next": telling.RUNGS.get(rung.up, ""),
        "climb": telling.CLIMB.get(rung.up, ""),
        "up": up,
        "down": down,
    }
