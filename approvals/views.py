"""Pages of requests: what would happen, who may allow it, and what became of it."""

from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from approvals import (
    changes,
    deciding,
    decisions,
    facts,
    judging,
    queries,
    refusals,
    states,
    wording,
)
from approvals.errors import ApprovalError, DamagedRequestError
from approvals.forms import DecisionForm, TakingAwayForm
from approvals.hashing import Bound
from approvals.models import Approval, ApprovalRequest
from approvals.queries import Detail
from checkpoints.models import Run
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

FINAL_NEWS = 286  # htmx swaps what it gets, and asks no more

SAID: Final[dict[str, str | Promise]] = {
    states.APPROVE: gettext_lazy("You approved: %(what)s"),
    states.REJECT: gettext_lazy("You rejected: %(what)s"),
    states.SEND_BACK: gettext_lazy("You sent back: %(what)s"),
}


@require_GET
@tenant_page("view_runs")
def show(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """The page of one request: open ones with the decision, closed ones with what was decided."""
    return _page(request, queries.detail(request_id, tenant_id=tenant.pk))


@require_GET
@tenant_page("view_runs")
def standing(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """Where the request stands: the fragment its page asks for until nothing can change.

    `?beside` is the same news for the decision column, which asks when this one says so. `?shown`
    is the state of a page on which nobody can be writing: such a page is made anew when it moved.
    """
    context = _standing(queries.detail(request_id, tenant_id=tenant.pk, light=True))
    shown = context["shown"] = request.GET.get("shown", "")
    if shown and shown != context["asked"].state:
        return HttpResponse(headers={"HX-Refresh": "true"})
    if "beside" in request.GET:
        return render(request, "approvals/_news.html", context)
    status = 200 if context["is_live"] else FINAL_NEWS
    answer = render(request, "approvals/_standing.html", context, status=status)
    if context["asked"].state != states.OPEN:
        answer["HX-Trigger"] = "request-closed"
    return answer


@require_GET
@tenant_page("read_payloads")
def whole_diff(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """The exact bytes of the diff, to be kept, not to be opened by a browser."""
    asked = queries.detail(request_id, tenant_id=tenant.pk).request
    answer = HttpResponse(bytes(asked.diff), content_type="application/octet-stream")
    answer["Content-Disposition"] = f'attachment; filename="{asked.action_hash[:8]}.diff"'
    return answer


@require_GET
@vary_on_headers("HX-Request")
@tenant_page("read_payloads")
def file_lines(
    request: TenantRequest, tenant: Tenant, request_id: UUID, number: int
) -> HttpResponse:
    """The lines of one file of a diff: a page of its own, or the fragment that an opened file asks for."""
    asked = queries.detail(request_id, tenant_id=tenant.pk).request
    part = changes.file_part(asked, number, first=_number(request, "from", 0))
    if part is None:
        raise Http404(_("The change has no such file."))
    template = "components/diff_lines.html" if _is_fragment(request) else "approvals/file.html"
    context = {"asked": asked, "part": part, "section": "needs"}
    return render(request, template, context | changes.as_component(asked, part))


@require_POST
@tenant_page("approve_actions")
def decide(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """Record one answer on the hash the page carried."""
    detail = queries.detail(request_id, tenant_id=tenant.pk)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        return _page(request, detail, form=form, status=422)
    given = form.cleaned_data
    if not _reads(request):  # nobody decides about what they were not shown
        raise Denied(tenant.pk, "read_payloads")
    try:
        decided = decisions.decide(
            request_id,
            actor=Actor.person(request.user),
            user=request.user,
            verdict=given["verdict"],
            reason=given["reason"],
            posted_hash=given["shown"],
        )
    except ApprovalError as error:
        posted, written = given["shown"], given["reason"]
        return refusals.answer(request, detail, error, written=written, posted=posted)
    messages.success(request, str(SAID[given["verdict"]]) % {"what": decided.describe})
    if given["onward"]:
        return redirect("inbox_next", tenant.slug)
    return redirect("approvals:request", tenant.slug, request_id)


@require_POST
@tenant_page("view_runs")
def withdraw(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """Withdraw an approval that no effect has used."""
    detail = queries.detail(request_id, tenant_id=tenant.pk)
    if not request.access.rights[tenant.pk] & decisions.MAY_WITHDRAW:
        raise Denied(tenant.pk, "approve_actions")
    form = TakingAwayForm(request.POST, auto_id="taking-away-%s")
    if not form.is_valid():
        return _page(request, detail, taking_away=form, status=422)
    reason, actor = form.cleaned_data["reason"], Actor.person(request.user)
    try:
        decisions.withdraw_approval(request_id, actor=actor, reason=reason)
    except ApprovalError as error:
        return refusals.answer(request, detail, error, written=reason)
    messages.success(request, _("You withdrew the approval. Nothing is sent under it."))
    return redirect("approvals:request", tenant.slug, request_id)


@require_POST
@tenant_page("approve_actions")
def take_back(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """Take one's own yes back while the request waits for others."""
    detail = queries.detail(request_id, tenant_id=tenant.pk)
    form = TakingAwayForm(request.POST, auto_id="taking-away-%s")
    if not form.is_valid():
        return _page(request, detail, taking_away=form, status=422)
    reason, actor = form.cleaned_data["reason"], Actor.person(request.user)
    try:
        decisions.take_back(request_id, actor=actor, user=request.user, reason=reason)
    except ApprovalError as error:
        return refusals.answer(request, detail, error, written=reason)
    messages.success(request, _("You took your yes back. It does not count any more."))
    return redirect("approvals:request", tenant.slug, request_id)


@require_GET
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
    fragment = _is_fragment(request)
    template = "approvals/_run_requests.html" if fragment else "approvals/run_requests.html"
    return render(request, template, context)


def _page(
    request: TenantRequest,
    detail: Detail,
    *,
    form: DecisionForm | None = None,
    taking_away: TakingAwayForm | None = None,
    status: int = 200,
) -> HttpResponse:
    asked, bound = detail.request, _intact(detail.request)
    column = deciding.column(
        request, detail, damaged=bound is None, form=form, taking_away=taking_away
    )
    context = {
        "section": "needs",
        "column": column,
        "facts": facts.of(asked, bound),
        "change": changes.shown(
            asked, page=_number(request, "files", 1), part=_number(request, "part", 1)
        ),
        "reads": _reads(request),
        "parameters": changes.parameters(asked) if _reads(request) else None,
        "damaged": bound is None,
        "shown": "" if column.is_open and not column.why_not else asked.state,
        **_standing(detail),
    }
    return render(request, "approvals/request.html", context, status=status)


def _standing(detail: Detail) -> dict[str, Any]:
    asked, newer_id = detail.request, queries.newer_id(detail.request)
    return {
        "asked": asked,
        "decided": detail.decisions,
        "sentence": wording.standing(
            asked,
            yes=detail.standing,
            needed=detail.requirement.approvers,
            is_replaced=newer_id is not None,
        ),
        "approval": Approval.objects.filter(pk=asked.pk).first(),
        "newer_id": newer_id,
        "is_live": asked.state in states.LIVE,
    }


def _intact(asked: ApprovalRequest) -> Bound | None:
    try:
        return judging.bound_of(asked)
    except DamagedRequestError:
        return None


def _reads(request: TenantRequest) -> bool:
    return request.access.may(request.tenant.pk, "read_payloads")


def _is_fragment(request: TenantRequest) -> bool:
    return bool(request.headers.get("HX-Request")) and not request.headers.get("HX-Boosted")


def _number(request: TenantRequest, name: str, default: int) -> int:
    given = request.GET.get(name, "")
    return (
        int(given)
        if given.isascii() and given.isdigit() and len(given) < len("10000000")
        else default
    )
