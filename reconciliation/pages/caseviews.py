"""The page of a case, and what people post there: a verdict, a yes or no to one, a step back."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from approvals import onward
from checkpoints.desk import working
from checkpoints.errors import HeldByAnotherError, IllegalMoveError
from checkpoints.models import Case, ProposedVerdict, Verdict
from reconciliation import verdicts
from reconciliation.casework import panel
from reconciliation.errors import VerdictRefusedError
from reconciliation.pages import casepage, desk, kinds, queries
from reconciliation.pages.casepage import MAY_DECIDE, TOO_LATE, Refused
from reconciliation.pages.forms import ReasonForm, VerdictForm
from reconciliation.tools import Unanswered
from reconciliation.verdicts import Choice
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

FINAL_NEWS = 286  # htmx swaps what it gets, and asks no more


@require_safe
@tenant_page("view_runs")
def show_case(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """The page of one case: what is wrong, what it rests on, and what may be decided."""
    return _page(request, queries.case_of(tenant, case_id))


@require_safe
@tenant_page("view_runs")
def case_standing(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """Where the case stands: the fragment its page asks for until it is closed.

    `?shown` is the state of a page on which nobody can be writing: it is made anew when it moved.
    """
    case, shown = queries.case_of(tenant, case_id), request.GET.get("shown", "")
    if shown and shown != kinds.state_of(case):
        return HttpResponse(headers={"HX-Refresh": "true"})
    status = FINAL_NEWS if case.closed_at is not None else 200
    context = casepage.standing(case) | {"shown": shown}
    return render(request, "reconciliation/_case_standing.html", context, status=status)


@require_POST
@tenant_page(MAY_DECIDE)
def give_verdict(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """Record one verdict. What was written stays on the page when it cannot be given."""
    case = queries.case_of(tenant, case_id)
    choice = desk.choice_of(case, request.POST.get("verdict", ""))
    if choice is None:
        raise VerdictRefusedError(_("a case like this one has no such verdict"))
    form = VerdictForm(choice, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, case, Refused(form))
    try:
        seen = panel.seen_of(request)
        if seen is not None:  # the button said so
            working.take_over(case_id, user=request.user, seen=seen)
        made = verdicts.give(case_id, form.given(), user=request.user)
    except (VerdictRefusedError, Unanswered) as refusal:
        form.add_error(None, _sentence(str(refusal)))
        return _page(request, case, Refused(form))
    except HeldByAnotherError as held:
        form.add_error(None, panel.sentence(held.claim))
        return _page(request, case, Refused(form))
    except IllegalMoveError:
        case.refresh_from_db()
        return _page(request, case, Refused(form, TOO_LATE))
    _tell(request, choice, made)
    if "onward" in request.POST:
        return redirect(onward.url(tenant, onward.of(request)))
    return redirect("reconciliation:case", tenant.slug, case_id)


@require_POST
@tenant_page(MAY_DECIDE)
def answer_proposal(
    request: TenantRequest, tenant: Tenant, case_id: UUID, proposal_id: UUID
) -> HttpResponse:
    """Agree on exactly what somebody proposed, or say no to it (one's own is withdrawn)."""
    case = queries.case_of(tenant, case_id)
    proposal = ProposedVerdict.objects.get(pk=proposal_id, case=case)
    form = ReasonForm(request.POST, of="decline", required=False)
    form.is_valid()
    if request.POST.get("answer") == "agree":
        terms = request.POST.get("terms", "")
        return _done(
            request,
            case,
            form,
            lambda: verdicts.agree(proposal.pk, terms=terms, user=request.user),
            _("You agreed. It takes effect now."),
        )
    reason = form.cleaned_data.get("reason", "")
    return _done(
        request,
        case,
        form,
        lambda: verdicts.decline(proposal.pk, reason=reason, user=request.user),
        _("The proposal has ended. The case is open as before."),
    )


@require_POST
@tenant_page(MAY_DECIDE)
def take_back(
    request: TenantRequest, tenant: Tenant, case_id: UUID, verdict_id: UUID
) -> HttpResponse:
    """Take a verdict back, with a reason: the case is open again, or one about it is."""
    case = queries.case_of(tenant, case_id)
    verdict = Verdict.objects.get(pk=verdict_id, case=case)
    form = ReasonForm(request.POST, of="take-back")
    if not form.is_valid():
        return _page(request, case, Refused(form))
    reason = form.cleaned_data["reason"]
    try:
        opened = verdicts.supersede(verdict.pk, reason=reason, user=request.user)
    except (VerdictRefusedError, IllegalMoveError) as refusal:
        form.add_error(None, _sentence(str(refusal)))
        case.refresh_from_db()
        return _page(request, case, Refused(form))
    messages.success(request, _("The verdict is taken back. The run is on hold."))
    return redirect("reconciliation:case", tenant.slug, opened.pk)


def _done(
    request: TenantRequest,
    case: Case,
    form: ReasonForm,
    verb: Callable[[], object],
    said: str,
) -> HttpResponse:
    try:
        verb()
    except (VerdictRefusedError, Unanswered, IllegalMoveError) as refusal:
        form.add_error(None, _sentence(str(refusal)))
        case.refresh_from_db()
        return _page(request, case, Refused(form))
    except HeldByAnotherError as held:
        form.add_error(None, panel.sentence(held.claim))
        return _page(request, case, Refused(form))
    messages.success(request, said)
    return redirect("reconciliation:case", request.tenant.slug, case.pk)


def _page(request: TenantRequest, case: Case, refused: Refused | None = None) -> HttpResponse:
    context = casepage.context(request, case, refused=refused)
    status = 200 if refused is None else refused.status
    return render(request, "reconciliation/case.html", context, status=status)


def _tell(request: TenantRequest, choice: Choice, made: Verdict | ProposedVerdict) -> None:
    told = {"what": str(choice.label), "follows": str(choice.follows)}
    if isinstance(made, ProposedVerdict):
        said = _("You proposed: %(what)s. Nothing follows before somebody else agrees.")
    else:
        said = _("You decided: %(what)s. %(follows)s")
    messages.success(request, said % told)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
