"""Pages that show a change, and that keep who was shown which part of it. None of them decides."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import BinaryField
from django.db.models.functions import Substr
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from approvals import queries
from approvals.models import ApprovalRequest
from approvals.showing import changes, coverage, filepages, fileviews, material, shown
from approvals.showing import values as showing
from approvals.showing.filepages import FilePart
from approvals.showing.shown import Part
from approvals.showing.viewing import Look
from canonical.errors import DiffError
from canonical.windows import encoded
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


def context(request: TenantRequest, asked: ApprovalRequest) -> dict[str, Any]:
    """What the page of a request shows of its change, and how much of it this person has opened.

    Keeps what this page itself shows, and counts nothing else; who may not read the change gets
    its summary only.
    """
    look = Look.of(request.GET)
    change = changes.shown(asked, look)
    if not request.access.may(asked.tenant_id, "read_payloads"):
        return {"change": change, "parameters": None, "coverage": None}
    parameters = changes.parameters(asked, Look(whole=look.whole))
    parts = change["parts"] + (parameters["parts"] if parameters["open"] else [])
    keep(request, asked, parts)
    covered = coverage.of(asked, request.user)
    return {"change": change, "parameters": parameters, "coverage": covered}


def keep(request: TenantRequest, asked: ApprovalRequest, parts: Iterable[Part]) -> None:
    """Keep that this person is shown these parts, unless a browser only fetches ahead."""
    if is_read(request):
        shown.record(asked.pk, request.user, parts)


def is_read(request: TenantRequest) -> bool:
    """True if the answer comes before a person's eyes: no form that comes back, nothing fetched ahead."""
    return request.method == "GET" and "prefetch" not in request.headers.get("Sec-Purpose", "")


@require_safe
@vary_on_headers("HX-Request")
@tenant_page("read_payloads")
def file_lines(
    request: TenantRequest, tenant: Tenant, request_id: UUID, number: int
) -> HttpResponse:
    """One window of one file: a page of its own, or the fragment that an opened file asks for."""
    asked = _light(request_id, tenant)
    look = Look.of(request.GET)
    part = _file_part(asked, number, look)
    if part is None:
        raise Http404(_("The change has no such file."))
    keep(request, asked, [coverage.file_window(part.entry, part.window)])
    context = {"asked": asked, "section": "needs", **fileviews.as_component(asked, part, look)}
    return _answer(request, asked, "file", context)


@require_safe
@vary_on_headers("HX-Request")
@tenant_page("read_payloads")
def parameters(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """The parameters, page by page: a page, or the fragment asked for when they are opened."""
    asked = _whole(request_id, tenant)
    found = changes.parameters(asked, Look.of(request.GET))
    keep(request, asked, found["parts"])
    return _answer(request, asked, "parameters", {"asked": asked, "parameters": found})


@require_safe
@tenant_page("read_payloads")
def value(
    request: TenantRequest, tenant: Tenant, request_id: UUID, of: str, number: int
) -> HttpResponse:
    """One difference or parameter that no page shows whole: here it is, part by part."""
    asked, look = _whole(request_id, tenant), Look.of(request.GET)
    contents = {"parameters": material.parameters, "values": material.diff}
    if of not in contents:
        raise Http404(_("There is no such value."))
    content = contents[of](asked)
    values = showing.json_values(content.content, number)
    if values is None:
        raise Http404(_("There is no such value."))
    path, *both = values
    texts = [showing.text_part(encoded(text), look.part) for text in both]
    last = max(text.parts for text in texts)
    if look.part >= last:  # shown to its end
        keep(request, asked, [coverage.values_page(f"{of}/whole", content, number)])
    context = {
        "asked": asked,
        "section": "needs",
        "path": path,
        "old": texts[0] if both[0] else None,
        "new": texts[1] if both[1] else None,
        "earlier": look.address(part=look.part - 1) if look.part > 1 else "",
        "later": look.address(part=look.part + 1) if look.part < last else "",
    }
    return render(request, "approvals/value.html", context)


@require_safe
@tenant_page("read_payloads")
def whole_diff(request: TenantRequest, tenant: Tenant, request_id: UUID) -> HttpResponse:
    """The exact bytes of the diff, to be kept, not to be opened by a browser."""
    asked = _whole(request_id, tenant)
    content = material.diff(asked)
    keep(request, asked, [coverage.values_page("kept", content, 1)])
    answer = HttpResponse(content.content, content_type="application/octet-stream")
    answer["Content-Disposition"] = f'attachment; filename="{asked.action_hash[:8]}.diff"'
    return answer


def _answer(
    request: TenantRequest, asked: ApprovalRequest, name: str, context: dict[str, Any]
) -> HttpResponse:
    if request.headers.get("HX-Request") and not request.headers.get("HX-Boosted"):
        covered = coverage.of(asked, request.user)
        more = {"asked": asked, "coverage": covered, "out_of_band": True}
        answer = render(request, f"approvals/_{name}_fragment.html", context | more)
        answer["HX-Trigger"] = "part-opened"  # the button that approves hears it
        return answer
    return render(request, f"approvals/{name}.html", context | {"section": "needs"})


def _whole(request_id: UUID, tenant: Tenant) -> ApprovalRequest:
    found = ApprovalRequest.objects.select_related("run", "tenant").defer("run__input", "bound")
    return found.get(pk=request_id, tenant=tenant)


def _light(request_id: UUID, tenant: Tenant) -> ApprovalRequest:
    found = ApprovalRequest.objects.select_related("run", "tenant")
    return found.defer("run__input", *queries.HEAVY).get(pk=request_id, tenant=tenant)


def _file_part(asked: ApprovalRequest, number: int, look: Look) -> FilePart | None:
    """Of a large diff only the bytes of the window are read, once its outline is known."""
    for _again in range(2):
        about = coverage.outline_by_id(asked.pk) if asked.diff_media == changes.DIFF else None
        if about is None or not 1 <= number <= len(about.entries):
            return None
        entry = about.entries[number - 1]
        if look.part > len(entry.windows):
            return None
        at = entry.windows[look.part - 1]
        try:
            content = _bytes(asked.pk, at.from_byte, at.to_byte)
            return filepages.of_bytes(entry, look.part, content, look.view)
        except DiffError:  # the stored bytes are others than those that were read: read anew
            coverage.outline_by_id.cache_clear()
    return None


def _bytes(request_id: UUID, start: int, end: int) -> bytes:
    piece = Substr("diff", start + 1, end - start, output_field=BinaryField())
    found = ApprovalRequest.objects.filter(pk=request_id).annotate(piece=piece)
    return bytes(found.values_list("piece", flat=True).get())
