"""The facts a request rests on, each with its age, for `components/facts.html`."""

from datetime import datetime
from typing import Any
from urllib.parse import quote

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from approvals.hashing import Bound
from approvals.models import ApprovalRequest
from approvals.pages import wording
from approvals.pages.toolclasses import NAMES
from approvals.people import reversibility
from canonical import display
from tenants.amounts import short

Fact = dict[str, Any]


def of(request: ApprovalRequest, bound: Bound | None) -> list[Fact]:
    """What the decision is about and what it is bound to; `bound` None: the request is damaged."""
    facts = [
        _run(request),
        _started(request),
        fact(_("Target"), display.visible(request.target)),
        fact(_("Size"), wording.magnitude(request.magnitude)),
        fact(_("Tool"), request.tool),
        _undoing(request),
    ]
    return facts + (_bound(request, bound) if bound is not None else [])


def fact(label: str, value: str, at: datetime | None = None, url: str = "", note: str = "") -> Fact:
    """One row of `components/facts.html`."""
    return {"label": label, "value": value, "at": at, "url": url, "note": note}


def run_url(request: ApprovalRequest) -> str:
    """The page of the run, "" on a site without one."""
    try:
        return reverse("run", args=[request.tenant.slug, request.run_id])
    except NoReverseMatch:
        return ""


def _run(request: ApprovalRequest) -> Fact:
    run = request.run
    name = f"{run.task_type} · {display.visible(run.business_key)}"
    return fact(_("Run"), name, url=run_url(request), note=run.sentence)


def _undoing(request: ApprovalRequest) -> Fact:
    """The tenant's word of the tool now: by it the question is judged when it is to be sent."""
    said = reversibility.class_of(request.tenant_id, request.tool)
    url = f"{reverse('approvals:tools', args=[request.tenant.slug])}?tool={quote(request.tool)}"
    return fact(_("Undoing it"), str(NAMES[said]), url=url)


def _started(request: ApprovalRequest) -> Fact:
    run = request.run
    who = str(request.starter) if request.starter else run.caller
    behalf = ""
    if request.on_behalf_of:
        behalf = _("On behalf of %(who)s.") % {"who": display.visible(request.on_behalf_of)}
    return fact(_("Started by"), display.visible(who), run.created_at, note=behalf)


def _bound(request: ApprovalRequest, bound: Bound) -> list[Fact]:
    saw = [
        fact(_("The dry run saw"), _saw(name, version), request.asked_at)
        for name, version in sorted(bound.resources.items())
    ]
    return [
        *_volatile(bound),
        fact(_("Acts as"), display.visible(bound.acting_credential)),
        *(
            saw
            or [fact(_("The dry run saw"), _("nothing outside that could move"), request.asked_at)]
        ),
        fact(
            _("Rules"),
            _("version %(version)s") % {"version": short(bound.rules_version)},
            note=_("Looked at again, with everything above, before anything is sent."),
        ),
    ]


def _volatile(bound: Bound) -> list[Fact]:
    if not bound.volatile:
        return []
    names = ", ".join(display.visible(name) for name in bound.volatile)
    said = _("These may be others when it is sent; the tool says so, in version %(version)s.")
    note = said % {"version": display.visible(bound.volatile_version)}
    return [fact(_("Not bound"), names, note=note)]


def _saw(name: str, version: str) -> str:
    shown = display.visible(name)
    if not version:
        return _("%(name)s: not there") % {"name": shown}
    return _("%(name)s at %(version)s") % {
        "name": shown,
        "version": display.visible(short(version)),
    }
