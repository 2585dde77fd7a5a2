"""The demo's own pages: what to try, the plug, and what really arrived in the outside world."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from approvals import decisions, states
from approvals.decisions import Given
from approvals.errors import UnopenedError
from approvals.models import ApprovalRequest
from approvals.showing import coverage
from checkpoints import events
from config.demo import outside, people, plugs, things, told, unknown
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import hiding
from tenants.models import Tenant, User
from tenants.scope import access_of, tenant_for
from tenants.signin.links import links_work_for

LAST_NEWS = 286  # htmx swaps what it gets, and asks no more

View = Callable[..., HttpResponse]


def demo_only(view: View) -> View:
    """Nowhere but on a demo installation, asked from the machine itself: else there is no page."""

    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.KEDGE_DEMO or not links_work_for(request):
            raise Http404(_("There is no such page, or it is not yours to see."))
        return view(request, *args, **kwargs)

    return page


@require_safe
@demo_only
def show(request: HttpRequest) -> HttpResponse:
    """The things to try, for who operates the demo's first tenant."""
    tenant = _tenant(request)
    found = things.now()
    context = {
        "things": found,
        "unopened": _unopened(request, found.plug),
        "to_come": unknown.still_to_come(),
        "approver": people.APPROVER.name,
        "has_desk": settings.DESK is not None,
        **_plugged(tenant),
    }
    return render(request, "demo/demo.html", context)


@require_safe
@demo_only
def plugged(request: HttpRequest) -> HttpResponse:
    """What became of the runs whose plug was pulled: the fragment that the page asks for."""
    context = _plugged(_tenant(request))
    status = 200 if context["goes_on"] else LAST_NEWS
    return render(request, "demo/_plugged.html", context, status=status)


@require_POST
@demo_only
def pull_the_plug(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """Approve the push as it was shown, and let its worker die right after it."""
    tenant = _tenant(request)
    if not access_of(request).may(tenant.pk, "read_payloads"):
        raise Denied(tenant.pk, "read_payloads")
    asked = next((each for each in things.open_pushes() if each.pk == request_id), None)
    if asked is None:
        messages.info(request, _("This push is decided already. Nothing was changed."))
        return redirect("demo")
    try:
        _approve(asked, request.user, request.POST.get("shown", ""))
    except UnopenedError:
        messages.info(request, _("Read the diff first, then pull the plug. Nothing was changed."))
        return redirect("approvals:request", tenant.slug, asked.pk)
    return redirect("demo")


@require_safe
def outside_world(request: HttpRequest) -> HttpResponse:
    """What arrived, beside what was asked: read from remotes and mailbox, for tenants in view."""
    if not settings.KEDGE_DEMO:
        raise Http404(_("There is no such page, or it is not yours to see."))
    access = access_of(request)
    if not access.rights:
        raise Http404(_("There is no such page, or it is not yours to see."))
    context = outside.page(access, only_doubled=request.GET.get("only") == "doubled")
    context["may_try"] = _may_try(request)
    fragment = request.headers.get("HX-Request") and not request.headers.get("HX-Boosted")
    return render(request, "demo/_world.html" if fragment else "demo/world.html", context)


def _approve(asked: ApprovalRequest, user: Any, shown: str) -> None:
    assert isinstance(user, User)  # noqa: S101 - nobody else gets past the sign-in
    actor = Actor.person(user)
    with plugs.armed(asked) as first:
        decisions.decide(asked.pk, Given(states.APPROVE, "", shown), actor=actor, user=user)
    if first:
        events.append(asked.run_id, "plug armed", actor, at=hiding.text(plugs.BOUNDARY))


def _unopened(request: HttpRequest, asked: ApprovalRequest | None) -> int:
    """How much of the push that person has not opened yet: nobody says yes to it before."""
    if asked is None or not isinstance(request.user, User):
        return 0
    return coverage.of(asked, request.user).unopened


def _tenant(request: HttpRequest) -> Tenant:
    return tenant_for(request, people.HARBOUR, "operate_runs")


def _may_try(request: HttpRequest) -> bool:
    """Whether the person has the demo page; asked without making it a page of that tenant."""
    access = access_of(request)
    operated = access.tenants("operate_runs")
    is_theirs = any(access.slugs[tenant_id] == people.HARBOUR for tenant_id in operated)
    return is_theirs and links_work_for(request)


def _plugged(tenant: Tenant) -> dict[str, Any]:
    found = told.of(tenant)
    return {"plugged": found, "goes_on": any(not each.is_over for each in found)}
