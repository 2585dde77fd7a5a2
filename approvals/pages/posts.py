"""What people post about a request: their answer, taking it away, asking a colleague."""

from typing import Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from approvals import decisions, onward, queries, states
from approvals.decisions import Given
from approvals.errors import ApprovalError, ProofNeededError, UnopenedError
from approvals.models import HandOver
from approvals.pages import parts as pages
from approvals.pages import refusals
from approvals.pages.deciding import Posted
from approvals.pages.forms import DecisionForm, HandOverForm, TakingAwayForm
from approvals.people import confirming, handovers
from approvals.queries import Detail
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page
from tenants.signin import proofs

SAID: Final[dict[str, str | Promise]] = {
    states.APPROVE: gettext_lazy("You approved: %(what)s"),
    states.REJECT: gettext_lazy("You rejected: %(what)s"),
    states.SEND_BACK: gettext_lazy("You sent back: %(what)s"),
}


@require_POST
@tenant_page("approve_actions")
def decide(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """Record one answer on the hash the page carried."""
    detail = queries.detail(request_id, tenant_id=tenant.pk)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        return pages.not_accepted(request, detail, Posted(answer=form))
    given = form.cleaned_data
    if not pages.reads(request):  # nobody decides about what they were not shown
        raise Denied(tenant.pk, "read_payloads")
    try:
        decided = decisions.decide(
            request_id,
            Given(given["verdict"], given["reason"], given["shown"], given["without"]),
            actor=Actor.person(request.user, proofs.latest(request)),
            user=request.user,
        )
    except ProofNeededError:
        return confirming.send_to_confirm(
            request, request_id, reason=given["reason"], fragment=pages.is_fragment(request)
        )
    except UnopenedError as error:
        return _open_first(request, detail, error, form)
    except ApprovalError as error:
        posted, written = given["shown"], given["reason"]
        return refusals.answer(request, detail, error, written=written, posted=posted)
    confirming.forget(request)
    messages.success(request, str(SAID[given["verdict"]]) % {"what": decided.describe})
    if given["onward"]:
        return pages.go_on(request, onward.url(tenant, given["onward"]))
    return pages.go_to(request, "approvals:request", tenant.slug, request_id)


@require_POST
@tenant_page("view_runs")
def withdraw(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """Withdraw an approval that no effect has used."""
    detail = queries.detail(request_id, tenant_id=tenant.pk)
    _need_a_hand(request, tenant)
    form = TakingAwayForm(request.POST, auto_id="taking-away-%s")
    if not form.is_valid():
        return pages.not_accepted(request, detail, Posted(taking_away=form))
    reason, actor = form.cleaned_data["reason"], Actor.person(request.user)
    try:
        decisions.withdraw_approval(request_id, actor=actor, reason=reason)
    except ApprovalError as error:
        return refusals.answer(request, detail, error, written=reason)
    messages.success(request, _("You withdrew the approval. Nothing is sent under it."))
    return pages.go_to(request, "approvals:request", tenant.slug, request_id)


@require_POST
@tenant_page("approve_actions")
def take_back(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """Take one's own yes back while the request waits for others."""
    detail = queries.detail(request_id, tenant_id=tenant.pk)
    form = TakingAwayForm(request.POST, auto_id="taking-away-%s")
    if not form.is_valid():
        return pages.not_accepted(request, detail, Posted(taking_away=form))
    reason, actor = form.cleaned_data["reason"], Actor.person(request.user)
    try:
        decisions.take_back(request_id, actor=actor, user=request.user, reason=reason)
    except ApprovalError as error:
        return refusals.answer(request, detail, error, written=reason)
    messages.success(request, _("You took your yes back. It does not count any more."))
    return pages.go_to(request, "approvals:request", tenant.slug, request_id)


@require_POST
@tenant_page("view_runs")
def hand_over(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """Ask a colleague to decide."""
    detail = queries.detail(request_id, tenant_id=tenant.pk)
    _need_a_hand(request, tenant)
    colleagues = [user for user in detail.still_can if user.pk != request.user.pk]
    form = HandOverForm(colleagues, request.POST)
    if not form.is_valid():
        return pages.not_accepted(request, detail, Posted(hand_over=form))
    given, user = form.cleaned_data, request.user
    colleague = next(each for each in colleagues if each.pk == given["colleague"])
    try:
        handovers.hand_over(
            request_id,
            actor=Actor.person(user),
            user=user,
            colleague=colleague,
            note=given["note"],
        )
    except ApprovalError as error:
        return refusals.answer(request, detail, error, written=given["note"])
    told = _("You asked %(who)s to decide. You can still decide yourself.")
    messages.success(request, told % {"who": colleague})
    return pages.go_to(request, "approvals:request", tenant.slug, request_id)


@require_POST
@tenant_page("view_runs")
def take_hand_over_back(
    request: TenantRequest, tenant: Tenant, request_id: UUID, hand_over_id: UUID
) -> HttpResponse:
    """Take one's own asking back."""
    detail = queries.detail(request_id, tenant_id=tenant.pk)
    given = HandOver.objects.select_related("given_to").get(pk=hand_over_id, request=request_id)
    try:
        handovers.take_back(given.pk, actor=Actor.person(request.user), user=request.user)
    except ApprovalError as error:
        return refusals.answer(request, detail, error, written="")
    messages.success(request, _("You no longer ask %(who)s to decide.") % {"who": given.given_to})
    return pages.go_to(request, "approvals:request", tenant.slug, request_id)


def _open_first(
    request: TenantRequest, detail: Detail, error: UnopenedError, form: DecisionForm
) -> HttpResponse:
    """The page again with what is left to open on top, and all that was typed where it was."""
    reason = form.cleaned_data["reason"]
    confirming.keep(request, detail.request.pk, reason=reason)
    if pages.is_fragment(request):
        return refusals.answer(request, detail, error, written=reason)
    refused = refusals.context(detail, error)
    return pages.page(request, detail, posted=Posted(answer=form), status=409, refused=refused)


def _need_a_hand(request: TenantRequest, tenant: Tenant) -> None:
    """Taking permission away and asking for it are open to those who give it and who stop effects."""
    if not request.access.rights[tenant.pk] & decisions.MAY_WITHDRAW:
        raise Denied(tenant.pk, "approve_actions")
