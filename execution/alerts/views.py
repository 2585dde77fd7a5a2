"""Alert rules of a tenant: which there are, what went off, and who may change them."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from checkpoints import states
from checkpoints.errors import IllegalMoveError
from checkpoints.pages.forms import title_of
from checkpoints.registry import agents
from execution.alerts import keeping
from execution.alerts.keeping import RIGHT, Wanted
from execution.alerts.models import AMOUNT, MINUTES, RECIPIENTS, RUNS, UNKNOWN, Alarm, AlertRule
from execution.problems import wording
from execution.problems.models import Problem
from execution.problems.stuck import STUCK
from tenants import pills
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_for, tenant_page

SHOWN = 50
WORDS = {
    RUNS: gettext_lazy("runs"),
    UNKNOWN: gettext_lazy("outcomes nobody knows"),
    AMOUNT: gettext_lazy("amount, in the smallest unit of its currency"),
    RECIPIENTS: gettext_lazy("recipients"),
    MINUTES: gettext_lazy("minutes since a person was needed"),
}
LARGEST = 2**53


class AlertForm(forms.Form):
    """When somebody is told."""

    measure = forms.ChoiceField(
        label=gettext_lazy("When a problem has"), choices=list(WORDS.items())
    )
    over = forms.IntegerField(label=gettext_lazy("more than"), min_value=0, max_value=LARGEST)
    kind = forms.ChoiceField(label=gettext_lazy("Kind of problem"), required=False)
    task_type = forms.ChoiceField(label=gettext_lazy("Task type"), required=False)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        kinds = [(kind, pills.reason_words(kind)) for kind in (*states.CASE_KINDS, STUCK)]
        self._choose("kind", [("", _("every")), *kinds])
        names = [(name, name) for name in sorted(agents().GRAPHS)]
        self._choose("task_type", [("", _("every")), *names])

    def _choose(self, name: str, choices: Any) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = choices


@require_http_methods(["GET", "HEAD", "POST"])
@tenant_page("view_runs")
def alerts(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """GET lists them; POST makes one, by whoever manages the tenant."""
    if request.method != "POST":
        return _page(request, tenant, AlertForm())
    tenant_for(request, tenant.slug, RIGHT)
    form = AlertForm(request.POST)
    if not form.is_valid():
        return _page(request, tenant, form)
    try:
        keeping.make(tenant, Wanted(**form.cleaned_data), user=request.user)
    except IllegalMoveError as error:
        form.add_error(None, str(error))
        return _page(request, tenant, form)
    messages.success(request, _("The rule is made. It is looked at every half minute."))
    return redirect("alerts", tenant.slug)


@require_POST
@tenant_page(RIGHT)
def end_alert(request: TenantRequest, tenant: Tenant, rule_id: int) -> HttpResponseBase:
    """Ends one; what it told of stays in the list."""
    rule = AlertRule.objects.select_related("tenant").get(tenant=tenant, pk=rule_id)
    if keeping.end(rule, user=request.user):
        messages.success(request, _("The rule is ended. Nobody is told by it any more."))
    return redirect("alerts", tenant.slug)


def _page(request: TenantRequest, tenant: Tenant, form: AlertForm) -> HttpResponseBase:
    live = AlertRule.objects.filter(tenant=tenant, ended_at=None).select_related("made_by")
    found = Alarm.objects.filter(rule__tenant=tenant).select_related("rule").order_by("-id")
    alarms = list(found[:SHOWN])
    names = _names(tenant, alarms)
    context = {
        "rules": [_told(rule) for rule in live.order_by("pk")[: keeping.MOST_RULES]],
        "alarms": [(each, _told(each.rule), names.get(each.fingerprint, "")) for each in alarms],
        "form": form,
        "may_manage": request.access.may(tenant.pk, RIGHT),
    }
    status = 422 if form.is_bound else 200
    return render(request, "execution/alerts.html", context, status=status)


def _names(tenant: Tenant, alarms: Sequence[Alarm]) -> dict[str, str]:
    """What each problem is, in words, by fingerprint."""
    asked = {alarm.fingerprint for alarm in alarms}
    problems = Problem.objects.filter(tenant=tenant, fingerprint__in=asked)
    return {
        each.fingerprint: f"{wording.kind(each)}{wording.APART}{title_of(each.task_type)}"
        for each in problems
    }


def _told(rule: AlertRule) -> dict[str, Any]:
    return {
        "rule": rule,
        "measure": WORDS[rule.measure],
        "kind": pills.reason_words(rule.kind) if rule.kind else "",
    }
