"""The posts that send business keys by hand; each calls one verb."""

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from releases.beginning import RIGHT
from releases.errors import ReleaseRefusedError
from releases.overrides import setting
from releases.overrides.forms import EndForm, SendForm
from releases.pages import showing
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


@require_POST
@tenant_page(RIGHT)
def send_keys(request: TenantRequest, tenant: Tenant, task_type: str) -> HttpResponseBase:
    """Send the keys that were typed to one arm."""
    form = SendForm(request.POST)
    if not form.is_valid():
        return _page(request, tenant, task_type, form)
    try:
        sent = setting.send(tenant, form.wanted(task_type), user=request.user)
    except ReleaseRefusedError as refusal:
        form.add_error(None, capfirst(str(refusal)))
        return _page(request, tenant, task_type, form)
    said = ngettext("%(n)d key is sent by hand.", "%(n)d keys are sent by hand.", len(sent))
    messages.success(request, said % {"n": len(sent)})
    return redirect("task_releases", tenant.slug, task_type)


@require_POST
@tenant_page(RIGHT)
def end_key(request: TenantRequest, tenant: Tenant, task_type: str) -> HttpResponseBase:
    """Let the shares decide about a key again."""
    form = EndForm(request.POST)
    if form.is_valid():
        try:
            setting.end(tenant, form.cleaned_data["override"], user=request.user)
        except ReleaseRefusedError as refusal:
            messages.error(request, capfirst(str(refusal)))
        else:
            messages.success(request, _("The shares decide about it again."))
    return redirect("task_releases", tenant.slug, task_type)


def _page(
    request: TenantRequest, tenant: Tenant, task_type: str, form: SendForm
) -> HttpResponseBase:
    context = showing.of_task(request, tenant, task_type) | {"send": form}
    return render(request, "releases/task.html", context, status=422)
