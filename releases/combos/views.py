"""The pages of combos: those of a tenant's task types, one of them, two side by side."""

from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import register_converter
from django.views.decorators.http import require_safe

from checkpoints.models import Combo
from checkpoints.pages.forms import title_of
from releases.combos import comparing, reading
from releases.combos.forms import AgainstForm, WhichForm
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


class DigestConverter:
    """A whole digest, as 64 hex digits."""

    regex = "[0-9a-f]{64}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(DigestConverter, "digest")


@require_safe
@tenant_page("view_runs")
def combos(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """The combos of one task type, the newest first; `?task=` says of which."""
    form = WhichForm(request.GET)
    rows = reading.listed(reading.seen_by(tenant).filter(task_type=form.task_type), tenant)
    context = {
        "form": form,
        "task": title_of(form.task_type),
        "rows": rows,
        "most": reading.MOST if len(rows) == reading.MOST else 0,
        "against": AgainstForm(rows) if len(rows) > 1 else None,
    }
    if request.GET.keys() >= {"old", "new"}:
        chosen = AgainstForm(rows, request.GET)
        if chosen.is_valid():
            pair = (chosen.cleaned_data["old"], chosen.cleaned_data["new"])
            return redirect("combo_pair", tenant.slug, *pair)
        context["against"] = chosen
    return render(request, "releases/combos/combos.html", context)


@require_safe
@tenant_page("view_runs")
def combo(request: TenantRequest, tenant: Tenant, digest: str) -> HttpResponseBase:
    """What one combo says, whole."""
    found = _combo(tenant, digest)
    manifest = reading.manifest_of(found)
    context = {
        "row": reading.listed(Combo.objects.filter(pk=found.pk), tenant)[0],
        "task": title_of(found.task_type),
        "versions": comparing.versions(manifest, manifest),
        "texts": comparing.texts(manifest).items(),
    }
    return render(request, "releases/combos/combo.html", context)


@require_safe
@tenant_page("view_runs")
def combo_pair(request: TenantRequest, tenant: Tenant, digest: str, other: str) -> HttpResponseBase:
    """Two combos side by side: which versions differ, and each text that does, line by line."""
    old, new = _combo(tenant, digest), _combo(tenant, other)
    if old.task_type != new.task_type:
        raise Http404("two task types have nothing to compare")
    rows = reading.listed(Combo.objects.filter(pk__in=[old.pk, new.pk]), tenant)
    by_id = {row.combo.pk: row for row in rows}
    context = {
        "old": by_id[old.pk],
        "new": by_id[new.pk],
        "task": title_of(old.task_type),
        "compared": comparing.compare(reading.manifest_of(old), reading.manifest_of(new)),
        "side": "below" not in request.GET,
    }
    return render(request, "releases/combos/combo_pair.html", context)


def _combo(tenant: Tenant, digest: str) -> Combo:
    """A combo that this tenant may see; any other is not found."""
    return reading.by_digest(reading.seen_by(tenant), digest)
