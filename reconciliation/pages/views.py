"""The inbox, the pages of actions, and the panel of a run's actions."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from approvals import onward
from approvals import queries as permission
from checkpoints.models import Run
from reconciliation import states, undone
from reconciliation.evidence import offers
from reconciliation.models import Action
from reconciliation.pages import casefacts, effectpage, inboxes, queries, telling
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

FINAL_NEWS = 286  # htmx swaps what it gets, and asks no more


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
    found["Location"] += f"?onward={onward.of_kind(request)}"
    return found


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
            "code": undone.code_of(action),
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


def _action_page(request: TenantRequest, action: Action) -> dict[str, Any]:
    return {
        **_action_standing(request, action),
        **effectpage.sent(request, action),
        "section": "runs",
        "facts": casefacts.of_action_page(action),
        "key": bytes(action.key).hex(),
        "requests": permission.of_action(action.pk),
        "evidence": offers.to(request),
    }


def _action_standing(request: TenantRequest, action: Action) -> dict[str, Any]:
    tries = effectpage.tries(request, action)
    return {
        "action": action,
        "code": undone.code_of(action),
        "sentence": telling.sentence(action, sent=len(tries)),
        "undone_by": undone.by(action) if action.undone else None,  # type: ignore[attr-defined]
        "tries": tries,
        "moving": action.stands != states.SETTLED,
        "case_id": queries.open_case_about(action),
        "reads": request.access.may(request.tenant.pk, "read_payloads"),
    }


def _is_fragment(request: TenantRequest) -> bool:
    return bool(request.headers.get("HX-Request")) and not request.headers.get("HX-Boosted")
