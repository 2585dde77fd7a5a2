"""What a person reads when their decision was not counted: a page, or the news above their form."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from approvals import judging
from approvals.drift import threeway
from approvals.errors import (
    ApprovalError,
    ContradictoryDiffError,
    HashMismatchError,
    NotPermittedError,
    UnopenedError,
)
from approvals.models import ApprovalRequest
from approvals.pages import unopened
from approvals.pages.parts import is_fragment
from approvals.pages.telling import tell
from approvals.queries import Detail
from canonical.redaction import ours
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.scope import TenantRequest


def answer(
    request: TenantRequest, detail: Detail, error: ApprovalError, *, written: str, posted: str = ""
) -> HttpResponse:
    """Say why nothing was counted: a page, or for htmx the news to stand above the open form.

    `written` comes back, to be copied; `posted` is the hash the person's page carried. An error
    that is no refusal is raised again.
    """
    if isinstance(error, NotPermittedError | ContradictoryDiffError):
        audit_refusal(request, detail.request, error)
    told = context(detail, error, posted=posted)
    told |= {"asked": detail.request, "written": written, "section": "needs"}
    fragment = is_fragment(request)
    template = "approvals/_refused.html" if fragment else "approvals/refused.html"
    return render(request, template, told, status=told["told"].status)


def context(detail: Detail, error: ApprovalError, *, posted: str = "") -> dict[str, Any]:
    """What the news says: `told`, and what its template needs besides."""
    found: dict[str, Any] = {"told": tell(error), "others": detail.still_can}
    if isinstance(error, HashMismatchError):
        found |= _moved(detail.request, error, posted)
    if isinstance(error, UnopenedError):
        found |= {"unopened": unopened.named(detail.request, error.left, error.why_all)}
    return found


def audit_refusal(
    request: TenantRequest,
    asked: ApprovalRequest,
    error: NotPermittedError | ContradictoryDiffError,
) -> None:
    """After the refused verb has rolled back: the attempt is on record."""
    actor = Actor.person(request.user)
    subject = ours("request %(id)s", id=asked.pk)
    audit.refuse(request.tenant, actor, "decide", subject, code=hiding.text(error.code))


def _moved(asked: ApprovalRequest, error: HashMismatchError, posted: str) -> dict[str, Any]:
    """The three-way view: what the page showed, what is true now, and what differs, by field."""
    now = ApprovalRequest.objects.get(pk=error.request_id)
    shown = judging.shown_as(asked.action_id, posted) or (asked if asked.pk != now.pk else None)
    return threeway.refused(shown, now, error)
