"""The pages of a release's shadows: how its twins compare, and one twin beside its live run."""

from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from checkpoints.models import Twin
from releases.models import Release
from releases.shadows import comparing, reading, showing, telling
from releases.shadows.models import Compared
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


@require_safe
@tenant_page("view_runs")
def list_shadows(request: TenantRequest, tenant: Tenant, number: int) -> HttpResponseBase:
    """Disagreements by kind, the worst first, with examples; one kind alone where it is chosen."""
    release = _release(tenant, number)
    tally = reading.tally(release)
    chosen = request.GET.get("kind", "")
    chosen = chosen if chosen in tally.kinds else ""
    context = {
        "release": release,
        "tally": tally,
        "line": telling.line(tally.kinds),
        "why_none": telling.why_none(release),
        "facts": telling.facts(tally),
        "filters": [
            {
                "status": f"twin_{kind}",
                "tally": count,
                "counted_to": None,
                "url": "?" if kind == chosen else f"?kind={kind}",
                "here": kind == chosen,
            }
            for kind, count in tally.kinds.items()
        ],
        "kinds": [_kind(release, kind, chosen, tally) for kind in _shown(tally, chosen)],
        "chosen": chosen,
        "section": "releases",
    }
    return render(request, "releases/shadows/list.html", context)


@require_safe
@tenant_page("view_runs")
def show_twin(
    request: TenantRequest, tenant: Tenant, number: int, twin_id: UUID
) -> HttpResponseBase:
    """One twin beside its live run: parameters and dry runs of each effect."""
    release = _release(tenant, number)
    twins = Twin.objects.select_related("run", "twin_of").defer("run__input", "twin_of__input")
    twin = twins.get(run=twin_id, series=release.pk, tenant=tenant)
    compared = Compared.objects.filter(run=twin.run, tenant=tenant).first()
    context = {
        "release": release,
        "twin": twin,
        "compared": compared,
        "kind": f"twin_{compared.kind}" if compared else "",
        "means": telling.MEANS[compared.kind] if compared else "",
        "effects": showing.effects(compared) if compared else [],
        "section": "releases",
    }
    return render(request, "releases/shadows/twin.html", context)


def _release(tenant: Tenant, number: int) -> Release:
    return Release.objects.get(tenant=tenant, number=number)


def _shown(tally: reading.Tally, chosen: str) -> list[str]:
    return [chosen] if chosen else [kind for kind in tally.kinds if kind != comparing.SAME]


def _kind(release: Release, kind: str, chosen: str, tally: reading.Tally) -> dict[str, Any]:
    most = reading.ROWS if chosen else reading.EXAMPLES
    rows = reading.examples(release, kind, most)
    return {
        "kind": kind,
        "pill": f"twin_{kind}",
        "means": telling.MEANS[kind],
        "rows": rows,
        "count": tally.kinds.get(kind, 0),
        "more": max(0, tally.kinds.get(kind, 0) - len(rows)),
    }
