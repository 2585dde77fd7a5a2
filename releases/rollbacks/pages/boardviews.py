"""The runs of a rollback and the board of its effects: lists, choices, and sign-offs."""

from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from execution.pages.people import may
from releases.beginning import RIGHT
from releases.errors import ReleaseRefusedError
from releases.rollbacks import choosing, phases, reading, signing
from releases.rollbacks.models import Rollback, RollbackRun
from releases.rollbacks.pages import telling
from releases.rollbacks.pages.forms import AcceptForm, ChooseForm, PageForm, UndoForm
from releases.rollbacks.pages.views import found
from tenants.errors import Denied
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

ROWS = 100


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def rollback_runs(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """The runs of a rollback; POST chooses what becomes of those that were ticked."""
    rollback = found(tenant, number)
    if request.method != "POST":
        return _runs(request, rollback, ChooseForm())
    _refuse(request, tenant, RIGHT)
    form = ChooseForm(request.POST)
    if not form.is_valid():
        return _runs(request, rollback, form)
    given = form.cleaned_data
    chosen = {"why": given["why"], "user": request.user}
    try:
        choosing.choose(rollback.pk, given["run"], given["choice"], **chosen)
    except ReleaseRefusedError as refusal:
        form.add_error(None, capfirst(str(refusal) or str(refusal.__doc__)))
        return _runs(request, rollback, form)
    messages.success(request, _("It is chosen; the sweeper carries it out in the fifth phase."))
    return redirect("rollback_runs", tenant.slug, number)


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def rollback_board(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Every effect of the withdrawn combo; POST accepts those that were ticked."""
    rollback = found(tenant, number)
    if request.method != "POST":
        return _board(request, rollback, AcceptForm())
    _refuse(request, tenant, RIGHT, signing.RIGHT)
    form = AcceptForm(request.POST)
    if not form.is_valid():
        return _board(request, rollback, form)
    given = form.cleaned_data
    try:
        n = signing.accept(rollback.pk, given["effect"], reason=given["reason"], user=request.user)
    except ReleaseRefusedError as refusal:
        form.add_error(None, capfirst(str(refusal) or str(refusal.__doc__)))
        return _board(request, rollback, form)
    told = ngettext("%(n)d effect is accepted.", "%(n)d effects are accepted.", n)
    messages.success(request, told % {"n": n})
    return redirect("rollback_board", tenant.slug, number)


@require_POST
@tenant_page(RIGHT)
def undo_effect(
    request: TenantRequest, tenant: Tenant, number: int, effect: int
) -> HttpResponseBase:
    """Begin the run that undoes one effect: it asks for an approval of its own."""
    _refuse(request, tenant, signing.RIGHT)
    rollback = found(tenant, number)
    rollback.effects.get(pk=effect)
    form = UndoForm(request.POST)
    why = form.cleaned_data["why"] if form.is_valid() else ""
    try:
        run = signing.compensate(rollback.pk, effect, why=why, user=request.user)
    except ReleaseRefusedError as refusal:
        wrong = capfirst(str(refusal) or str(refusal.__doc__))
        return _board(request, rollback, AcceptForm(), wrong=wrong)
    messages.success(request, _("A run that undoes it has begun; it asks for an approval."))
    return redirect("run", tenant.slug, run.pk)


def _refuse(request: TenantRequest, tenant: Tenant, *rights: str) -> None:
    for right in rights:
        if not request.access.may(tenant.pk, right):
            raise Denied(tenant.pk, right)


def _runs(request: TenantRequest, rollback: Rollback, form: ChooseForm) -> HttpResponseBase:
    kind, after = PageForm(request.GET).wanted()
    rows = rollback.runs.select_related("run", "chosen_by", "fork").defer("run__input")
    rows = rows.filter(kind=kind) if kind in phases.KINDS else rows
    listed = list(rows.filter(pk__gt=after).order_by("pk")[: ROWS + 1])
    counted = dict(rollback.runs.values_list("kind").annotate(n=Count("pk")))
    may_choose = request.access.may(rollback.tenant_id, RIGHT)
    under_way = not rollback.ended and rollback.phase != phases.PLANNED
    context = {
        **_head(rollback),
        "rows": [(row, _became(row)) for row in listed[:ROWS]],
        "next": listed[ROWS - 1].pk if len(listed) > ROWS else None,
        "filters": [
            (each, telling.KINDS[each], counted[each]) for each in phases.KINDS if counted.get(each)
        ],
        "filter": kind,
        "total": sum(counted.values()),
        "form": form if may_choose and under_way else None,
        "who": may(rollback.tenant, RIGHT, request.user),
    }
    return _rendered(request, "runs.html", context, form)


def _board(
    request: TenantRequest, rollback: Rollback, form: AcceptForm, *, wrong: str = ""
) -> HttpResponseBase:
    state, after = PageForm(request.GET).wanted()
    state = state if state in phases.EFFECT_STATES else ""
    rows = reading.on_board(rollback, state=state, after=after, most=ROWS + 1)
    counted = dict(rollback.effects.values_list("state").annotate(n=Count("pk")))
    rights = [request.access.may(rollback.tenant_id, each) for each in (RIGHT, signing.RIGHT)]
    signs = all(rights) and rollback.phase in phases.ON_THE_BOARD
    context = {
        **_head(rollback),
        "rows": [{**row, **_words(row["effect"])} for row in rows[:ROWS]],
        "next": rows[ROWS - 1]["effect"].pk if len(rows) > ROWS else None,
        "filters": [
            (each, telling.EFFECT_PILLS[each], counted[each])
            for each in phases.EFFECT_STATES
            if counted.get(each)
        ],
        "filter": state,
        "total": sum(counted.values()),
        "open_effects": rollback.effects.filter(signed_off="").count(),
        "form": form if signs else None,
        "wrong": wrong,
        "too_early": rollback.phase not in (*phases.ON_THE_BOARD, phases.CLOSED),
        "who": may(rollback.tenant, signing.RIGHT, request.user),
    }
    return _rendered(request, "board.html", context, form)


def _head(rollback: Rollback) -> dict[str, Any]:
    return {
        "rollback": rollback,
        "release": rollback.release,
        "pill": telling.pill(rollback),
        "section": "releases",
    }


def _rendered(
    request: TenantRequest, name: str, context: dict[str, Any], form: Any
) -> HttpResponseBase:
    status = 422 if form.is_bound or context.get("wrong") else 200
    return render(request, f"releases/rollbacks/{name}", context, status=status)


def _became(row: RollbackRun) -> str:
    if row.ended:
        return str(telling.BECAME[row.ended])
    if not row.choice:
        return _("nobody has chosen yet")
    return _("shall %(what)s") % {"what": telling.CHOICES[row.choice]}


def _words(effect: Any) -> dict[str, Any]:
    signed = telling.SIGNED[effect.signed_off] if effect.signed_off else ""
    return {"pill": telling.EFFECT_PILLS[effect.state], "signed": signed}
