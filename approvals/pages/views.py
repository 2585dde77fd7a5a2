"""Pages of requests: what would happen, who may allow it, and what became of it."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from approvals import queries, states
from approvals.pages import deciding
from approvals.pages import parts as pages
from approvals.queries import Detail
from checkpoints.models import Run
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

FINAL_NEWS = 286  # htmx swaps what it gets, and asks no more
NOTHING_NEW = 204


@require_safe
@tenant_page("view_runs")
def show(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """The page of one request: open ones with the decision, closed ones with what was decided."""
    return pages.page(request, queries.detail(request_id, tenant_id=tenant.pk))


@require_safe
@tenant_page("view_runs")
def standing(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """Where the request stands: the fragment its page asks for until nothing can change.

    `?beside` is the same news for the decision column, which asks when this one says so. `?shown`
    is the state of a page on which nobody can be writing: such a page is made anew when it moved.
    `?drift` is what the page says of the newest look; `?approving` the button that follows it.
    """
    detail = queries.detail(request_id, tenant_id=tenant.pk, light=True)
    context = pages.standing(request, detail)
    if "approving" in request.GET:
        return _approving(request, detail, context)
    shown = context["shown"] = request.GET.get("shown", "")
    if shown and shown != context["asked"].state:
        return HttpResponse(headers={"HX-Refresh": "true"})
    if "beside" in request.GET:
        return render(request, "approvals/_news.html", context)
    status = 200 if context["is_live"] else FINAL_NEWS
    answer = render(request, "approvals/_standing.html", context, status=status)
    news = _news(request.GET.get("drift"), context)
    if news:
        answer["HX-Trigger"] = news
    return answer


@require_safe
@vary_on_headers("HX-Request")
@tenant_page("view_runs")
def run_requests(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponse:
    """What people were asked for one run: a panel of its page, and a page of its own."""
    run = Run.objects.defer("input").get(pk=run_id, tenant=tenant)
    asked = queries.of_run(run.pk, limit=queries.MOST_OF_RUN + 1)
    context = {
        "run": run,
        "requests": asked[: queries.MOST_OF_RUN],
        "more": len(asked) > queries.MOST_OF_RUN,
        "section": "runs",
    }
    fragment = pages.is_fragment(request)
    template = "approvals/_run_requests.html" if fragment else "approvals/run_requests.html"
    return render(request, template, context)


def _news(shown_drift: str | None, context: dict[str, Any]) -> str:
    """The event for the rest of the page, "" when nothing it shows is old."""
    if context["asked"].state != states.OPEN or context["is_over"]:
        return "request-closed"
    told = context["drift"]
    is_news = told is not None and shown_drift not in (None, told.verdict)
    return "request-moved" if is_news else ""


def _approving(request: TenantRequest, detail: Detail, context: dict[str, Any]) -> HttpResponse:
    """The button that approves, for a form that is open already; nothing when it may not be."""
    column = deciding.column(request, detail, damaged=False)
    if not column.is_open or column.why_not or column.mine:
        return HttpResponse(status=NOTHING_NEW)
    return render(request, "approvals/_drift_approve.html", context | {"column": column})
