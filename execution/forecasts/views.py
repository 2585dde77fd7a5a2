"""The forecast of one run and one transition: a fragment for other pages, and a page of its own."""

from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from checkpoints.models import Run
from execution.forecasts.forecast import of
from execution.forecasts.transitions import FORK, GO_ON_FROM, RESUME, TRANSITIONS, Transition
from execution.pages.runhead import head, run_of
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


class TransitionForm(forms.Form):
    """Which transition is meant; those that start from a checkpoint name it."""

    transition = forms.ChoiceField(choices=[(each, each) for each in TRANSITIONS], required=False)
    seq = forms.IntegerField(min_value=0, required=False)

    def __init__(self, *arguments: Any, run: Run) -> None:
        super().__init__(*arguments)
        self.run = run

    def clean(self) -> dict[str, Any]:
        """A checkpoint that there is, where one is needed."""
        cleaned = super().clean() or {}
        seq = cleaned.get("seq")
        if cleaned.get("transition") in (GO_ON_FROM, FORK) and (seq is None or seq > self.run.head):
            self.add_error("seq", f"0 to {self.run.head}")
        return cleaned

    def chosen(self) -> Transition:
        """The transition; only after `is_valid`."""
        how = self.cleaned_data["transition"] or RESUME
        return Transition(how, self.cleaned_data["seq"] if how in (GO_ON_FROM, FORK) else None)


@require_safe
@vary_on_headers("HX-Request")
@tenant_page("view_runs")
def run_forecast(request: TenantRequest, tenant: Tenant, run_id: UUID) -> HttpResponse:
    """What would become of the effects of a run, before anybody presses."""
    run = run_of(tenant, run_id)
    form = TransitionForm(request.GET, run=run)
    if not form.is_valid():
        raise BadRequest("no such transition")
    context: dict[str, Any] = {"run": run, "forecast": of(run, form.chosen())}
    if request.headers.get("HX-Request"):
        return render(request, "execution/_forecast.html", context)
    return render(request, "execution/forecast.html", head(request, run, here="run") | context)
