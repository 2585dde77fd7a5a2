"""Reports of providers: upload, say what the columns mean, look at what matches and what does not."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from canonical.redaction import ours
from reconciliation.reports import files, guessing, keeping, reading, uploads
from reconciliation.reports.columns import Columns
from reconciliation.reports.errors import ReportRefusedError
from reconciliation.reports.files import Table
from reconciliation.reports.forms import ColumnsForm, UploadForm, initial_of
from reconciliation.reports.matching import ABSENT, KINDS, MATCHED
from reconciliation.reports.models import ColumnMap
from reconciliation.reports.uploads import RIGHT, Upload
from tenants import audit
from tenants.actors import Actor
from tenants.keys import hiding
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_for, tenant_page

SHOWN_ROWS = 5
PER_MINUTE = 600  # the usual rate of plans; the page of the plan changes it
LISTS = "reconciliation:reports"
DRAFT = "reconciliation:report_draft"
ONE = "reconciliation:report"


@dataclass(frozen=True)
class Read:
    """An upload as it was read, once, and how its tool's columns were said to be read before."""

    upload: Upload
    table: Table
    known: ColumnMap | None


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def reports(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """GET lists them; POST uploads one, by whoever may reconcile."""
    if request.method != "POST":
        return _list(request, tenant, UploadForm(initial={"tool": request.GET.get("tool", "")}))
    tenant_for(request, tenant.slug, RIGHT)
    form = UploadForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            uploads.lay_down(tenant, form.upload(), user=request.user)
            return redirect(DRAFT, tenant.slug)
        except ReportRefusedError as error:
            form.add_error(None, str(error))
    return _list(request, tenant, form, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page(RIGHT)
def draft(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """GET shows what was read of the upload; POST says what its columns mean, and matches it."""
    upload = uploads.waiting(tenant, request.user)
    if upload is None:
        messages.info(request, _("There is no upload that waits to be matched."))
        return redirect(LISTS, tenant.slug)
    table = files.read(upload.content)
    known = keeping.columns_of(tenant, upload.tool)
    read = Read(upload, table, known)
    if request.method != "POST":
        return _draft(request, tenant, read, ColumnsForm(table, initial=_meant(read)))
    form = ColumnsForm(table, request.POST)
    if form.is_valid():
        try:
            keeping.map_columns(tenant, upload.tool, form.columns(), user=request.user)
            report, created = keeping.take_in(tenant, upload, user=request.user)
        except ReportRefusedError as error:
            form.add_error(None, str(error))
        else:
            if not created:
                messages.info(request, _("This file was matched before; here is what it said."))
            return redirect(ONE, tenant.slug, report.pk)
    return _draft(request, tenant, read, form, status=422)


@require_POST
@tenant_page(RIGHT)
def discard(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """Throws the upload away that was not matched."""
    uploads.throw_away(tenant, user=request.user)
    messages.success(request, _("The upload is thrown away. Nothing was matched."))
    return redirect(LISTS, tenant.slug)


@require_safe
@tenant_page("view_runs")
def report(request: TenantRequest, tenant: Tenant, report_id: UUID) -> HttpResponseBase:
    """What became of each line, by kind, with the totals."""
    found = reading.of_id(tenant, report_id)
    tallies = reading.tallies(found)
    kind = request.GET.get("kind", "")
    if kind not in KINDS:
        kind = next((each.kind for each in tallies if each.number), MATCHED)
    after = request.GET.get("after", "")
    lines, more = reading.lines(found, kind, after=int(after) if after.isdecimal() else 0)
    open_now = {each.kind: each.open_now for each in tallies}
    context = {
        "report": found,
        "tallies": tallies,
        "kind": kind,
        "lines": lines,
        "older": f"?kind={kind}&after={lines[-1].line.pk}" if more else "",
        "answered": open_now[MATCHED],
        "per_minute": PER_MINUTE,
        "missing": open_now[ABSENT],
        "may_reconcile": request.access.may(tenant.pk, RIGHT),
        "may_read": request.access.may(tenant.pk, "read_payloads"),
    }
    return render(request, "reconciliation/reports/report.html", context)


@require_POST
@tenant_page("read_payloads")
def report_file(request: TenantRequest, tenant: Tenant, report_id: UUID) -> HttpResponse:
    """The file as it was uploaded. POST, because it is audited."""
    found = reading.of_id(tenant, report_id)
    content = keeping.opened(found)
    audit.record(
        tenant,
        Actor.person(request.user),
        "read_report_file",
        ours("report %(n)s", n=found.number),
        digest=hiding.text(bytes(found.digest).hex()),
    )
    ending = "json" if found.media == files.JSON else "csv"
    name = f"report-{tenant.slug}-{found.number}.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    # Never as a page: whatever a provider wrote into it.
    return HttpResponse(content, content_type="application/octet-stream", headers=headers)


def _list(
    request: TenantRequest, tenant: Tenant, form: UploadForm, *, status: int = 200
) -> HttpResponse:
    may = request.access.may(tenant.pk, RIGHT)
    context = {
        "reports": reading.newest(tenant),
        "form": form,
        "may_reconcile": may,
        "waiting": may and uploads.waits(tenant, request.user),
    }
    return render(request, "reconciliation/reports/list.html", context, status=status)


def _draft(
    request: TenantRequest, tenant: Tenant, read: Read, form: ColumnsForm, *, status: int = 200
) -> HttpResponse:
    table = read.table
    rows = table.rows[:SHOWN_ROWS] if request.access.may(tenant.pk, "read_payloads") else ()
    context: dict[str, Any] = {
        "upload": read.upload,
        "form": form,
        "number": len(table.rows),
        "columns": table.columns,
        "rows": [
            (row.number, [row.values.get(name, "") for name in table.columns]) for row in rows
        ],
        "known": read.known,
        "button": ngettext("Match %(n)s line", "Match %(n)s lines", len(table.rows))
        % {"n": f"{len(table.rows):,}"},
    }
    return render(request, "reconciliation/reports/draft.html", context, status=status)


def _meant(read: Read) -> dict[str, Any]:
    """What was said of this tool's columns before, where they are all there; else a guess."""
    if read.known is not None:
        columns = Columns.from_json(read.known.columns)
        if set(columns.named()) <= set(read.table.columns):
            return initial_of(columns)
    return initial_of(guessing.guess(read.table))
