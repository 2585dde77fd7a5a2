"""The pages of the record: is it where it was written, and what it lacks. Settling is by POST."""

from typing import Final, cast

from django.contrib import messages
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from checkpoints import stopright
from reconciliation.behind import pages, settling
from reconciliation.behind.forms import SettleForm
from reconciliation.behind.models import MissingLine
from tenants.models import Tenant, User
from tenants.scope import TenantRequest, access_of, tenant_for

RECONCILE: Final = "reconcile_actions"
SEES: Final = ("audit", "manage_tenant", RECONCILE)


@require_safe
def record(request: HttpRequest) -> HttpResponseBase:
    """Of the whole installation: for everybody who belongs to a tenant; counts of those they see."""
    rights = access_of(request)
    if not rights.rights:
        raise Http404(_("There is no such page, or it is not yours to see."))
    seen = frozenset[int]().union(*(rights.tenants(right) for right in SEES))
    everywhere = bool(stopright.who_may(None, [cast(User, request.user).pk]))
    lines, more = pages.lines(None) if everywhere else ([], 0)
    context = {
        "standing": pages.standing(),
        "tenants": pages.counted(seen),
        "lines": lines,
        "more": more,
        "everywhere": everywhere,
    }
    return render(request, "reconciliation/record.html", context)


@require_safe
def tenant_record(request: HttpRequest, tenant: str) -> HttpResponseBase:
    """What the record lacks of one tenant; for those who audit, manage or resolve there."""
    return _page(request, _tenant(request, tenant), None, None)


@require_POST
def settle_line(request: HttpRequest, tenant: str, line_id: int) -> HttpResponseBase:
    """Say what became of an effect whose run the record has lost; by whoever resolves here."""
    found = tenant_for(request, tenant, RECONCILE)
    line = MissingLine.objects.get(pk=line_id, tenant=found)
    form = SettleForm(request.POST)
    if not form.is_valid():
        return _page(request, found, line.pk, form)
    given = form.cleaned_data
    settling.settle(
        line.pk, became=given["became"], reason=given["reason"], user=cast(User, request.user)
    )
    messages.success(request, _("It is settled. Nothing was sent."))
    return redirect("reconciliation:tenant_record", found.slug)


def _tenant(request: HttpRequest, slug: str) -> Tenant:
    rights = access_of(request)
    mine = next((pk for pk, known in rights.slugs.items() if known == slug), 0)
    needed = [right for right in SEES if rights.may(mine, right)]
    return tenant_for(request, slug, needed[0] if needed else SEES[0])


def _page(
    request: HttpRequest, tenant: Tenant, wrong: int | None, form: SettleForm | None
) -> HttpResponseBase:
    after = request.GET.get("after", "")
    lines, more = pages.lines(tenant, int(after) if after.isdecimal() else 0)
    may = cast(TenantRequest, request).access.may(tenant.pk, RECONCILE)
    told = [
        (each, (form if each.line.pk == wrong else SettleForm(auto_id=f"id_{each.line.pk}_%s")))
        for each in lines
    ]
    context = {
        "standing": pages.standing(),
        "told": told,
        "more": more,
        "may_reconcile": may,
        "wrong": wrong,
    }
    return render(
        request, "reconciliation/tenant_record.html", context, status=422 if wrong else 200
    )
