"""The page of a tenant's tools: how far each can be undone, and saying something else of one."""

from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from approvals.errors import ClassMovedError, ClassProofNeededError
from approvals.pages import toolclasses
from approvals.pages.toolforms import ChooseForm, ClassForm
from approvals.people import reversibility, toolnames
from tenants import access, clock
from tenants.actors import Actor
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_for, tenant_page
from tenants.signin import confirming, proofs

MANAGE: Final = "manage_tenant"
MOST_MANAGERS: Final = 5


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def tools(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """GET lists them, and with ?tool= and ?to= shows what a change would do; POST says it."""
    if request.method != "POST":
        return _page(request, tenant)
    tenant_for(request, tenant.slug, MANAGE)
    form = ClassForm(toolnames.known(tenant), request.POST)
    if not form.is_valid():
        return _page(request, tenant, form, status=422)
    given = form.cleaned_data
    try:
        said = reversibility.set_class(
            tenant,
            given["tool"],
            given["to"],
            actor=_actor(request),
            why=given["why"],
            seen=given["seen"],
        )
    except ClassProofNeededError:
        page = _address(tenant, given["tool"], given["to"])
        return confirming.send(request, page, written={"why": given["why"]})
    except ClassMovedError:
        form.add_error(None, _("Somebody has said another class meanwhile. Look again, then say."))
        return _page(request, tenant, form, status=409)
    confirming.forget(request)
    told = {"tool": said.tool, "name": toolclasses.NAMES[said.reversibility]}
    messages.success(request, _("Said of %(tool)s: %(name)s. It holds from now on.") % told)
    return redirect("approvals:tools", tenant.slug)


def _page(
    request: TenantRequest, tenant: Tenant, form: ClassForm | None = None, status: int = 200
) -> HttpResponseBase:
    lines = toolclasses.lines(tenant)
    names, given = [line.tool for line in lines], form.data if form else request.GET
    choose = ChooseForm(names, given)
    may_manage = request.access.may(tenant.pk, MANAGE)
    context = {
        "lines": lines,
        "unsaid": sum(line.said is None for line in lines),
        "history": toolclasses.history(tenant),
        "may_manage": may_manage,
        "managers": [] if may_manage else access.holders(tenant, MANAGE)[:MOST_MANAGERS],
        "is_proved": _actor(request).is_proved(clock.now()),
    }
    if may_manage and names:
        context |= _change(request, tenant, choose, form)
    return render(request, "approvals/tools.html", context, status=status)


def _change(
    request: TenantRequest, tenant: Tenant, choose: ChooseForm, form: ClassForm | None
) -> dict[str, Any]:
    """The form that chooses, and once something is chosen what follows and the form that says it."""
    if not choose.is_valid():
        known = dict(choose.fields["tool"].choices)  # type: ignore[attr-defined]
        tool = choose.data.get("tool", "")
        start = {"tool": tool} if tool in known else {}
        return {"choose": ChooseForm(list(known), initial=start)}
    tool, to = choose.cleaned_data["tool"], choose.cleaned_data["to"]
    follows = toolclasses.preview(tenant, tool, to)
    if form is None:
        kept = confirming.draft(request, _address(tenant, tool, to))
        form = ClassForm([tool], initial={"tool": tool, "to": to, **kept})
    return {"choose": choose, "preview": follows, "form": form}


def _actor(request: TenantRequest) -> Actor:
    return Actor.person(request.user, proofs.latest(request))


def _address(tenant: Tenant, tool: str, to: str) -> str:
    page = reverse("approvals:tools", args=[tenant.slug])
    return f"{page}?{urlencode({'tool': tool, 'to': to})}"
