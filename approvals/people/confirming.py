"""The way to confirm that it is you in the middle of approving, and back with what was typed.

The reason is kept in the session, never the verdict: the page is shown anew, and pressed anew.
"""

from typing import Final
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from tenants.scope import TenantRequest
from tenants.signin.views import confirmation_url

DRAFT: Final = "approvals.draft"


def send_to_confirm(
    request: TenantRequest, request_id: UUID, *, reason: str, fragment: bool
) -> HttpResponse:
    """Keep the reason, and lead to where the person confirms that it is them; then to the page."""
    request.session[DRAFT] = {"request": str(request_id), "reason": reason}
    page = reverse("approvals:request", args=[request.tenant.slug, request_id])
    url = confirmation_url(request, page)
    return HttpResponseClientRedirect(url) if fragment else redirect(url)


def draft(request: TenantRequest, request_id: UUID) -> str:
    """The reason typed before confirming, "" when there is none for this request."""
    kept = request.session.get(DRAFT, {})
    return str(kept.get("reason", "")) if kept.get("request") == str(request_id) else ""


def forget(request: TenantRequest) -> None:
    """Nothing is kept once something was decided."""
    request.session.pop(DRAFT, None)
