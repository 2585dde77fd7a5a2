"""The pages of releases: those of a tenant, a new one, one with its moves; each post calls one verb."""

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from checkpoints.models import Combo, Route
from releases import beginning, moving
from releases.beginning import RIGHT
from releases.combos import reading
from releases.errors import ReleaseRefusedError
from releases.models import Release
from releases.pages import showing, telling
from releases.pages.forms import BeginForm, MoveForm, OrderForm
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

ROWS: Final = 100


@require_safe
@tenant_page("view_runs")
def list_releases(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """What new runs get per task type, and the releases, newest first."""
    routes = Route.objects.filter(tenant=tenant).select_related("stable", "candidate")
    found = Release.objects.filter(tenant=tenant).select_related("candidate", "stable", "begun_by")
    context = {
        "routes": [
            (route, telling.percent(route.share), telling.percent(route.share_of_critical))
            for route in routes.defer("stable__manifest", "candidate__manifest").order_by(
                "task_type"
            )[:ROWS]
        ],
        "releases": showing.of_each(
            list(found.defer("candidate__manifest", "stable__manifest").order_by("-number")[:ROWS])
        ),
        "may": request.access.may(tenant.pk, RIGHT),
        "section": "releases",
    }
    return render(request, "releases/list.html", context)


@require_safe
@tenant_page("view_runs")
def task_releases(request: TenantRequest, tenant: Tenant, task_type: str) -> HttpResponseBase:
    """One task type: its arms and their shares, the gates of its release, and all its moves."""
    return render(request, "releases/task.html", showing.of_task(request, tenant, task_type))


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page(RIGHT)
def new_release(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """POST begins a release: nobody gets its candidate by that."""
    combos = _combos(tenant)
    form = BeginForm(combos, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            release = beginning.begin(tenant, form.wanted(), user=request.user)
        except ReleaseRefusedError as refusal:
            form.add_error(None, capfirst(str(refusal)))
        else:
            return redirect("release", tenant.slug, release.number)
    context = {"form": form, "combos": combos, "section": "releases"}
    return render(request, "releases/new.html", context, status=422 if form.is_bound else 200)


@require_safe
@tenant_page("view_runs")
def show_release(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Where it stands, the move that waits, what could be next, and what was."""
    return _page(request, _release(tenant, number))


@require_POST
@tenant_page(RIGHT)
def propose_move(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Propose the next move; it is made by a press of its own, on what is shown then."""
    release = _release(tenant, number)
    form = MoveForm(showing.kinds_of(release), request.POST)
    if not form.is_valid():
        return _page(request, release, form=form)
    try:
        moving.propose(release.pk, form.wanted(), user=request.user)
    except ReleaseRefusedError as refusal:
        return _page(request, release, form=form, wrong=capfirst(str(refusal)))
    return redirect("release", tenant.slug, number)


@require_POST
@tenant_page(RIGHT)
def make_move(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Make exactly the move that the page showed."""
    said = _("The release was moved.")
    return _ordered(
        request, tenant, number, lambda pk, digest: moving.make(pk, digest, user=request.user), said
    )


@require_POST
@tenant_page(RIGHT)
def second_move(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Say yes to exactly what the page showed, as the second person."""
    said = _("Your yes counts. Somebody else makes the move.")
    return _ordered(
        request,
        tenant,
        number,
        lambda pk, digest: moving.second(pk, digest, user=request.user),
        said,
    )


@require_POST
@tenant_page(RIGHT)
def withdraw_move(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Take the open move back."""
    said = _("The move is taken back.")
    return _ordered(
        request, tenant, number, lambda pk, _: moving.withdraw(pk, user=request.user), said
    )


def _release(tenant: Tenant, number: int) -> Release:
    related = Release.objects.select_related(
        "tenant", "candidate", "stable", "begun_by", "policy_from__said_by"
    )
    return related.get(tenant=tenant, number=number)


def _combos(tenant: Tenant) -> dict[str, Combo]:
    found = reading.seen_by(tenant).defer("manifest").order_by("-pk")[:ROWS]
    return {combo.hex: combo for combo in found}


def _ordered(
    request: TenantRequest,
    tenant: Tenant,
    number: int,
    verb: Callable[[Any, str], object],
    said: str,
) -> HttpResponseBase:
    release = _release(tenant, number)
    form = OrderForm(request.POST)
    if not form.is_valid() or not release.moves.filter(pk=form.cleaned_data["move"]).exists():
        return _page(
            request, release, wrong=_("That is no move of this release; load the page again.")
        )
    try:
        verb(form.cleaned_data["move"], form.cleaned_data["digest"])
    except ReleaseRefusedError as refusal:
        # Refused because it moved meanwhile, perhaps: the page shows where it stands by now.
        said = capfirst(str(refusal) or str(refusal.__doc__))
        return _page(request, _release(tenant, number), wrong=said)
    messages.success(request, said)
    return redirect("release", tenant.slug, number)


def _page(
    request: TenantRequest, release: Release, *, form: MoveForm | None = None, wrong: str = ""
) -> HttpResponse:
    asked = showing.Asked(form, wrong)
    status = 422 if asked.is_refused else 200
    context = showing.context(request, release, asked)
    return render(request, "releases/release.html", context, status=status)
