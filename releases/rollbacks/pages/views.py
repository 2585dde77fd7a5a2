"""The pages of a rollback: a new one, its plan and its phases; each post calls one verb."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from approvals.pages import wording
from canonical import json as canonical
from execution.pages.people import may
from reconciliation.models import Action
from releases.beginning import RIGHT
from releases.errors import ReleaseRefusedError
from releases.models import Release
from releases.rollbacks import board, decisive, ordering, phases, proposing, reading
from releases.rollbacks.errors import RollbackRefusedError
from releases.rollbacks.leaving import Group
from releases.rollbacks.models import Rollback
from releases.rollbacks.pages import telling
from releases.rollbacks.pages.forms import OrderForm, ProposeForm
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

RELATED = (
    "tenant",
    "release",
    "from_combo",
    "to_combo",
    "proposed_by",
    "started_by",
    "paused_by",
    "starts_stop",
    "effects_stop",
)


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page(RIGHT)
def new_rollback(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """What rolling a release back would do; POST stores that as a plan, and nothing moves by it."""
    related = Release.objects.select_related("tenant", "candidate", "stable")
    release = related.get(tenant=tenant, number=number)
    form = ProposeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = proposing.propose(release.pk, form.wanted(), user=request.user)
        except RollbackRefusedError as refusal:
            form.add_error(None, capfirst(_said(refusal)))
        else:
            return redirect("rollback", tenant.slug, made.number)
    context = {
        "release": release,
        "form": form,
        "hinders": _hinders(release),
        **_plan(release),
        "parts": phases.parts_differ(
            bytes(release.candidate.manifest), bytes(release.stable.manifest)
        ),
        "section": "releases",
    }
    status = 422 if form.is_bound else 200
    return render(request, "releases/rollbacks/new.html", context, status=status)


@require_safe
@tenant_page("view_runs")
def show_rollback(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Its plan before it starts, its six phases after."""
    return page(request, found(tenant, number))


@require_safe
@tenant_page("view_runs")
def rollback_progress(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """The phases alone, asked for again and again."""
    context = _standing(found(tenant, number))
    return render(request, "releases/rollbacks/_progress.html", context)


@require_POST
@tenant_page(RIGHT)
def start_rollback(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Start exactly what the page showed."""
    said = _("It is started. This page says where it stands.")
    return _ordered(request, tenant, number, ordering.start, said)


@require_POST
@tenant_page(RIGHT)
def second_rollback(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Say yes to exactly what the page showed, as the second person."""
    said = _("Your yes counts. Somebody else starts it.")
    return _ordered(request, tenant, number, ordering.second, said)


@require_POST
@tenant_page(RIGHT)
def withdraw_rollback(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Take back one that was not started."""
    said = _("It is taken back; its runs are free for others.")
    return _ordered(request, tenant, number, proposing.withdraw, said, with_digest=False)


@require_POST
@tenant_page(RIGHT)
def pause_rollback(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Nothing more of it is done for now."""
    said = _("It is paused. What is stopped stays stopped.")
    return _ordered(request, tenant, number, ordering.pause, said, with_digest=False)


@require_POST
@tenant_page(RIGHT)
def go_on_rollback(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Let it go on."""
    said = _("It goes on.")
    return _ordered(request, tenant, number, ordering.go_on, said, with_digest=False)


def found(tenant: Tenant, number: int) -> Rollback:
    """One rollback of this tenant, with what its pages name."""
    return Rollback.objects.select_related(*RELATED).get(tenant=tenant, number=number)


def page(request: TenantRequest, rollback: Rollback, *, wrong: str = "") -> HttpResponse:
    """Its page, and what was refused just now."""
    mine = request.access.may(rollback.tenant_id, RIGHT)
    planned = rollback.phase == phases.PLANNED and not rollback.ended
    second = rollback.orders.filter(said=phases.SECOND).select_related("user").first()
    context = {
        **_standing(rollback),
        **(_plan(rollback.release) if planned else {}),
        "hinders": _hinders(rollback.release) if planned else "",
        "planned": planned,
        "choices": _choices(rollback),
        "parts": canonical.loads_object(rollback.shown)["parts"],
        "orders": rollback.orders.select_related("user").order_by("pk"),
        "second": second and second.user,
        "is_mine": rollback.proposed_by_id == request.user.pk,
        "was_second": second is not None and second.user_id == request.user.pk,
        "wrong": wrong,
        "may": mine,
        "who": may(rollback.tenant, RIGHT, request.user),
        "section": "releases",
    }
    status = 422 if wrong else 200
    return render(request, "releases/rollbacks/rollback.html", context, status=status)


def _standing(rollback: Rollback) -> dict[str, Any]:
    effects = board.open_effects(rollback)
    return {
        "rollback": rollback,
        "release": rollback.release,
        "pill": telling.pill(rollback),
        "waits": telling.waits(rollback),
        "steps": telling.steps(rollback),
        "started": telling.started(rollback) if rollback.started_at else "",
        "open_effects": effects,
        "effects": rollback.effects.count(),
        "undecided": rollback.runs.filter(ended="", choice="").count(),
        "left": rollback.runs.filter(ended="").count(),
        "all_runs": rollback.runs.count(),
        "cases": reading.with_question(rollback),
        "at_work": reading.at_work(rollback),
        "rest": reading.rest(rollback) if not rollback.ended else 0,
        "under_way": rollback.phase != phases.PLANNED and not rollback.ended,
    }


def _plan(release: Release) -> dict[str, Any]:
    shown = reading.preview(release)
    return {
        "preview": shown,
        "kinds": [
            (telling.KINDS[kind], count, runs, kind) for kind, count, runs in shown.groups if count
        ],
        "left": [
            (telling.EFFECTS[each.state], telling.EFFECT_PILLS[each.state], each, _lines(each))
            for each in shown.effects
        ],
        "questions": [(each, wording.magnitude(each.magnitude)) for each in shown.questions.newest],
    }


def _hinders(release: Release) -> str:
    return capfirst(decisive.hinders(release))


def _lines(group: Group) -> list[tuple[Action, str, str]]:
    """The newest of a group: each with its size, and how it can be undone in words."""
    return [
        (each.action, wording.magnitude(each.action.magnitude), telling.undoing(each.undoing))
        for each in group.newest
    ]


def _choices(rollback: Rollback) -> list[tuple[int, Any, Any]]:
    """How many runs there are of each kind, and what it says becomes of them."""
    counted = dict(rollback.runs.values_list("kind").annotate(n=Count("pk")))
    return [
        (counted[kind], telling.KINDS[kind], telling.CHOICES[rollback.choices[kind]])
        for kind in phases.KINDS
        if kind in counted and kind in rollback.choices
    ]


def _ordered(
    request: TenantRequest,
    tenant: Tenant,
    number: int,
    verb: Callable[..., Rollback],
    said: str,
    *,
    with_digest: bool = True,
) -> HttpResponseBase:
    rollback = found(tenant, number)
    form = OrderForm(request.POST)
    digest = form.cleaned_data["digest"] if form.is_valid() else ""
    try:
        verb(rollback.pk, *([digest] if with_digest else []), user=request.user)
    except ReleaseRefusedError as refusal:
        return page(request, found(tenant, number), wrong=capfirst(_said(refusal)))
    messages.success(request, said)
    return redirect("rollback", tenant.slug, number)


def _said(refusal: ReleaseRefusedError) -> str:
    return str(refusal) or str(refusal.__doc__)
