"""The inbox, the pages of cases and actions, and the panel of a run's actions."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from approvals import queries as permission
from approvals.showing import values as showing
from checkpoints import states as kinds_of_case
from checkpoints.errors import IllegalMoveError
from checkpoints.models import Case, Run
from reconciliation import states, verdicts
from reconciliation.errors import VerdictRefusedError
from reconciliation.evidence import offers
from reconciliation.models import Action
from reconciliation.pages import casefacts, desk, inboxes, kinds, queries, telling
from reconciliation.pages.forms import VerdictForm
from reconciliation.tools import Unanswered
from tenants import access
from tenants.keys import seeing
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

FINAL_NEWS = 286  # htmx swaps what it gets, and asks no more
MAY_DECIDE = "reconcile_actions"
TOO_LATE = 409
NOT_ACCEPTED = 422


@require_safe
@tenant_page("view_runs")
def inbox(request: TenantRequest, tenant: Tenant) -> HttpResponse:
    """What needs a person here: one list, oldest first, its filter in the address."""
    return render(request, "reconciliation/inbox.html", inboxes.page(request))


@require_safe
@tenant_page("view_runs")
def inbox_next(request: TenantRequest, tenant: Tenant) -> HttpResponse:
    """Leads to the oldest entry this person may decide, after the one named by `after`."""
    waiting = inboxes.next_for(request)
    if waiting is None:
        messages.success(request, _("Nothing else here waits for you."))
        return redirect("inbox", tenant.slug)
    if waiting.request is not None:
        found = redirect("approvals:request", tenant.slug, waiting.id)
    elif waiting.edit is not None:
        found = redirect("edit", tenant.slug, waiting.id)
    else:
        found = redirect("reconciliation:case", tenant.slug, waiting.id)
    found["Location"] += "?onward=1"
    return found


@require_safe
@tenant_page("view_runs")
def show_case(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """The page of one case: what is wrong, what it rests on, and what may be decided."""
    return _case_page(request, queries.case_of(tenant, case_id))


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
    context = _standing(case) | {"shown": shown}
    return render(request, "reconciliation/_case_standing.html", context, status=status)


@require_POST
@tenant_page(MAY_DECIDE)
def give_verdict(request: TenantRequest, tenant: Tenant, case_id: UUID) -> HttpResponse:
    """Record one verdict. What was written stays on the page when it cannot be given."""
    case = queries.case_of(tenant, case_id)
    choice = desk.choice_of(case, request.POST.get("verdict", ""))
    if choice is None:
        raise VerdictRefusedError(_("a case like this one has no such verdict"))
    form = VerdictForm(choice, request.POST)
    if not form.is_valid():
        return _case_page(request, case, posted=form, status=NOT_ACCEPTED)
    try:
        verdicts.give(case_id, form.given(), user=request.user)
    except (VerdictRefusedError, Unanswered) as refusal:
        form.add_error(None, _sentence(str(refusal)))
        return _case_page(request, case, posted=form, status=NOT_ACCEPTED)
    except IllegalMoveError:
        case.refresh_from_db()
        return _case_page(request, case, posted=form, status=TOO_LATE)
    messages.success(request, _("You decided: %(what)s. %(follows)s") % _told(choice))
    if "onward" in request.POST:
        return redirect("inbox_next", tenant.slug)
    return redirect("reconciliation:case", tenant.slug, case_id)


@require_safe
@vary_on_headers("HX-Request")
@tenant_page("view_runs")
def run_actions(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponse:
    """The effects of one run: a panel of its page, and a page of its own."""
    run = Run.objects.defer("input").get(pk=run_id, tenant=tenant)
    found = queries.actions_of_run(run.pk, limit=queries.A_PAGE + 1)
    rows = [
        {
            "action": action,
            "code": telling.code_of(action),
            "sentence": telling.sentence(action, sent=action.sent),  # type: ignore[attr-defined]
        }
        for action in found[: queries.A_PAGE]
    ]
    moving = any(action.stands == states.DISPATCHED for action in found[: queries.A_PAGE])
    context = {
        "run": run,
        "rows": rows,
        "more": len(found) > queries.A_PAGE,
        "moving": moving,
        "section": "runs",
    }
    fragment = _is_fragment(request)
    template = "_run_actions.html" if fragment else "run_actions.html"
    return render(request, f"reconciliation/{template}", context)


@require_safe
@vary_on_headers("HX-Request")
@tenant_page("view_runs")
def show_action(request: TenantRequest, tenant: Tenant, action_id: UUID) -> HttpResponse:
    """One effect: what was asked of the world, every attempt, and what came back."""
    action = queries.action_of(tenant, action_id)
    if _is_fragment(request):
        context = _action_standing(request, action)
        status = FINAL_NEWS if action.stands == states.SETTLED else 200
        return render(request, "reconciliation/_action_standing.html", context, status=status)
    return render(request, "reconciliation/action.html", _action_page(request, action))


def _case_page(
    request: TenantRequest, case: Case, *, posted: VerdictForm | None = None, status: int = 200
) -> HttpResponse:
    action = _action(request.tenant, case)
    attempt = queries.open_attempt(action.pk) if action is not None else None
    is_open = case.decided_at is None and case.closed_at is None
    offered = desk.offers(case, attempt, posted) if is_open else []
    needs_seq = any(offer.choice.needs_seq for offer in offered)
    crashed = case.kind == kinds_of_case.CRASH_LOOP
    may_decide = request.access.may(case.tenant_id, MAY_DECIDE)
    context = {
        **_standing(case),
        "section": "needs",
        "shown": "" if is_open and may_decide else kinds.state_of(case),
        "facts": casefacts.of(case, action, attempt),
        "action": action,
        "tries": _tries(request, action) if action is not None else [],
        "interruptions": queries.interruptions(case.run_id) if crashed else [],
        "candidates": casefacts.candidates(case.run) if needs_seq else [],
        "offers": offered,
        "too_late": posted if status == TOO_LATE else None,
        "is_open": is_open,
        "onward": "onward" in request.GET or "onward" in request.POST,
        "may_decide": may_decide,
        "people": access.holders(request.tenant, MAY_DECIDE),
        **_sent(request, action),
    }
    return render(request, "reconciliation/case.html", context, status=status)


def _standing(case: Case) -> dict[str, Any]:
    offered = verdicts.CHOICES.get(case.kind, verdicts.OTHERWISE)
    labels = {choice.verdict: choice.label for choice in offered}
    return {
        "case": case,
        "pill": kinds.pill_of(case),
        "means": kinds.MEANS[case.kind],
        "given": [
            {"said": each, "label": labels.get(each.verdict, each.verdict)}
            for each in queries.verdicts_of(case)
        ],
    }


def _sent(request: TenantRequest, action: Action | None) -> dict[str, Any]:
    """The bytes as they were sent, for those who may read them."""
    reads = request.access.may(request.tenant.pk, "read_payloads")
    if action is None or not reads:
        return {"reads": reads, "parameters": None}
    content = seeing.of(action.tenant_id, action.parameters).content
    return {
        "reads": reads,
        "parameters": showing.json_part(content) or showing.text_part(content),
        "parameters_size": len(content),
        "encrypted": content != bytes(action.parameters),
    }


def _action_page(request: TenantRequest, action: Action) -> dict[str, Any]:
    return {
        **_action_standing(request, action),
        **_sent(request, action),
        "section": "runs",
        "facts": casefacts.of_action_page(action),
        "key": bytes(action.key).hex(),
        "requests": permission.of_action(action.pk),
        "evidence": offers.to(request),
    }


def _action_standing(request: TenantRequest, action: Action) -> dict[str, Any]:
    tries = _tries(request, action)
    return {
        "action": action,
        "code": telling.code_of(action),
        "sentence": telling.sentence(action, sent=len(tries)),
        "tries": tries,
        "moving": action.stands != states.SETTLED,
        "case_id": queries.open_case_about(action),
        "reads": request.access.may(request.tenant.pk, "read_payloads"),
    }


def _tries(request: TenantRequest, action: Action) -> list[dict[str, Any]]:
    reads = request.access.may(request.tenant.pk, "read_payloads")
    return [telling.told(tried, reads=reads) for tried in queries.tries_of(action)]


def _action(tenant: Tenant, case: Case) -> Action | None:
    # A case names its action by id only; one whose action is gone still has a page.
    try:
        return None if case.action_id is None else queries.action_of(tenant, case.action_id)
    except Action.DoesNotExist:
        return None


def _is_fragment(request: TenantRequest) -> bool:
    return bool(request.headers.get("HX-Request")) and not request.headers.get("HX-Boosted")


def _told(choice: verdicts.Choice) -> dict[str, str]:
    return {"what": str(choice.label), "follows": str(choice.follows)}


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
