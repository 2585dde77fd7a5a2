"""What the pages of requests are made of, for those who read and for those whose post came back."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from approvals import judging, queries, states
from approvals.drift import moving as drift
from approvals.drift import threeway
from approvals.errors import DamagedRequestError
from approvals.hashing import Bound
from approvals.looking import panel
from approvals.models import Approval, ApprovalRequest
from approvals.pages import deciding, facts, wording
from approvals.pages.deciding import Posted
from approvals.queries import Detail
from approvals.showing import reading
from tenants.scope import TenantRequest

NOT_ACCEPTED: Final = 422


def page(
    request: TenantRequest,
    detail: Detail,
    *,
    posted: Posted | None = None,
    status: int = 200,
    refused: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """The whole page of one request as this person sees it; a posted form comes back in its place.

    `refused`: what stands on top of it when the answer was not counted.
    """
    asked, bound = detail.request, _intact(detail.request)
    shown = reading.context(request, asked)
    column = deciding.column(request, detail, damaged=bound is None, posted=posted)
    context = {
        "section": "needs",
        "column": column,
        "facts": facts.of(asked, bound),
        "reads": reads(request),
        **shown,
        "damaged": bound is None,
        "shown": "" if column.is_open and not column.why_not else asked.state,
        "earlier": threeway.since_before(asked),
        "second_look": panel.of(asked, request.user, reads=reads(request)),
        **standing(request, detail),
        **(refused or {}),
    }
    return render(request, "approvals/request.html", context, status=status)


def not_accepted(request: TenantRequest, detail: Detail, posted: Posted) -> HttpResponse:
    """What was posted cannot be accepted as it is: the page again, or for htmx its column only."""
    if not is_fragment(request):
        return page(request, detail, posted=posted, status=NOT_ACCEPTED)
    damaged = _intact(detail.request) is None
    column = deciding.column(request, detail, damaged=damaged, posted=posted)
    context = {"column": column, "damaged": damaged, **standing(request, detail)}
    answer = render(request, "approvals/_decision.html", context, status=NOT_ACCEPTED)
    answer["HX-Retarget"], answer["HX-Reswap"] = "#decision-column", "innerHTML"
    return answer


def go_to(request: TenantRequest, name: str, *args: object) -> HttpResponse:
    """Lead on after something was done: htmx would follow a redirect unseen, so it is told."""
    return go_on(request, reverse(name, args=args))


def go_on(request: TenantRequest, url: str) -> HttpResponse:
    """The same to an address of ours."""
    return HttpResponseClientRedirect(url) if is_fragment(request) else redirect(url)


def standing(request: TenantRequest, detail: Detail) -> dict[str, Any]:
    """Where a request stands: what its page shows on top and asks for again and again."""
    asked, newer_id = detail.request, queries.newer_id(detail.request)
    is_asked_anew = newer_id is None and drift.is_asked_anew(asked)
    return {
        "asked": asked,
        "decided": detail.decisions,
        "sentence": wording.asked_anew(asked)
        if is_asked_anew
        else wording.standing(
            asked,
            yes=detail.people.yes,
            needed=detail.people.needed,
            is_replaced=newer_id is not None,
        ),
        "approval": Approval.objects.filter(pk=asked.pk).first(),
        "newer_id": newer_id,
        "is_live": asked.state in states.LIVE or is_asked_anew,
        "is_over": wording.is_over(asked),
        "drift": drift.told(asked),
        "may_ask_anew": drift.may_ask_anew(request.access.rights[asked.tenant_id]),
    }


def reads(request: TenantRequest) -> bool:
    """True if the person may see what would be sent."""
    return request.access.may(request.tenant.pk, "read_payloads")


def is_fragment(request: TenantRequest) -> bool:
    """True if htmx asks for a part of a page."""
    return bool(request.headers.get("HX-Request")) and not request.headers.get("HX-Boosted")


def _intact(asked: ApprovalRequest) -> Bound | None:
    try:
        return judging.bound_of(asked)
    except DamagedRequestError:
        return None
