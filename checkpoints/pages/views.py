"""The list of runs, the two questions it keeps asking, and the form that starts a run."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseStopPolling

from checkpoints import runs, states
from checkpoints.errors import (
    InputRefusedError,
    KeyReusedError,
    StoppedError,
    UnknownTaskTypeError,
)
from checkpoints.models import Run
from checkpoints.pages import runlist
from checkpoints.pages.forms import FilterForm, StartForm, title_of
from checkpoints.pages.showing import filters, newest_page, page_links, plan_query, rows
from checkpoints.pages.starting import draft_like, schemas
from tenants.actors import Actor
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

FIELD_OF: dict[type[Exception], str | None] = {
    InputRefusedError: "input",
    UnknownTaskTypeError: "task_type",
    KeyReusedError: "business_key",
    StoppedError: None,
}


@require_safe
@tenant_page("view_runs")
def list_runs(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """The runs of a tenant, newest first, as the filter in the address says."""
    form = FilterForm(request.GET)
    wanted = form.wanted()
    found = runlist.listing(tenant, wanted)
    counted = runlist.tallies(tenant, wanted) if not found.failed else {}
    context = {
        "form": form,
        "wanted": wanted,
        "rows": rows(found.runs),
        "failed": found.failed,
        "may_start": request.access.may(tenant.pk, "operate_runs"),
        "may_plan": _may_plan(request),
        "plan_query": plan_query(request.GET, wanted),
        **filters(request.GET, wanted, counted),
        **page_links(request.GET, found),
        "hidden": runlist.hidden(tenant, wanted, counted) if not found.failed else {},
    }
    return render(request, "checkpoints/run_list.html", context)


@require_safe
@tenant_page("view_runs")
def visible_runs(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """The rows a page shows, as they are now: the same ones in the same order, until all ended."""
    ids = _ids(request.GET.getlist("id"))
    shown = runlist.in_order(tenant, ids)
    over = all(run.status in states.FINAL for run in shown)
    answer = HttpResponseStopPolling if over else HttpResponse
    context = {"rows": rows(shown), "tenant": tenant, "may_plan": _may_plan(request)}
    page = render(request, "checkpoints/_run_rows.html", context)
    return answer(page.content)


@require_safe
@tenant_page("view_runs")
def new_runs(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """How many runs are newer than the newest one shown: a button, so that no row moves."""
    form = FilterForm(request.GET)
    newest = _ids(request.GET.getlist("newest"))
    count = runlist.new_since(tenant, form.wanted(), newest[0]) if newest else 0
    context = {"new": count, "most": runlist.MOST_NEW, "url": newest_page(tenant, request.GET)}
    return render(request, "checkpoints/_new_runs.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("operate_runs")
def start_run(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """The form that starts a run; a refusal keeps what was typed."""
    if request.method != "POST":
        like = draft_like(tenant, request.GET.get("like", ""), request.access)
        return _start_page(request, StartForm(initial=vars(like)), status=200)
    form = StartForm(request.POST)
    if not form.is_valid():
        return _start_page(request, form, status=422)
    try:
        run, created = runs.start(tenant, form.request(), actor=Actor.person(request.user))
    except tuple(FIELD_OF) as refusal:
        form.add_error(FIELD_OF[type(refusal)], capfirst(str(refusal)))
        return _start_page(request, form, status=422)
    _tell(request, run, created=created)
    return redirect("run", tenant.slug, run.id)


def _may_plan(request: TenantRequest) -> bool:
    rights = ("operate_runs", "reconcile_actions")
    return any(request.access.may(request.tenant.pk, right) for right in rights)


def _start_page(request: TenantRequest, form: StartForm, *, status: int) -> HttpResponse:
    context = {"form": form, "schemas": schemas(), "section": "runs"}
    return render(request, "checkpoints/start_run.html", context, status=status)


def _tell(request: TenantRequest, run: Run, *, created: bool) -> None:
    task = title_of(run.task_type)
    if created:
        messages.success(request, _("%(task)s started.") % {"task": task})
    else:
        text = _("A run with this key and this input exists already; this is it.")
        messages.info(request, text)


def _ids(given: list[str]) -> list[UUID]:
    """The ids that can be read, at most a page of them."""
    found = []
    for text in given[: runlist.ROWS]:
        try:
            found.append(UUID(text))
        except ValueError:
            continue
    return found
