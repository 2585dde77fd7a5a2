"""What people post when a question is not about what would happen now: ask anew, or look again."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from approvals import queries, states
from approvals.drift import moving as drift
from approvals.errors import ApprovalError
from approvals.pages import parts as pages
from approvals.pages import refusals
from tenants.actors import Actor
from tenants.errors import Denied
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


@require_POST
@tenant_page("view_runs")
def dry_run_again(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """Have the dry run made again; what moved becomes a question of its own."""
    detail = queries.detail(request_id, tenant_id=tenant.pk)
    if not drift.may_ask_anew(request.access.rights[tenant.pk]):
        raise Denied(tenant.pk, "approve_actions")
    try:
        asked = drift.dry_run_again(request_id, actor=Actor.person(request.user), user=request.user)
    except ApprovalError as error:
        return refusals.answer(request, detail, error, written="")
    if asked.state == states.OPEN:
        messages.success(request, _("It is being looked at. This page says what is found."))
    else:
        messages.success(
            request, _("The dry run is being made again. The new question opens from here.")
        )
    return pages.go_to(request, "approvals:request", tenant.slug, request_id)
