"""What stands above every page of one run: where it stands, its verbs, its tabs, its panels."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from checkpoints import states
from checkpoints.models import Run
from checkpoints.pages.forms import title_of
from execution.pages.places import place
from execution.pages.standing import standing
from execution.problems import stuck
from tenants.models import Tenant
from tenants.scope import TenantRequest

TABS = (
    ("run", _("Timeline")),
    ("run_checkpoints", _("Checkpoints")),
    ("run_log", _("Operator log")),
    ("run_evidence", _("Evidence")),
)


def run_of(tenant: Tenant, run_id: UUID) -> Run:
    """A run of this tenant. Raises `Run.DoesNotExist`, for one of another tenant too."""
    return Run.objects.select_related("tenant", "combo").get(pk=run_id, tenant=tenant)


def head(request: TenantRequest, run: Run, *, here: str) -> dict[str, Any]:
    """The context that templates/execution/run_base.html needs. `here` is the name of the tab."""
    return {
        **live(request, run),
        "task": title_of(run.task_type),
        "section": "runs",
        "tabs": [
            {
                "text": text,
                "url": place(name, run.tenant, run.id),
                "here": name == here,
                "tally": run.head if name == "run_checkpoints" else None,
            }
            for name, text in TABS
        ],
    }


def live(request: TenantRequest, run: Run) -> dict[str, Any]:
    """The part that changes while the run goes on; asked for again and again."""
    return {
        "run": run,
        "standing": standing(run, request.user),
        "buttons": _buttons(request, run),
        "version": version_of(run),
    }


def version_of(run: Run) -> str:
    """Changes whenever anything about the run may have: what a poll compares."""
    return f"{run.head}-{run.fence}-{run.wakes}-{run.status}-{run.reason}"


def panels(run: Run) -> list[dict[str, Any]]:
    """The parts of the page that other apps serve, as this installation's settings name them."""
    found = [
        {"id": name.replace(":", "-"), "url": place(name, run.tenant, run.id), "text": text}
        for name, text in PANEL_WORDS.items()
        if name in settings.RUN_PANELS
    ]
    late = stuck.late(run)
    if late is not None and late.is_stuck:
        url = place("run_why_not", run.tenant, run.id)
        found.insert(0, {"id": "why-not", "url": url, "text": _("Why is it not running?")})
    return [panel for panel in found if panel["url"]]


PANEL_WORDS: dict[str, Any] = {
    "reconciliation:run_actions": _("Effects of this run"),
    "approvals:run_requests": _("Questions it asked"),
}


def _buttons(request: TenantRequest, run: Run) -> list[dict[str, Any]]:
    may = request.access.may(run.tenant_id, "operate_runs")
    if run.status in states.FINAL:
        url = place("start_run", run.tenant) + f"?like={run.id}"
        another = {"text": _("Start another like it"), "url": url}
        return [another, *_fork(run)] if may else []
    button: dict[str, Any] = {
        "text": _("Cancel this run"),
        "url": place("cancel_run", run.tenant, run.id),
    }
    if run.cancel_requested_at is not None:
        why = _("%(who)s asked to cancel it already.") % {"who": run.cancel_requested_by}
        return [*_unstick(run, may=may), button | {"why_not": why}]
    needed = {} if may else {"why_not": _("You need the right to operate runs.")}
    return [*_unstick(run, may=may), *(_fork(run) if may else []), button | needed]


def _fork(run: Run) -> list[dict[str, Any]]:
    """A live run that has ended or is on hold can be forked."""
    if run.status not in (*states.FINAL, states.HELD) or run.mode != states.LIVE_MODE:
        return []
    return [{"text": _("Fork this run"), "url": place("fork_run", run.tenant, run.id)}]


def _unstick(run: Run, *, may: bool) -> list[dict[str, Any]]:
    """Why it is not running; and, while a worker has it, the verb for whoever may take it away."""
    url = place("run_why_not", run.tenant, run.id)
    found = [{"text": _("Why is it not running?"), "url": url, "style": "quiet"}]
    if run.status == states.RUNNING and may:
        url = place("revoke_run", run.tenant, run.id)
        found.append({"text": _("Revoke it from its worker"), "url": url})
    return found
