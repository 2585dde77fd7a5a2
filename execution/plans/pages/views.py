"""The pages of plans: the list, a new one, review and progress; each post calls one verb."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseStopPolling

from execution.pages.people import may
from execution.plans import drafting, ordering, sizes, sources, states
from execution.plans.errors import NumberNotTypedError, PlanRefusedError
from execution.plans.kinds import kind_of
from execution.plans.kinds.contract import OPERATE, RECONCILE
from execution.plans.models import Plan
from execution.plans.ordering import Order
from execution.plans.pages import telling
from execution.plans.pages.forms import DraftForm, ItemsForm, OrderForm
from execution.plans.sources import Chosen
from tenants.errors import Denied
from tenants.models import Tenant, User
from tenants.scope import TenantRequest, tenant_page

ROWS = 50
Verb = Callable[..., Plan]
SAID = {
    ordering.start: gettext_lazy("The plan is started. This page says what becomes of each run."),
    ordering.stop: gettext_lazy("The plan is stopped. What is done stays done."),
    ordering.second: gettext_lazy("Your yes counts. Somebody else starts it."),
    ordering.discard: gettext_lazy("The plan is discarded. Its runs are free for others."),
}


@require_safe
@tenant_page("view_runs")
def list_plans(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """The plans of a tenant, newest first, page by page."""
    before = ItemsForm({"after": request.GET.get("before")}).wanted()[2]
    found = Plan.objects.filter(tenant=tenant).select_related("drafted_by", "started_by")
    found = found.filter(number__lt=before) if before else found
    plans = list(found.order_by("-number")[: ROWS + 1])
    shown = plans[:ROWS]
    older = f"?before={shown[-1].number}" if len(plans) > ROWS else ""
    pager = {"shown": len(shown), "newer_url": "", "older_url": older, "total": None}
    context = {
        "plans": [(plan, telling.sentence(plan), telling.progress(plan)) for plan in shown],
        "pager": {**pager, "at": timezone.now()},
        "section": "runs",
    }
    return render(request, "plans/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def new_plan(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """What was chosen, by the address; POST drafts a plan over exactly that."""
    if not any(request.access.may(tenant.pk, right) for right in (OPERATE, RECONCILE)):
        raise Denied(tenant.pk, OPERATE)
    chosen = sources.chosen(tenant, request.GET)
    kinds = _permitted(request, chosen)
    if request.method != "POST":
        return _new_page(request, chosen, DraftForm(kinds=kinds))
    form = DraftForm(request.POST, kinds=kinds)
    if not form.is_valid():
        return _new_page(request, chosen, form)
    try:
        plan = drafting.draft(tenant, form.draft(chosen), user=request.user)
    except PlanRefusedError as refusal:
        form.add_error(None, capfirst(str(refusal)))
        return _new_page(request, chosen, form)
    return redirect("plan", tenant.slug, plan.number)


@require_safe
@tenant_page("view_runs")
def show_plan(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """The review of a plan, or what became of it."""
    return _plan_page(request, _plan(tenant, number))


@require_safe
@tenant_page("view_runs")
def plan_progress(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Where it stands: asked for again until it moves no more; a page that is over is made anew."""
    plan = _plan(tenant, number)
    if request.GET.get("state", plan.state) != plan.state:
        return HttpResponse(headers={"HX-Refresh": "true"})
    page = render(request, "plans/_progress.html", _standing(plan)).content
    over = plan.state in states.FINAL and not plan.unproven
    return HttpResponseStopPolling(page) if over else HttpResponse(page)


@require_safe
@tenant_page("view_runs")
def plan_items(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Each run of a plan with what becomes of it, in order, page by page."""
    plan = _plan(tenant, number)
    result, code, after = ItemsForm(request.GET).wanted()
    found = plan.items.filter(position__gt=after).order_by("position").select_related("run")
    found = found.filter(state=result) if result else found
    found = found.filter(code=code) if code else found
    items = list(found[: telling.ROWS + 1])
    shown = items[: telling.ROWS]
    more = (
        f"?result={result}&code={code}&after={shown[-1].position}"
        if len(items) > len(shown)
        else ""
    )
    pager = {"shown": len(shown), "newer_url": "", "older_url": more, "total": None}
    context = {
        "plan": plan,
        "what": telling.sentence(plan),
        "rows": telling.rows(shown),
        "figures": telling.figures(plan),
        "result": result,
        "words": telling.words_of(code) if code else "",
        "pager": {**pager, "at": timezone.now()},
        "section": "runs",
    }
    return render(request, "plans/items.html", context)


@require_POST
@tenant_page("view_runs")
def start_plan(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Start it, or let it go on: exactly what the page showed, with the number typed above 100."""
    return _ordered(request, _plan(tenant, number), ordering.start)


@require_POST
@tenant_page("view_runs")
def stop_plan(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Carry nothing more of it out."""
    return _ordered(request, _plan(tenant, number), ordering.stop)


@require_POST
@tenant_page("view_runs")
def second_plan(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Say yes to exactly what the page showed, as the second person."""
    return _ordered(request, _plan(tenant, number), ordering.second)


@require_POST
@tenant_page("view_runs")
def discard_plan(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """End it without what is left."""
    return _ordered(request, _plan(tenant, number), ordering.discard)


def _plan(tenant: Tenant, number: int) -> Plan:
    related = Plan.objects.select_related("tenant", "drafted_by", "started_by", "seconded_by")
    return related.get(tenant=tenant, number=number)


def _permitted(request: TenantRequest, chosen: Chosen) -> list[str]:
    """The kinds that make sense and that this person may plan; the one asked for comes first."""
    mine = [
        name for name in chosen.kinds if request.access.may(request.tenant.pk, kind_of(name).right)
    ]
    if not mine:
        raise Denied(request.tenant.pk, kind_of(chosen.kinds[0]).right)
    return sorted(mine, key=lambda name: name != request.GET.get("kind"))


def _new_page(request: TenantRequest, chosen: Chosen, form: DraftForm) -> HttpResponse:
    context = {"chosen": chosen, "form": form, "count": len(chosen.targets), "section": "runs"}
    status = 422 if form.is_bound else 200
    return render(request, "plans/new.html", context, status=status)


def _ordered(request: TenantRequest, plan: Plan, verb: Verb) -> HttpResponseBase:
    form = OrderForm(request.POST)
    order = form.order() if form.is_valid() else Order("")
    if not form.is_valid():
        return _plan_page(request, plan, wrong=_("That is not a number that can be used here."))
    try:
        verb(plan.pk, order, user=request.user)
    except NumberNotTypedError:
        told = _("Type how many it is: %(n)d.") % {"n": plan.planned}
        return _plan_page(request, plan, wrong=told)
    messages.success(request, str(SAID[verb]))
    return redirect("plan", plan.tenant.slug, plan.number)


def _plan_page(request: TenantRequest, plan: Plan, *, wrong: str = "") -> HttpResponse:
    right = kind_of(plan.kind).right
    user: User = request.user
    planned = sizes.by_class(plan, states.PLANNED)
    context = {
        **_standing(plan),
        "wrong": wrong,
        "may": request.access.may(plan.tenant_id, right),
        "who": may(plan.tenant, right, user),
        "typed": plan.planned > states.TYPED_ABOVE,
        "is_mine": user.pk in (plan.drafted_by_id, plan.started_by_id),
        "planned": telling.classes(plan, states.PLANNED, planned),
        "together": telling.in_words(sizes.together(planned.values())),
        "left_out": telling.classes(plan, states.LEFT_OUT, sizes.by_class(plan, states.LEFT_OUT)),
        "foreseen": telling.foreseen(plan),
        "orders": plan.orders.select_related("user").order_by("-id")[:20],
        "section": "runs",
    }
    return render(request, "plans/plan.html", context, status=422 if wrong else 200)


def _standing(plan: Plan) -> dict[str, object]:
    return {
        "plan": plan,
        "what": telling.sentence(plan),
        "button": telling.button(plan),
        "progress": telling.progress(plan),
        "figures": telling.figures(plan),
        "seconds": telling.lasts(plan),
        "taken": plan.total - plan.left_out,
        "carried": plan.total - plan.left_out - plan.planned,
        "worked_out": plan.total - plan.waiting,
    }
