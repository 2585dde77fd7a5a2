"""The page of problems by combo."""

from typing import Final

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from checkpoints.pages.forms import title_of
from execution.plans.kinds.contract import OPERATE, RECONCILE
from releases.matrix import reading
from releases.matrix.forms import ChoiceForm, task_of
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page

PLANS: Final = (OPERATE, RECONCILE)


@require_safe
@tenant_page("view_runs")
def problem_matrix(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """Which problem came with which combo; `?task=` and `?combo=` say which are compared."""
    task_type = task_of(request.GET)
    combos = reading.offered(tenant, task_type)
    form = ChoiceForm(request.GET, combos)
    context = {
        "form": form,
        "task_type": task_type,
        "task": title_of(task_type),
        "matrix": reading.matrix(tenant, task_type, form.chosen),
        "may_plan": any(request.access.may(tenant.pk, right) for right in PLANS),
        "section": "releases",
    }
    return render(request, "releases/matrix.html", context)
