"""The way to confirm that it is you in the middle of approving, and back with the reason typed."""

from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse

from tenants.scope import TenantRequest
from tenants.signin import confirming


def send_to_confirm(
    request: TenantRequest, request_id: UUID, *, reason: str, fragment: bool
) -> HttpResponse:
    """Keep the reason, and lead to where the person confirms that it is them; then to the page."""
    page = _page(request, request_id)
    return confirming.send(request, page, written={"reason": reason}, fragment=fragment)


def keep(request: TenantRequest, request_id: UUID, *, reason: str) -> None:
    """Keep the reason while the person opens what they have not opened yet."""
    confirming.keep(request, _page(request, request_id), {"reason": reason})


def draft(request: TenantRequest, request_id: UUID) -> str:
    """The reason typed before the person was led away, "" when there is none for this request."""
    return confirming.draft(request, _page(request, request_id)).get("reason", "")


def forget(request: TenantRequest) -> None:
    """Nothing is kept once something was decided."""
    confirming.forget(request)


def _page(request: TenantRequest, request_id: UUID) -> str:
    return reverse("approvals:request", args=[request.tenant.slug, request_id])
