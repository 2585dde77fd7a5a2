"""Stopping and lifting: one person stops, two lift; each view calls one verb."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseStopPolling

from checkpoints import liftings
from checkpoints.errors import ProofNeededError
from checkpoints.models import Lifting
from checkpoints.scopes import Scope
from execution.pages import stopping, stopscopes
from execution.pages.forms import LiftForm, StopForm
from execution.pages.people import may
from reconciliation.stopping import stop as stop_now
from tenants import clock
from tenants.actors import Actor
from tenants.models import Tenant
from tenants.scope import TenantRequest, access_of, show_all, tenant_for, tenant_page
from tenants.signin import confirming, proofs

STOPPED = {
    "effects": gettext_lazy(
        "No more effects are sent. This page says what was out, and what became of it."
    ),
    "new_runs": gettext_lazy("New runs are stopped. What runs goes on."),
}


@require_safe
def where_to_stop(request: HttpRequest) -> HttpResponseBase:
    """From pages of no one tenant: at which tenant, or everywhere."""
    rights = access_of(request)
    mine = Tenant.objects.filter(pk__in=rights.tenants("view_runs")).order_by("name")
    context = {
        "found": mine[: stopping.MOST],
        "everywhere": stopscopes.may_everywhere(request.user),  # type: ignore[arg-type]
    }
    return render(request, "execution/where_to_stop.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def stop(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """GET says what is out and what stands; POST stops effects or new runs of a scope."""
    given = request.POST if request.method == "POST" else None
    if given is not None:
        tenant_for(request, tenant.slug, "operate_runs")
    form = StopForm(given, choices=stopscopes.choices(tenant, everywhere=_everywhere(request)))
    if request.method == "POST" and form.is_valid():
        lock, scope = form.cleaned_data["lock"], form.scope(tenant)
        actor = Actor.person(request.user)
        made = stop_now(scope, lock, why=form.cleaned_data["reason"], actor=actor)
        messages.success(request, str(STOPPED[lock]))
        return redirect(_place(tenant, made.pk))
    return _stop_page(request, form)


@require_safe
@tenant_page("view_runs")
def stop_calls(request: TenantRequest, tenant: Tenant, stop_id: int) -> HttpResponseBase:
    """What became of the calls that were out; asks no more when all are known."""
    everywhere = _everywhere(request)
    each = stopping.in_force(tenant, stop_id, everywhere=everywhere)
    page = render(request, "execution/_caught.html", {"each": each}).content
    return HttpResponse(page) if each.still_out else HttpResponseStopPolling(page)


@require_POST
@tenant_page("operate_runs")
def lift_stop(request: TenantRequest, tenant: Tenant, stop_id: int) -> HttpResponseBase:
    """Propose to lift a stop, with a reason and a pace; somebody else confirms it."""
    everywhere = _everywhere(request)
    standing = stopping.own_stop(tenant, stop_id)
    form = LiftForm(request.POST, prefix=f"lift-{stop_id}")
    if not form.is_valid():
        choices = stopscopes.choices(tenant, everywhere=everywhere)
        return _stop_page(request, StopForm(choices=choices), lifting={stop_id: form})
    given, actor = form.cleaned_data, _lifter(request)
    try:
        liftings.propose(standing.pk, why=given["reason"], per_minute=given["pace"], actor=actor)
    except ProofNeededError:
        written = {"stop": str(stop_id), "reason": given["reason"], "pace": str(given["pace"])}
        return confirming.send(request, _place(tenant, stop_id), written=written)
    confirming.forget(request)
    messages.success(request, _("You propose to lift the stop. Somebody else has to confirm it."))
    return redirect("stop", tenant.slug)


@require_POST
@tenant_page("operate_runs")
def confirm_lifting(
    request: TenantRequest, tenant: Tenant, stop_id: int, lifting_id: int
) -> HttpResponseBase:
    """The second person: the stop is lifted, and what waited goes on at the pace proposed."""
    _everywhere(request)
    lifting = _lifting_of(tenant, stop_id, lifting_id)
    try:
        liftings.confirm(lifting.pk, actor=_lifter(request))
    except ProofNeededError:
        return confirming.send(request, _place(tenant, stop_id), written={})
    messages.success(request, _("The stop is lifted. What waited for it goes on, bit by bit."))
    return redirect("stop", tenant.slug)


@require_POST
@tenant_page("operate_runs")
def withdraw_lifting(
    request: TenantRequest, tenant: Tenant, stop_id: int, lifting_id: int
) -> HttpResponseBase:
    """Take a proposal to lift back: the stop stays."""
    _everywhere(request)
    lifting = _lifting_of(tenant, stop_id, lifting_id)
    liftings.withdraw(lifting.pk, actor=Actor.person(request.user))
    messages.success(request, _("The proposal is withdrawn. The stop stays."))
    return redirect("stop", tenant.slug)


def _everywhere(request: TenantRequest) -> bool:
    """Whether this person may stop everything; if so this page is shown the calls of all tenants."""
    everywhere = stopscopes.may_everywhere(request.user)
    if everywhere:
        show_all(request)
    return everywhere


def _lifter(request: TenantRequest) -> Actor:
    return Actor.person(request.user, proofs.latest(request))


def _place(tenant: Tenant, stop_id: int) -> str:
    return f"{reverse('stop', args=[tenant.slug])}#stop-{stop_id}"


def _lift_form(request: TenantRequest, stop_id: int) -> LiftForm:
    """Empty, or as it was written before the person confirmed that it is them."""
    kept = confirming.draft(request, _place(request.tenant, stop_id))
    mine = kept if kept.get("stop") == str(stop_id) else {}
    return LiftForm(prefix=f"lift-{stop_id}", initial=mine)


def _lifting_of(tenant: Tenant, stop_id: int, lifting_id: int) -> Lifting:
    return Lifting.objects.get(pk=lifting_id, stop=stopping.own_stop(tenant, stop_id))


def _stop_page(
    request: TenantRequest, form: StopForm, lifting: dict[int, LiftForm] | None = None
) -> HttpResponseBase:
    tenant, given = request.tenant, lifting or {}
    everywhere = _everywhere(request)
    standing = [
        (each, given.get(each.stop.pk) or _lift_form(request, each.stop.pk))
        for each in stopping.standing(tenant, everywhere=everywhere)
    ]
    value = form.chosen(request.GET.get("where", stopscopes.HERE))
    scope = stopscopes.scope_of(value, tenant)
    same = [each.stop for each, _form in standing if Scope.of_stop(each.stop) == scope]
    context = {
        "form": form,
        "chosen": value,
        "is_wide": value == stopscopes.HERE,
        "standing": standing,
        "going_on": stopping.going_on(tenant),
        "locks": {each.lock for each in same},
        "scene": stopping.scene(scope),
        "counted_to": stopping.COUNTED_TO,
        "may_operate": request.access.may(tenant.pk, "operate_runs"),
        "everywhere": everywhere,
        "is_proved": _lifter(request).is_proved(clock.now()),
        "who": may(tenant, "operate_runs", request.user),
    }
    wrong = form.is_bound or bool(given)
    return render(request, "execution/stop.html", context, status=422 if wrong else 200)
