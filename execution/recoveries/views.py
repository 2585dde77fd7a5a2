"""The page of recoveries: the three numbers over time, and the list behind each point."""

from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from execution.pages import figures, takeovers
from execution.recoveries import duplicates, reading
from execution.recoveries.charts import Value, chart
from execution.recoveries.duplicates import Stretch
from execution.recoveries.reading import Bucket
from execution.recoveries.wanted import Wanted, WantedForm
from tenants import moments
from tenants.models import Tenant
from tenants.scope import TenantRequest, tenant_page


@require_safe
@tenant_page("view_runs")
def recoveries(request: TenantRequest, tenant: Tenant) -> HttpResponseBase:
    """The three numbers of a tenant over time, per task type and combo as the address says."""
    form, now = WantedForm(request.GET), timezone.now()
    wanted = form.wanted()
    series = reading.buckets(tenant, wanted, now=now)
    total = reading.total(tenant, wanted, now=now)
    doubles = duplicates.buckets(tenant, wanted, now=now)
    context: dict[str, Any] = {
        "form": form,
        "wanted": wanted,
        "total": total,
        "rate": figures.rate(total.recovered, total.begun),
        "doubled": duplicates.total(doubles),
        "counted": chart([_counted(each, wanted) for each in series]),
        "took": chart([_took(each, wanted) for each in series]),
        "submitted": chart([_submitted(each, wanted) for each in doubles]),
        "series": [
            (each, double)
            for each, double in zip(reversed(series), reversed(doubles), strict=True)
            if each.begun or double.submissions
        ],
        "behind": [
            (each, takeovers.seconds(each)) for each in reading.behind(tenant, wanted, now=now)
        ],
        "doubles": duplicates.behind(tenant, wanted, now=now),
        "every": wanted.address(),
        "first": series[0].at,
        "last": series[-1].at,
        "looked_at": reading.LOOKED_AT,
        "effects_looked_at": duplicates.LOOKED_AT,
        "rows": reading.ROWS,
    }
    return render(request, "execution/recoveries.html", context)


def _counted(bucket: Bucket, wanted: Wanted) -> Value:
    words = _("%(at)s: %(recovered)d of %(begun)d recovered without a person") % {
        "at": moments.moment(bucket.at),
        "recovered": bucket.recovered,
        "begun": bucket.begun,
    }
    return _value(bucket, wanted, (bucket.begun, bucket.recovered), words)


def _took(bucket: Bucket, wanted: Wanted) -> Value:
    if bucket.p50 is None or bucket.p95 is None:
        words = _("%(at)s: nothing recovered") % {"at": moments.moment(bucket.at)}
    else:
        words = _("%(at)s: half within %(p50)s, 95 of 100 within %(p95)s") % {
            "at": moments.moment(bucket.at),
            "p50": moments.span(bucket.p50),
            "p95": moments.span(bucket.p95),
        }
    return _value(bucket, wanted, (bucket.p95, bucket.p50), words)


def _submitted(stretch: Stretch, wanted: Wanted) -> Value:
    words = _("%(at)s: %(stopped)d stopped, %(arrived)d arrived") % {
        "at": moments.moment(stretch.at),
        "stopped": stretch.stopped,
        "arrived": stretch.arrived,
    }
    url = f"{wanted.address(stretch.at)}#doubles-title" if stretch.submissions else ""
    heights = (stretch.submissions, stretch.arrived)
    return Value(*heights, words, url, is_here=stretch.at == wanted.at)


def _value(
    bucket: Bucket, wanted: Wanted, heights: tuple[float | None, float | None], words: str
) -> Value:
    url = f"{wanted.address(bucket.at)}#behind-title" if bucket.begun else ""
    return Value(*heights, words, url, is_here=bucket.at == wanted.at)
