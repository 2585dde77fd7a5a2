"""The audit page: reads only; taking a copy along is audited itself."""

from tempfile import SpooledTemporaryFile
from typing import Any, Final

from django.http import FileResponse, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page
from tenants.trail import reading
from tenants.trail.forms import NAMES, FilterForm, written
from tenants.trail.reading import Wanted
from tenants.trail.showing import row_of
from tenants.trail.spreadsheets import FORMATS

MOST_EXPORTED: Final = 200_000
IN_MEMORY: Final = 2**22


@require_safe
@tenant_page("audit")
def show_audit(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """The rows of a tenant, newest first, as the filter in the address says."""
    return _page(request, tenant, request.GET)


@require_POST
@tenant_page("audit")
def export_audit(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """The rows that match the filter as a file; more than fit are refused, none is left out."""
    wanted = _form(tenant, request.POST).wanted()
    kind = request.POST.get("format", "")
    if kind not in FORMATS:
        kind = "csv"
    file: Any = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed by the response
    count = _write(file, tenant, wanted, kind)
    if count > MOST_EXPORTED:
        file.close()
        return _page(request, tenant, request.POST, too_many=True)
    given = {name: request.POST.get(name, "") for name in NAMES}
    audit.record(
        tenant,
        Actor.person(request.user),
        "export_audit",
        hiding.text(f"tenant:{tenant.slug}"),
        rows=count,
        format=hiding.text(kind),
        **{name: hiding.text(value).first(200) for name, value in given.items() if value},
    )
    file.seek(0)
    name = f"audit-{tenant.slug}-{timezone.now():%Y%m%d-%H%M%S}.{kind}"
    return FileResponse(file, as_attachment=True, filename=name, content_type=FORMATS[kind][0])


def _write(file: Any, tenant: Tenant, wanted: Wanted, kind: str) -> int:
    """Written whole before it is sent: a file that broke off would look complete."""
    count = 0

    def counted() -> Any:
        nonlocal count
        for row in reading.every(tenant, wanted):
            count += 1
            if count > MOST_EXPORTED:
                return
            yield row

    for line in FORMATS[kind][1](counted()):
        file.write(line.content)
    return count


def _form(tenant: Tenant, query: QueryDict) -> FilterForm:
    return FilterForm(query, reading.verbs(tenant))


def _page(
    request: TenantRequest, tenant: Tenant, query: QueryDict, *, too_many: bool = False
) -> HttpResponse:
    form = _form(tenant, query)
    wanted = form.wanted()
    found = reading.page(tenant, wanted)
    here = reverse("audit", args=[tenant.slug])
    # Who may not open what a row is about gets no link to it.
    slug = tenant.slug if request.access.may(tenant.pk, "view_runs") else ""
    kept = {name: str(query[name]) for name in NAMES if query.get(name)}
    context = {
        "form": form,
        "wanted": wanted,
        "here": here,
        "rows": [row_of(row, slug) for row in found.rows],
        "failed": found.failed,
        "standing": reading.standing(tenant),
        "kept": kept,
        "too_many": MOST_EXPORTED if too_many else 0,
        "pager": {
            "shown": len(found.rows),
            "total": None,
            "at": timezone.now(),
            "newer_url": _address(here, kept) if wanted.before else "",
            "older_url": _address(here, kept, before=written(found.older)) if found.older else "",
        },
    }
    return render(request, "tenants/audit.html", context, status=422 if too_many else 200)


def _address(here: str, kept: dict[str, str], **more: str) -> str:
    query = QueryDict(mutable=True)
    query.update({**kept, **more})
    return f"{here}?{query.urlencode()}" if query else here
