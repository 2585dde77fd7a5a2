"""The System page: is this installation well, as far as the web process can tell by itself."""

from django.db.models import Q
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from checkpoints.models import Stop
from execution.pages import machine, workers
from reconciliation.credentials import warning as credentials
from reconciliation.doors import lines as doors
from tenants.scope import access_of

MOST_STOPS = 50


@require_safe
def system(request: HttpRequest) -> HttpResponseBase:
    """Processes, queue, database, clocks, disk, stops; for everybody who belongs to a tenant."""
    rights = access_of(request).rights
    if not rights:
        raise Http404(_("There is no such page, or it is not yours to see."))
    seen = access_of(request).tenants("view_runs")
    alive = machine.processes()
    mine = Q(tenant=None) | Q(tenant_id__in=list(rights))
    stops = Stop.objects.filter(mine, lifted_at=None)
    context = {
        "processes": workers.lines(alive, seen=seen),
        "checks": machine.checks(alive),
        "load": machine.load(),
        "stops": stops[:MOST_STOPS].count(),
        "doors": doors.closed(seen),
        "ending": credentials.ending(seen),
        "counted_to": doors.COUNTED_TO,
    }
    return render(request, "execution/system.html", context)
