"""What people post at a case beside a verdict, and the fragment that says who holds it."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from checkpoints import claims
from checkpoints.claims import CASE, RIGHTS
from checkpoints.desk import notes, working
from checkpoints.errors import ClaimRefusedError, HeldByAnotherError, IllegalMoveError
from checkpoints.models import Case
from reconciliation.casework import panel
from reconciliation.casework.forms import HandOverForm, NoteForm, WaitForm
from reconciliation.pages import queries
from reconciliation.verdicts.terms import words
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

MAY_WORK = RIGHTS[CASE]
HELD = 409
FINAL_NEWS = 286  # htmx swaps what it gets, and asks no more


@require_safe
@tenant_page("view_runs")
def case_work(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """Who holds the case and how old it is: the fragment its page asks for while it is open."""
    return _fragment(request, queries.case_of(tenant, case_id))


@require_POST
@tenant_page(MAY_WORK)
def claim(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """Claim the case. With `over` the page has asked, and it is taken over from whoever is."""
    case = queries.case_of(tenant, case_id)
    seen = panel.seen_of(request)

    def verb() -> object:
        if seen is None:
            return working.claim(case.pk, user=request.user)
        return working.take_over(case.pk, user=request.user, seen=seen)

    return _done(request, case, verb, _("You have claimed it."))


@require_POST
@tenant_page(MAY_WORK)
def keep_claim(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """The heartbeat of an open page, and the button of one without JavaScript."""
    case = queries.case_of(tenant, case_id)
    kept = working.keep(case, user=request.user)
    if request.headers.get("HX-Request"):
        return _fragment(request, case, status=200 if kept else HELD)
    if kept:
        messages.success(request, _("It is yours for a while longer."))
    else:
        messages.warning(request, _("You do not hold this claim any more."))
    return _back(case)


@require_POST
@tenant_page(MAY_WORK)
def release_claim(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """Release the case: somebody else may claim it."""
    case = queries.case_of(tenant, case_id)
    if working.release(case.pk, user=request.user):
        messages.success(request, _("You released it. Anybody may claim it now."))
    else:
        messages.warning(request, _("You do not hold this claim any more."))
    return _back(case)


@require_POST
@tenant_page(MAY_WORK)
def hand_case_over(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """Let a colleague hold the case, and tell them."""
    case = queries.case_of(tenant, case_id)
    able = {user.pk: user for user in claims.who_can(tenant, CASE) if user.pk != request.user.pk}
    form = HandOverForm(list(able.values()), request.POST)
    if not form.is_valid():
        return _not_accepted(request, case, form)
    colleague = able[form.cleaned_data["colleague"]]
    note = words(case, form.cleaned_data["note"])
    told = _("%(who)s holds it now, and is told.") % {"who": colleague}
    return _done(
        request,
        case,
        lambda: working.hand_over(case.pk, user=request.user, colleague=colleague, note=note),
        told,
    )


@require_POST
@tenant_page(MAY_WORK)
def write_note(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """Add a note; it stays with the case, also when that is closed."""
    case = queries.case_of(tenant, case_id)
    form = NoteForm(request.POST)
    if not form.is_valid():
        return _not_accepted(request, case, form)
    notes.write(case, words(case, form.cleaned_data["text"]), user=request.user)
    return redirect(f"{_address(case)}#story")


@require_POST
@tenant_page(MAY_WORK)
def wait_outside(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """Let the age of the case stand still while somebody outside is waited for."""
    case = queries.case_of(tenant, case_id)
    form = WaitForm(request.POST)
    if not form.is_valid():
        return _not_accepted(request, case, form)
    party, why = (words(case, form.cleaned_data[name]) for name in ("party", "why"))
    return _done(
        request,
        case,
        lambda: working.wait_outside(case.pk, party=party, why=why, user=request.user),
        _("Its age stands still from now on."),
    )


@require_POST
@tenant_page(MAY_WORK)
def wait_no_more(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """Let the age of the case go on."""
    case = queries.case_of(tenant, case_id)
    return _done(
        request,
        case,
        lambda: working.wait_no_more(case.pk, user=request.user),
        _("Its age goes on from now on."),
    )


def _done(
    request: TenantRequest, case: Case, verb: Callable[[], object], told: str
) -> HttpResponse:
    try:
        verb()
    except HeldByAnotherError as held:
        messages.warning(request, panel.sentence(held.claim))
    except (ClaimRefusedError, IllegalMoveError) as refusal:
        said = str(refusal)
        messages.warning(request, f"{said[:1].upper()}{said[1:]}.")
    else:
        messages.success(request, told)
    return _back(case)


def _not_accepted(request: TenantRequest, case: Case, form: Form) -> HttpResponse:
    # A browser does not send these without their fields: nothing that was written is lost here.
    for errors in form.errors.values():
        messages.warning(request, str(errors[0]))
    return _back(case)


def _back(case: Case) -> HttpResponse:
    return redirect(f"{_address(case)}#case-work")


def _address(case: Case) -> str:
    return reverse("reconciliation:case", args=[case.tenant.slug, case.pk])


def _fragment(request: TenantRequest, case: Case, *, status: int = 200) -> HttpResponse:
    is_over = case.decided_at is not None or case.closed_at is not None
    context = panel.work(request, case)
    status = FINAL_NEWS if is_over and status != HELD else status
    return render(request, "reconciliation/casework/_work.html", context, status=status)
