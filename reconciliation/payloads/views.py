"""The page of a document's encrypted fields: marks for all, one value for whoever says why."""

from uuid import UUID

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from reconciliation.payloads.forms import RevealForm
from reconciliation.payloads.places import Place, document
from reconciliation.payloads.revealing import RIGHT, reveal
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page(RIGHT)
def encrypted(
    request: TenantRequest,
    tenant: Tenant,
    of: str,
    whose: UUID,
    number: int,
) -> HttpResponseBase:
    """GET lists what is encrypted; POST shows one value, in its answer and nowhere else."""
    found = document(tenant, Place(of, whose, number))
    fields = found.fields(tenant)
    readable = [field for field in fields if not field.erased]
    form = RevealForm(readable, request.POST if request.method == "POST" else None)
    context = {"document": found, "fields": fields, "form": form, "readable": bool(readable)}
    if not form.is_bound:
        return render(request, "reconciliation/payloads/encrypted.html", context)
    if not form.is_valid():
        return render(request, "reconciliation/payloads/encrypted.html", context, status=422)
    path, reason = form.cleaned_data["path"], form.cleaned_data["reason"]
    context |= {
        "path": path or "/",
        "value": reveal(tenant, found.place, path, user=request.user, reason=reason),
        "form": RevealForm(readable),
    }
    return render(request, "reconciliation/payloads/encrypted.html", context)
