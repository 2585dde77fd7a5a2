"""The pages of states written by hand: writing one, looking at one, deciding, taking it away."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from approvals import onward
from approvals.errors import AlreadyDecidedError, DamagedRequestError, HashMismatchError
from approvals.models import EditRequest
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case
from execution.edits import deciding, ending, pages, proposing
from execution.edits.deciding import Given
from execution.edits.errors import EditRefusedError
from execution.edits.forms import LOOK, AnswerForm, WithdrawalForm
from execution.edits.pages import Posted
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.keys import vaults
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page
from tenants.signin import proofs

NOT_ACCEPTED = 422
CANNOT_BE = 409


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("reconcile_actions")
def write_edit(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """Write the state of a held run by hand: GET shows it to be changed, POST proposes it."""
    _need(request, "read_payloads")
    _need(request, "view_runs")
    case = Case.objects.select_related("run__combo", "run__tenant", "tenant").get(
        pk=case_id, tenant=tenant
    )
    with vaults.bound(tenant.pk):
        found = pages.writing_of(case, request.POST if request.method == "POST" else request.GET)
        if found.why_not or request.method != "POST":
            status = CANNOT_BE if found.why_not and request.method == "POST" else 200
            return _write_page(request, case, found, status=status)
        return _written(request, case, found)


@require_safe
@tenant_page("view_runs")
def show_edit(request: TenantRequest, tenant: Tenant, edit_id: UUID) -> HttpResponse:
    """One edit: what would change, who wrote it and why, and the decision."""
    return _edit_page(request, _edit(tenant, edit_id))


@require_POST
@tenant_page("approve_actions")
def decide_edit(request: TenantRequest, tenant: Tenant, edit_id: UUID) -> HttpResponse:
    """Record the second person's answer on the hash their page carried."""
    edit = _edit(tenant, edit_id)
    _need(request, "read_payloads")  # nobody decides about what they were not shown
    form = AnswerForm(request.POST, auto_id="answer-%s")
    if not form.is_valid():
        return _edit_page(request, edit, Posted(answer=form), status=NOT_ACCEPTED)
    given = Given(
        form.cleaned_data["verdict"], form.cleaned_data["reason"], form.cleaned_data["shown"]
    )
    actor = Actor.person(request.user, proofs.latest(request))
    try:
        deciding.decide(edit_id, given, actor=actor, user=request.user)
    except (HashMismatchError, AlreadyDecidedError, DamagedRequestError, EditRefusedError) as error:
        return _edit_page(
            request, _edit(tenant, edit_id), Posted(answer=form, error=error), CANNOT_BE
        )
    messages.success(request, str(pages.SAID[given.verdict]))
    if form.cleaned_data["onward"]:
        return redirect(onward.url(tenant, form.cleaned_data["onward"]))
    return redirect("edit", tenant.slug, edit_id)


@require_POST
@tenant_page("view_runs")
def withdraw_edit(request: TenantRequest, tenant: Tenant, edit_id: UUID) -> HttpResponse:
    """Take an edit away before it became a checkpoint."""
    edit = _edit(tenant, edit_id)
    form = WithdrawalForm(request.POST, auto_id="withdrawal-%s")
    if not pages.may_withdraw(request, edit):
        raise Denied(tenant.pk, "approve_actions")
    if not form.is_valid():
        return _edit_page(request, edit, Posted(withdrawal=form), status=NOT_ACCEPTED)
    reason, actor = form.cleaned_data["reason"], Actor.person(request.user)
    try:
        ending.withdraw(edit_id, reason=reason, actor=actor, user=request.user)
    except AlreadyDecidedError as error:
        posted = Posted(withdrawal=form, error=error)
        return _edit_page(request, _edit(tenant, edit_id), posted, CANNOT_BE)
    messages.success(request, _("You withdrew it. It will not become a checkpoint."))
    return redirect("edit", tenant.slug, edit_id)


def _written(request: TenantRequest, case: Case, found: pages.Writing) -> HttpResponse:
    form = found.form
    assert form is not None  # noqa: S101 - there is one unless the page says why not
    if not form.is_valid():
        return _write_page(request, case, found, status=NOT_ACCEPTED)
    written = form.written(found.shown)
    try:
        if request.POST.get("do") == LOOK:
            draft = proposing.look(case, written)
            return _write_page(request, case, found, diff=draft.diff)
        actor = Actor.person(request.user)
        edit = proposing.propose(case.pk, written, actor=actor, user=request.user)
    except (EditRefusedError, IllegalMoveError) as refusal:
        form.add_error(pages.field_of(refusal), pages.sentence_of(refusal))
        return _write_page(request, case, found, status=NOT_ACCEPTED)
    messages.success(request, _("You proposed it. Somebody else has to approve it now."))
    return redirect("edit", case.tenant.slug, edit.pk)


def _write_page(
    request: TenantRequest,
    case: Case,
    found: pages.Writing,
    *,
    diff: bytes | None = None,
    status: int = 200,
) -> HttpResponse:
    context = pages.writing_page(request, case, found, diff)
    return render(request, "execution/edits/write.html", context, status=status)


def _edit_page(
    request: TenantRequest, edit: EditRequest, posted: Posted | None = None, status: int = 200
) -> HttpResponse:
    context = pages.edit_page(request, edit, posted or Posted())
    return render(request, "execution/edits/edit.html", context, status=status)


def _edit(tenant: Tenant, edit_id: UUID) -> EditRequest:
    found = EditRequest.objects.select_related("run", "case", "tenant", "author")
    return found.defer("run__input").get(pk=edit_id, tenant=tenant)


def _need(request: TenantRequest, right: str) -> None:
    if not request.access.may(request.tenant.pk, right):
        raise Denied(request.tenant.pk, right)
