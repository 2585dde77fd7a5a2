"""Evidence as a download. POST, because it is audited: nothing that fetches links leaves a row."""

from uuid import UUID

from django.http import HttpResponse
from django.utils.text import slugify
from django.views.decorators.http import require_POST

from reconciliation.evidence import offers
from reconciliation.evidence.exporting import export
from reconciliation.evidence.snapshots import About
from reconciliation.pages import queries
from tenants.actors import Actor
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


@require_POST
@tenant_page("view_runs")
def action_evidence(request: TenantRequest, tenant: Tenant, action_id: UUID) -> HttpResponse:
    """The evidence of one effect; without payloads for who may not read them."""
    return download(request, About.action(queries.action_of(tenant, action_id)))


def download(request: TenantRequest, about: About) -> HttpResponse:
    """The evidence as a file, for who may take it along. Raises `Denied`, `EvidenceNotReady`."""
    offer = offers.demanded(request)
    content = export(about, actor=Actor.person(request.user), whole=offer.whole)
    name = f"evidence-{slugify(about.tenant.slug)}-{about.kind}-{about.id}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="application/json", headers=headers)
